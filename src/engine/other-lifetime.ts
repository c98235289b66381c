/** Finds out whether the tokens of a Core live for another time than the run judges by. */
import type { Token } from '../core/token.js'
import { duration } from '../duration.js'
import type { MeasuredLifetime, SpecRecord } from '../result.js'
import type { Spec } from '../suite/spec.js'
import type { Lifetime } from './window.js'

/** The idle lifetime that all tokens of a run had, as far as they show it. */
interface Seen {
  /** A token was accepted after this time without use. */
  aliveMs: number
  /** A token was rejected after this time without use; infinite where none was. */
  expiredMs: number
  /** Whether tokens ended at different moments, so that no single event ended them. */
  isApart: boolean
}

/** Steps of a round lifetime, largest first, in milliseconds. */
const ROUND_MS = [3_600_000, 1_800_000, 600_000, 300_000, 60_000, 30_000, 10_000, 5000, 1000]
/** No Core lets its tokens live for less: something else ended such tokens. */
const LEAST_MS = 1000
/** The two bounds of a lifetime may differ by this factor for a figure between them to be worth telling. */
const NARROW = 2.5

/**
 * Asks whether the idle lifetime is set right, where one other lifetime explains when each token lived and when it ended.
 * @param specs the specs of the run with their outcomes
 * @returns undefined where no single lifetime explains that, or where it is the one that the run judges by
 */
export function otherLifetime(
  tokens: readonly Token[],
  specs: readonly SpecRecord[],
  { lifetimeMs, tolerance }: Lifetime,
): string | undefined {
  const seen = seenIn(tokens, lifetimeMs * (1 - tolerance))
  // A single token that ended may have ended for another reason, unless the wait of a spec shows how it did.
  const isTimed = specs.some(
    ({ outcome, steps }) => outcome === 'failed' && steps.some(step => step.outcome === 'miss' && step.gap),
  )
  if (!seen || seen.expiredMs < LEAST_MS || !(seen.isApart || isTimed)) return undefined
  const judged = `${duration(lifetimeMs)} that this run judged by`
  if (seen.expiredMs < lifetimeMs * (1 - tolerance))
    return `tokens ended after ${about(seen)} without use, sooner than the ${judged}: is ${meant(seen, 'a shorter')} meant?`
  if (seen.aliveMs <= lifetimeMs * (1 + tolerance)) return undefined
  return `tokens lived for ${duration(seen.aliveMs)} without use, longer than the ${judged}: is ${meant(seen, 'a longer')} meant?`
}

/**
 * Says why tokens ended: an event on the Core, and before that a shorter lifetime than the run judges by, where that explains
 * the end of each of them.
 */
export function whyEnded(tokens: readonly Token[], { lifetimeMs, tolerance }: Lifetime): string {
  const event = 'the Core was restarted, or its clock was set'
  const seen = seenIn(tokens, lifetimeMs * (1 - tolerance))
  if (!seen || seen.expiredMs >= lifetimeMs * (1 - tolerance)) return event
  return `tokens ended after ${about(seen)} without use (is ${meant(seen, 'a shorter')} meant?), or ${event}`
}

/** @param earlyMs a token that ended after less than this ended too early */
function seenIn(tokens: readonly Token[], earlyMs: number): Seen | undefined {
  const ends = tokens.flatMap(({ ended }) => ended ?? [])
  const early = ends.filter(({ unusedMs }) => unusedMs < earlyMs)
  const aliveMs = Math.max(0, ...tokens.map(token => token.unusedMs))
  const expiredMs = Math.min(...ends.map(({ unusedMs }) => unusedMs))
  if (aliveMs >= expiredMs) return undefined
  const isApart = Math.max(...early.map(({ fromMs }) => fromMs)) > Math.min(...early.map(({ untilMs }) => untilMs))
  return { aliveMs, expiredMs, isApart }
}

function about(seen: Seen): string {
  const figureMs = figureOf(seen)
  if (figureMs !== undefined) return `about ${duration(figureMs)}`
  return seen.aliveMs < 1
    ? `less than ${duration(seen.expiredMs)}`
    : `${duration(seen.aliveMs)} to ${duration(seen.expiredMs)}`
}

function meant(seen: Seen, otherwise: string): string {
  const figureMs = figureOf(seen)
  if (figureMs === undefined || figureMs < 1000) return `${otherwise} --idle-lifetime`
  const [unit, unitMs] = figureMs % 60_000 ? ['s', 1000] : ['m', 60_000]
  return `--idle-lifetime ${figureMs / unitMs}${unit}`
}

/** Returns the roundest time between the bounds; undefined where they are far from each other. */
function figureOf({ aliveMs, expiredMs }: Seen): number | undefined {
  if (expiredMs > aliveMs * NARROW) return undefined
  for (const stepMs of ROUND_MS) {
    const roundMs = Math.ceil(aliveMs / stepMs) * stepMs
    if (roundMs <= expiredMs) return roundMs
  }
  return Math.round((aliveMs + expiredMs) / 200) * 100
}

/**
 * Determines the idle lifetime of a Core from the specs that measure it. Each of them left its token unused for another
 * time. An accepted token lives at least as long as the shortest reading of its gap. A rejected one has expired after
 * the longest.
 * @returns null where nothing was measured
 */
export function measuredLifetime(specs: Spec[], records: SpecRecord[]): MeasuredLifetime | null {
  const measuring = new Set(specs.filter(spec => spec.measuresLifetime).map(({ id }) => id))
  const readings = records
    .filter(({ id, outcome }) => measuring.has(id) && outcome === 'observed')
    .flatMap(({ steps }) => steps.filter(({ kind }) => kind === 'check'))
    .flatMap(({ gap, isAlive }) => (gap && isAlive !== undefined ? [{ gap, isAlive }] : []))
  if (!readings.length) return null
  const alive = readings.filter(({ isAlive }) => isAlive).map(({ gap }) => gap.shortestMs)
  const expired = readings.filter(({ isAlive }) => !isAlive).map(({ gap }) => gap.longestMs)
  return {
    aliveMs: alive.length ? Math.round(Math.max(...alive)) : null,
    expiredMs: expired.length ? Math.round(Math.min(...expired)) : null,
  }
}
