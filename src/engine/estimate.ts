/** How fast a Core answers, and what follows: how much goes on side by side, and how long the requests before the first wait take. */
import type { Exchange } from '../core/exchange.js'
import { isLogon } from '../core/sender.js'
import type { Dialect, Latency } from '../result.js'
import type { Spec } from '../suite/spec.js'
import type { RunContext } from './context.js'
import { priceOf } from './plan/price.js'
import { runsAlone, takenOver } from './plan/sharing.js'
import { isWaiting, toUnits } from './plan/units.js'

/** A time in milliseconds that lies between two bounds. */
export type TimeRange = readonly [fewestMs: number, mostMs: number]

/** Requests after which their pace says more than the latency of the survey. */
const ENOUGH = 50
/** Phases differ in how many requests they send at a time. The pace so far is right within this factor. */
const PACE_FACTOR = 2

/** Knows how many requests a run sends before its waits, and how fast. */
export class Estimate {
  /** How many requests are sent before the first wait, those of the survey included. */
  private expected: number | undefined
  private sent = 0
  /** How many of these are logons: a Core may take longer for them, or take only so many in a while. */
  private logons = { expected: 0, sent: 0 }
  private begun: { atMs: number; sent: number; latency: Latency } | undefined
  /** The part of the requests that are sent one at a time. */
  private alone = 0

  /** @param connections how many connections there may be at a time */
  constructor(private readonly connections: number) {}

  /** Notes a request. */
  note(isOfLogon = false): void {
    this.sent++
    if (isOfLogon) this.logons.sent++
  }

  /** Notes the end of the survey. @param specs those that are still to run */
  surveyed(specs: readonly Spec[], { parts, covering, dialect: { latency } }: RunContext, atMs: number): void {
    // What runs late comes after the waits.
    const units = toUnits(
      specs.filter(spec => !spec.isLate),
      parts,
    )
    const priced = { covering, isBeforeWaits: true }
    const { requests: all, logons } = priceOf(units, { ...priced, takenOver: takenOver(specs, parts) })
    this.expected = this.sent + all
    this.logons.expected = this.logons.sent + logons
    const alone = units.filter(unit => !isWaiting(unit) && unit.some(spec => runsAlone(spec, parts.requests)))
    this.alone = priceOf(alone, priced).requests / Math.max(1, all)
    if (latency) this.begun = { atMs, sent: this.sent, latency }
  }

  /** How far the requests are; undefined before the survey has ended. */
  get requests(): { sent: number; expected: number } | undefined {
    const { sent, expected } = this
    return expected === undefined ? undefined : { sent, expected: Math.max(sent, expected) }
  }

  /**
   * Returns how long the requests that are left take; undefined as long as nobody knows.
   * @param spacingMs the time between two requests, and two logons, that a limit of the Core asks for
   */
  left(nowMs: number, spacingMs = { any: 0, logon: 0 }): TimeRange | undefined {
    const { begun, sent, expected, connections, alone, logons } = this
    if (!begun || expected === undefined || sent >= expected) return undefined
    const open = expected - sent
    const { keptMs, freshMs, logonMs } = begun.latency
    const openLogons = Math.max(0, logons.expected - logons.sent)
    const byLogons = openLogons * Math.max(0, logonMs - keptMs)
    const byLimit = Math.max(open * spacingMs.any, openLogons * spacingMs.logon)
    const atOnce = alone + (1 - alone) / connections
    const byLatency: TimeRange = [
      Math.max(byLimit, (open * keptMs + byLogons) * atOnce),
      Math.max(byLimit, open * Math.max(keptMs, freshMs) + byLogons),
    ]
    const since = sent - begun.sent
    if (since < ENOUGH) return byLatency
    const eachMs = (nowMs - begun.atMs) / since
    const byPace: TimeRange = [(open * eachMs) / PACE_FACTOR, open * eachMs * PACE_FACTOR]
    const both: TimeRange = [Math.max(byLatency[0], byPace[0]), Math.min(byLatency[1], byPace[1])]
    return both[0] <= both[1] ? both : byPace
  }
}

/**
 * A Core that takes this long for an answer is slow. On a faster one what runs side by side saves less than it costs: tokens
 * cannot be handed on, and what goes wrong is tried again.
 */
const SLOW_MS = 50

/**
 * Returns how long an answer takes on the average, in milliseconds, with what it takes to connect where a Core closes each connection.
 * Logons do not count: where only they are slow, lanes wait for them.
 */
export function answerTime(exchanges: readonly Exchange[], latency: Latency | null | undefined): number {
  const tookMs = exchanges
    .filter(({ response, request }) => response && !isLogon(request))
    .map(({ sentAt, receivedAt }) => receivedAt - sentAt)
  const averageMs = tookMs.reduce((sum, ms) => sum + ms, 0) / Math.max(1, tookMs.length)
  return latency ? Math.max(averageMs, Math.min(latency.keptMs, latency.freshMs)) : averageMs
}

/**
 * Returns how many specs may run side by side that else run alone, one after another: several where a Core is slow, so that a run
 * takes no longer than its requests take on all of its connections.
 * @param answerMs how long an answer takes
 * @param connections most that may be open at a time
 */
export function lanesOn(answerMs: number, { sessions, backEnds }: Dialect, connections: number): number {
  // Where tokens depend on each other, nothing else may be under way.
  return answerMs >= SLOW_MS && sessions === 'many' && !backEnds ? connections : 1
}

/**
 * Returns the most connections that a spec has at a time where it can do with one: one where a Core is slow, and no slower to
 * connect to, so that as many specs as there are connections run at a time.
 */
export function connectionsEach(lanes: number, latency: Latency | null | undefined, connections: number): number {
  const isCheap = latency ? latency.freshMs - latency.keptMs < latency.keptMs : false
  return lanes > 1 && isCheap ? 1 : connections
}
