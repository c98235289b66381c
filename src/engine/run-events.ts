/** What happened to the Core in a run, apart from the specs: stretches without answers, and the loss of all tokens. In words. */
import type { Session } from '../core/session.js'
import type { Silence } from '../core/silences.js'
import { duration } from '../duration.js'
import { count } from '../ground/count.js'
import type { RunEvent, SpecRecord } from '../result.js'
import { whyEnded } from './other-lifetime.js'
import type { TokenLoss } from './watch.js'
import type { Lifetime } from './window.js'

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
function between({ fromMs, untilMs }: { fromMs: number; untilMs: number }): string {
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

/** When a token was last seen alive, and when it was first refused, on the clock of the run. */
export interface Death {
  aliveMs: number
  deadMs: number
}

/** Whether a token may have expired, since it was unused for so long: then nothing else ended it. */
export function mayHaveExpired({ aliveMs, deadMs }: Death, { lifetimeMs, tolerance }: Lifetime): boolean {
  return deadMs - aliveMs >= lifetimeMs * (1 - tolerance)
}

/** Two tokens may die for different reasons. This many at once show that the Core lost all its tokens. */
const SEVERAL = 3

/**
 * Returns the time in which most of the tokens died together; undefined where fewer than three may have died at the
 * same moment. Those that may have been unused for their lifetime, since a limit made the run slow, expired.
 */
export function commonDeath(all: readonly Death[], lifetime: Lifetime): TokenLoss | undefined {
  // Specs that shared a token tell of one death, each when it looked.
  const latestFirst = [...all].sort((a, b) => b.deadMs - a.deadMs)
  const each = [...new Map(latestFirst.map(death => [death.aliveMs, death])).values()]
  const deaths = each.filter(death => !mayHaveExpired(death, lifetime))
  const groups = deaths.map(({ deadMs: untilMs }) =>
    deaths.filter(({ aliveMs, deadMs }) => aliveMs < untilMs && untilMs <= deadMs),
  )
  const [most = []] = groups.sort((a, b) => b.length - a.length)
  if (most.length < SEVERAL) return undefined
  return {
    fromMs: Math.max(...most.map(({ aliveMs }) => aliveMs)),
    untilMs: Math.min(...most.map(({ deadMs }) => deadMs)),
  }
}

/** The kind of the event that all tokens were lost at once. */
export const TOKENS_LOST = 'tokens lost'

/** Describes the loss of all tokens in one sentence. */
export function lossText(loss: TokenLoss, { session, lifetime }: { session: Session; lifetime: Lifetime }): string {
  return `all tokens stopped working ${between(loss)}: ${whyEnded(session.tokens, lifetime)}`
}
