/** How long a text a generator of a contract would make: some lines can ask for gigabytes, which Pact would try to make. */

/** What Pact takes `*`, `+` and `{n,}` for at the most. */
const UNBOUNDED = 20

/**
 * How long a text a regular expression makes at the most: a bound, which takes alternatives for a sequence.
 * @param regex as a contract has it
 */
export function longestOf(regex: string): number {
  const sums = [0]
  let last = 0
  for (const [token, repeat, least, most] of regex.matchAll(TOKEN)) {
    if (repeat !== undefined) {
      const times = least === undefined ? (repeat === '?' ? 1 : UNBOUNDED) : timesOf(least, most)
      sums.push((sums.pop() ?? 0) + last * (times - 1))
      last *= times
    } else if (token === '(') sums.push(0)
    else if (token === ')' && sums.length > 1) {
      last = sums.pop() ?? 0
      sums.push((sums.pop() ?? 0) + last)
    } else {
      last = 1
      sums.push((sums.pop() ?? 0) + 1)
    }
  }
  return sums.reduce((total, sum) => total + sum, 0)
}

/** `{5}`, `{5,}`, `{5,9}`: what stands behind the comma is undefined without one. */
function timesOf(least: string, most: string | undefined): number {
  if (most === undefined) return Number(least)
  return most ? Number(most) : Number(least) + UNBOUNDED
}

/** A repetition, or one of what can be repeated: an escaped character, a class, a parenthesis, a character. */
const TOKEN = /([*+?]|\{(\d+)(?:,(\d*))?\})|\\.|\[(?:\\.|[^\]\\])*\]|[\s\S]/g

/** The regular expressions of the generators of an interaction, wherever they stand. */
export function generatorsOf(value: unknown, isGenerator = false): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { type, regex } = value as { type?: unknown; regex?: unknown }
  const own = isGenerator && type === 'Regex' && typeof regex === 'string' ? [regex] : []
  return [
    ...own,
    ...Object.entries(value).flatMap(([key, inner]) => generatorsOf(inner, isGenerator || key === 'generators')),
  ]
}
