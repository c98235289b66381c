/** Estimates the length of texts that a contract's generators make: a few lines can demand gigabytes, and Pact would try. */

/** Most repetitions that Pact makes for `*`, `+` and `{n,}`. */
const UNBOUNDED = 20

/**
 * Returns an upper bound for the length of texts from a regular expression. Counts alternatives as a sequence.
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

/** Reads `{5}`, `{5,}`, `{5,9}`; `most` is undefined without a comma. */
function timesOf(least: string, most: string | undefined): number {
  if (most === undefined) return Number(least)
  return most ? Number(most) : Number(least) + UNBOUNDED
}

/** A repetition, or something to repeat: an escaped character, a class, a parenthesis, a character. */
const TOKEN = /([*+?]|\{(\d+)(?:,(\d*))?\})|\\.|\[(?:\\.|[^\]\\])*\]|[\s\S]/g

/** Returns the regular expressions of an interaction's generators, at any depth. */
export function generatorsOf(value: unknown, isGenerator = false): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { type, regex } = value as { type?: unknown; regex?: unknown }
  const own = isGenerator && type === 'Regex' && typeof regex === 'string' ? [regex] : []
  return [
    ...own,
    ...Object.entries(value).flatMap(([key, inner]) => generatorsOf(inner, isGenerator || key === 'generators')),
  ]
}
