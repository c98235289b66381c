import type { Reading } from '../core/exchange.js'
import type { Token } from '../core/token.js'
import { duration } from '../duration.js'
import type { Gap } from '../result.js'
import type { Span } from '../suite/spec.js'

/** The idle lifetime as the run takes it. */
export interface Lifetime {
  lifetimeMs: number
  /** A fraction of it, for how much sooner or later a Core may expire a token. */
  tolerance: number
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

const MIN_ROOM_MS = 300

/** When a wait of this span is over, in milliseconds after the moment that it counts from. */
export function spanMs(span: Span, { lifetimeMs, tolerance }: Lifetime): number {
  // Room for the request itself, which has to be answered before the limit; more than a busy machine needs.
  if (span === 'within lifetime') return lifetimeMs * (1 - tolerance) - Math.max(lifetimeMs * 0.02, MIN_ROOM_MS)
  // One millisecond over, since the limit itself does not count.
  return span === 'past lifetime' ? lifetimeMs * (1 + tolerance) + 1 : lifetimeMs * span.fraction
}

/** A gap for people: `59 min 3 s to 59 min 4 s`. */
export function range(shortestMs: number, longestMs: number): string {
  return `${duration(shortestMs, 2)} to ${duration(longestMs, 2)}`
}
