import type { Exchange } from '../core/exchange.js'
import { isLogon } from '../core/sender.js'
import type { Dialect, Latency } from '../result.js'

/**
 * A Core that takes this long for an answer is slow. On a faster one what runs side by side saves less than it costs: tokens
 * cannot be handed on, and what goes wrong is tried again.
 */
const SLOW_MS = 50

/** Returns how long an answer takes on the average, in milliseconds. Logons do not count: where only they are slow, lanes wait for them. */
export function answerTime(exchanges: readonly Exchange[]): number {
  const tookMs = exchanges
    .filter(({ response, request }) => response && !isLogon(request))
    .map(({ sentAt, receivedAt }) => receivedAt - sentAt)
  return tookMs.reduce((sum, ms) => sum + ms, 0) / Math.max(1, tookMs.length)
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
