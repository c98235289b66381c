/** The units of a duration from a minute on, largest first, in seconds. */
const UNITS: readonly (readonly [name: string, seconds: number])[] = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
]

/** Writes the two largest units that are not zero. Rounds the second one. */
function inUnits(seconds: number): string {
  let left = seconds
  const parts = UNITS.map(([name, size]) => {
    const count = Math.floor(left / size)
    left -= count * size
    return { name, size, count }
  }).filter(({ count }) => count > 0)
  const [, second, ...more] = parts
  // Rounding up may carry into the larger unit.
  if (second && more.length) return inUnits(Math.round(seconds / second.size) * second.size)
  return parts.map(({ name, count }) => `${count} ${name}`).join(' ')
}

/**
 * Formats a duration for people: `340 ms`, `4.1 s`, `12 min 5 s`, `1 h 3 min`.
 * @param ms milliseconds; a negative or non-finite number counts as zero
 * @param decimals decimals of seconds, for durations under a minute
 */
export function duration(ms: number, decimals = 1): string {
  const whole = Number.isFinite(ms) ? Math.max(0, Math.round(ms)) : 0
  if (whole < 1000) return `${whole} ms`
  const seconds = Number((whole / 1000).toFixed(decimals))
  return seconds < 60 ? `${seconds} s` : inUnits(Math.round(whole / 1000))
}

/**
 * Formats a time that is known between bounds only, in round numbers: `about 2 to 6 min`, `less than 40 s`, `about 1 h 4 min`.
 * @param mostMs at least `fewestMs`
 */
export function durationRange([fewestMs, mostMs]: readonly [fewestMs: number, mostMs: number]): string {
  const isShort = mostMs < 90_000
  const stepMs = isShort ? 10_000 : 60_000
  const [from, to] = [Math.floor(fewestMs / stepMs) * stepMs, Math.ceil(mostMs / stepMs) * stepMs]
  if (from <= 0) return `less than ${duration(to)}`
  if (from === to) return `about ${duration(to)}`
  if (to > 3_600_000) return `about ${duration(from)} to ${duration(to)}`
  const unitMs = isShort ? 1000 : 60_000
  return `about ${from / unitMs} to ${to / unitMs} ${isShort ? 's' : 'min'}`
}
