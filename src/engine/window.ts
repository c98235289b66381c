import type { Reading } from '../core/exchange.js'
import type { Token } from '../core/token.js'
import { duration } from '../duration.js'
import type { Gap, Latency } from '../result.js'
import type { Span } from '../suite/spec.js'

/** The idle lifetime as the run takes it. */
export interface Lifetime {
  lifetimeMs: number
  /** A fraction of it, for how much sooner or later a Core may expire a token. */
  tolerance: number
  /** Where it was set, such as `--idle-lifetime`; absent: it is the reference's. */
  from?: string
  /** What a request that must be answered within the lifetime needs, as {@link roomMs} has it; absent: for a fast Core. */
  roomMs?: number
}

/** The gap before a check, for a token that is expected to be alive: since its last certain use. */
export function gapSinceCertainUse(token: Token, check: Reading): Gap {
  return gap(token.certainUse, check)
}

/** The gap before a check, for a token that is expected to have expired: since the last request that may have been use. */
export function gapSincePossibleUse(token: Token, check: Reading): Gap {
  return gap(token.possibleUse, check)
}

/** How far the two clocks may differ in a gap, since wall clocks are kept right: the greater of these. */
const CLOCK_SLACK_MS = 50
const CLOCK_SLACK = 0.001

/**
 * A machine that sleeps stops the clock of the run, but not the Core's. Then the two clocks tell different gaps, and the
 * truth is taken to lie anywhere between them.
 */
function gap(use: Reading, check: Reading): Gap {
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

function gapBetween(use: Omit<Reading, 'wall'>, check: Omit<Reading, 'wall'>): Gap {
  return { shortestMs: check.sentAt - use.receivedAt, longestMs: check.receivedAt - use.sentAt }
}

/** Why `still valid` cannot be judged after this gap; undefined when it can: even the longest reading is safely under. */
export function missedAlive({ shortestMs, longestMs }: Gap, { lifetimeMs, tolerance }: Lifetime): string | undefined {
  const limitMs = lifetimeMs * (1 - tolerance)
  if (longestMs < limitMs) return undefined
  return `the token had been unused for ${range(shortestMs, longestMs)}; that it is still valid can be judged under ${duration(limitMs, 2)} only`
}

/** Why `expired` cannot be judged after this gap; undefined when it can: even the shortest reading is safely over. */
export function missedExpired({ shortestMs, longestMs }: Gap, { lifetimeMs, tolerance }: Lifetime): string | undefined {
  const limitMs = lifetimeMs * (1 + tolerance)
  if (shortestMs > limitMs) return undefined
  return `the token had been unused for ${range(shortestMs, longestMs)}; that it has expired can be judged over ${duration(limitMs, 2)} only`
}

/** Room for the run itself: machines of CI were seen to stall for that long between two steps. */
const STALL_MS = 200
/** Never less than this, however fast the survey found the Core: it may be slower under load. */
const MIN_ROOM_MS = 300
/** Never more than this fraction of the lifetime: a token that is looked at after half of it shows little. */
const MAX_ROOM = 0.4

/**
 * How long before the limit a token is to be looked at that must still be valid. The gap counts from when its last use was
 * sent, and the wait from when that was answered, so that exchange takes away from it, however slow; then come a new
 * connection, the request and its answer.
 * @param latency what the survey measured
 */
export function roomMs({ lifetimeMs }: Lifetime, latency: Latency | null | undefined): number {
  const neededMs = latency ? STALL_MS + latency.slowestMs + latency.freshMs : 0
  return Math.min(Math.max(lifetimeMs * 0.02, MIN_ROOM_MS, neededMs), Math.max(lifetimeMs * MAX_ROOM, MIN_ROOM_MS))
}

/** When a wait of this span is over, in milliseconds after the moment that it counts from. */
export function spanMs(span: Span, lifetime: Lifetime): number {
  const { lifetimeMs, tolerance } = lifetime
  if (span === 'within lifetime') return lifetimeMs * (1 - tolerance) - (lifetime.roomMs ?? roomMs(lifetime, undefined))
  // One millisecond over, since the limit itself does not count.
  return span === 'past lifetime' ? lifetimeMs * (1 + tolerance) + 1 : lifetimeMs * span.fraction
}

/** Why a check that depends on time was judged as it was: `it had been unused for …, and was judged by a lifetime of …`. */
export function basis({ shortestMs, longestMs }: Gap, { lifetimeMs, from }: Lifetime): string {
  const set = from === undefined ? 'the default, from the reference' : `set by ${from}`
  return `the token had been unused for ${range(shortestMs, longestMs)}, and is judged by an idle lifetime of ${duration(lifetimeMs, 2)} (${set})`
}

/** A gap for people: `59 min 3 s to 59 min 4 s`. */
export function range(shortestMs: number, longestMs: number): string {
  return `${duration(shortestMs, 2)} to ${duration(longestMs, 2)}`
}
