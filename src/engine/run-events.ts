/** Puts into words what happened to the Core in a run, apart from the specs. */
import type { Silence } from '../core/silences.js'
import { duration } from '../duration.js'
import { count } from '../ground/count.js'
import type { RunEvent, SpecRecord } from '../result.js'

/** Most silences that are told one by one. More than that are how this Core, or the way to it, is all the time. */
const MOST = 3

/** The outcomes that a silence may be the reason of. */
const SPOILT: readonly SpecRecord['outcome'][] = ['blocked', 'inconclusive', 'skipped']

/** Makes the events of all silences of a run, with the specs that lost their outcome in them. */
export function silenceEvents(silences: readonly Silence[], specs: readonly SpecRecord[]): RunEvent[] {
  const kind = 'no answers'
  const spoilt = (within: readonly Silence[]) =>
    specs
      .filter(({ outcome, exchanges }) => {
        const lost = exchanges.filter(({ error, earlier = [] }) => error || earlier.length > 0)
        const isIn = (atMs: number) => within.some(({ fromMs, untilMs }) => fromMs <= atMs && atMs <= untilMs)
        return SPOILT.includes(outcome) && lost.some(({ atMs }) => isIn(atMs))
      })
      .map(({ id }) => id)
  const one = (silence: Silence): RunEvent => ({
    kind,
    text: `no request was answered ${when(silence)} (${how(silence)})`,
    fromMs: silence.fromMs,
    untilMs: silence.untilMs,
    specs: spoilt([silence]),
  })
  const [first, last] = [silences[0], silences.at(-1)]
  if (!first || !last || silences.length <= MOST) return silences.map(one)
  const lengthOf = ({ fromMs, untilMs }: Silence) => untilMs - fromMs
  const longest = [...silences].sort((a, b) => lengthOf(b) - lengthOf(a))[0] ?? first
  const sumMs = silences.reduce((sum, each) => sum + lengthOf(each), 0)
  const text = `${count(silences.length, 'time')}, for ${duration(sumMs)} in all, no request was answered; the longest time was ${when(longest)} (${how(longest)})`
  return [{ kind, text, fromMs: first.fromMs, untilMs: last.untilMs, specs: spoilt(silences) }]
}

/** Says when something happened: `between 3.2 s and 6.4 s after the start of the run`. */
export function between({ fromMs, untilMs }: { fromMs: number; untilMs: number }): string {
  return `between ${duration(fromMs)} and ${duration(untilMs)} after the start of the run`
}

function when({ isLast, ...silence }: Silence): string {
  const { fromMs, untilMs } = silence
  if (!isLast) return between(silence)
  return `from ${duration(fromMs)} after the start of the run until it stopped at ${duration(untilMs)}`
}

function how({ tries, error }: Silence): string {
  if (error === undefined) return 'then answers came: the Core, the way to it or this machine stood still'
  return `${count(tries, 'try', 'tries')} failed, the last one: ${error}`
}
