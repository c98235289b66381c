import humanizeDuration from 'humanize-duration'

const inUnits = humanizeDuration.humanizer({
  language: 'short',
  languages: { short: { d: () => 'd', h: () => 'h', m: () => 'min', s: () => 's' } },
  units: ['d', 'h', 'm', 's'],
  delimiter: ' ',
  largest: 2,
  round: true,
})

/**
 * A duration for people, with as much precision as they need: `340 ms`, `4.1 s`, `12 min 5 s`, `1 h 3 min`.
 * @param ms milliseconds; a negative or non-finite number counts as zero
 * @param decimals of seconds, below a minute
 */
export function duration(ms: number, decimals = 1): string {
  const whole = Number.isFinite(ms) ? Math.max(0, Math.round(ms)) : 0
  if (whole < 1000) return `${whole} ms`
  const seconds = Number((whole / 1000).toFixed(decimals))
  return seconds < 60 ? `${seconds} s` : inUnits(whole)
}
