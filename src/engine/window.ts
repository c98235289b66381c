import type { Reading } from '../core/exchange.js'
import { duration } from '../duration.js'
import type { Gap, Latency } from '../result.js'
import type { Span } from '../suite/step-words.js'

/** The idle lifetime that the run judges by. */
export interface Lifetime {
  lifetimeMs: number
  /** The fraction of the lifetime by which a Core may expire a token sooner or later. */
  tolerance: number
  /** The setting that it comes from, such as `--idle-lifetime`; absent: the reference. */
  from?: string
  /**
   * Time that a request needs which must be answered within the lifetime, see {@link roomMs}; absent: that of a fast
   * Core.
   */
  roomMs?: number
}

/**
 * How often whoever logs on waits for a look at a token that expires: some Cores clear expired tokens away only at the next logon. All
 * tokens have one lifetime, so a few looks tell.
 */
export const LOOKS_AWAITED = 3
/** Longest time between two uses of a token that is not to expire meanwhile, as a fraction of the lifetime. */
export const USED_EVERY = 0.4

/** How far the two clocks may differ in a gap, since wall clocks are adjusted: the greater of these. */
const CLOCK_SLACK_MS = 50
const CLOCK_SLACK = 0.001

/**
 * Returns the gap between a use of a token and a check: since its last certain use where it should be alive, since the last request
 * that may have been use where it should have expired. A machine that sleeps stops the clock of the run, but not the Core's. Where
 * the two clocks differ, the gap spans everything between them.
 */
export function gapSince(use: Reading, check: Reading): Gap {
  const run = gapBetween(use, check)
  if (!use.wall || !check.wall) return run
  const wall = gapBetween(use.wall, check.wall)
  const slackMs = Math.max(CLOCK_SLACK_MS, run.longestMs * CLOCK_SLACK)
  if (Math.abs(wall.shortestMs - run.shortestMs) <= slackMs) return run
  return {
    shortestMs: Math.min(run.shortestMs, wall.shortestMs),
    longestMs: Math.max(run.longestMs, wall.longestMs),
  }
}

function gapBetween(use: Reading, check: Reading): Gap {
  return { shortestMs: check.sentAt - use.receivedAt, longestMs: check.receivedAt - use.sentAt }
}

/**
 * Says why `still valid` cannot be judged after this gap; undefined where it can: even the longest reading is safely
 * below the limit.
 */
export function missedAlive({ shortestMs, longestMs }: Gap, { lifetimeMs, tolerance }: Lifetime): string | undefined {
  const limitMs = lifetimeMs * (1 - tolerance)
  if (longestMs < limitMs) return undefined
  return `the token had been unused for ${range(shortestMs, longestMs)}; whether it is still valid can only be judged under ${duration(limitMs, 2)}`
}

/**
 * Says why `expired` cannot be judged after this gap; undefined where it can: even the shortest reading is safely above
 * the limit.
 */
export function missedExpired({ shortestMs, longestMs }: Gap, { lifetimeMs, tolerance }: Lifetime): string | undefined {
  const limitMs = lifetimeMs * (1 + tolerance)
  if (shortestMs > limitMs) return undefined
  return `the token had been unused for ${range(shortestMs, longestMs)}; whether it has expired can only be judged over ${duration(limitMs, 2)}`
}

/** Room for the run itself: CI machines were seen to stall this long between two steps. */
const STALL_MS = 200
/** Least room, however fast the survey found the Core: it may be slower under load. */
const MIN_ROOM_MS = 300
/** Most room, as a fraction of the lifetime: a look after half of the lifetime shows little. */
const MAX_ROOM = 0.4

/**
 * Returns how long before the limit to look at a token that must still be valid. The gap counts from the sending of the
 * last use, but the wait from its answer. So the slowest exchange has to fit in, then a new connection, the request and
 * its answer.
 * @param latency the latency that the survey measured
 */
export function roomMs({ lifetimeMs }: Lifetime, latency: Latency | null | undefined): number {
  const neededMs = latency ? STALL_MS + latency.slowestMs + latency.freshMs : 0
  return Math.min(Math.max(lifetimeMs * 0.02, MIN_ROOM_MS, neededMs), Math.max(lifetimeMs * MAX_ROOM, MIN_ROOM_MS))
}

/**
 * How many times the room of a second try is larger: busy CI machines were seen to be late by as much as the first try
 * missed.
 */
const MORE_ROOM = 3

/**
 * Returns the lifetime for a second try of a spec that missed its window: the look comes sooner, as far as it still
 * shows something.
 */
export function withMoreRoom(lifetime: Lifetime): Lifetime {
  const { lifetimeMs } = lifetime
  const room = lifetime.roomMs ?? roomMs(lifetime, undefined)
  return { ...lifetime, roomMs: Math.min(room * MORE_ROOM, Math.max(lifetimeMs * MAX_ROOM, room)) }
}

/** Returns when a wait of this span ends, in milliseconds after the moment that it counts from. */
export function spanMs(span: Span, lifetime: Lifetime): number {
  const { lifetimeMs, tolerance } = lifetime
  if (span === 'within lifetime') return lifetimeMs * (1 - tolerance) - (lifetime.roomMs ?? roomMs(lifetime, undefined))
  // One millisecond more, since the limit itself does not count.
  return span === 'past lifetime' ? lifetimeMs * (1 + tolerance) + 1 : lifetimeMs * span.fraction
}

/** Explains a check that depends on time: `the token had been unused for …, and is judged by an idle lifetime of …`. */
export function timingBasis({ shortestMs, longestMs }: Gap, { lifetimeMs, from }: Lifetime): string {
  const set = from === undefined ? 'the default, from the reference' : `set by ${from}`
  return `the token had been unused for ${range(shortestMs, longestMs)}, and is judged by an idle lifetime of ${duration(lifetimeMs, 2)} (${set})`
}

/** Formats a gap: `59 min 3 s to 59 min 4 s`. */
function range(shortestMs: number, longestMs: number): string {
  const [shortest, longest] = [duration(shortestMs, 2), duration(longestMs, 2)]
  return shortest === longest ? shortest : `${shortest} to ${longest}`
}
