/** Tells what a run waits for, one wait at a time. Goes, with its line in index.ts, when `run` tells its activity to progress.ts. */

import { duration } from '../duration.js'
import { inert } from './inert.js'
import { count } from './words.js'
import { cut } from './wrap.js'

/** A wait that has begun. */
export interface Wait {
  /** What is awaited, as it reads after "waiting for": `an idle token to expire`. */
  what: string
  /** When the wait ends, epoch milliseconds. */
  untilMs: number
  /** How many specs wait with it. */
  specsWaiting: number
}

/** What a run tells of its waiting. */
export interface Progress {
  /** The run now waits for this. Takes the place of the wait told before; a wait of about a second or less is not shown. */
  waiting(wait: Wait): void
  /** So many of the specs have their outcome. */
  ran(specs: { done: number; total: number }): void
  /** The run ended: the terminal is as it was before, and nothing is written any more. */
  stop(): void
}

/** Where progress is written, for example `process.stderr`. */
export interface ProgressStream {
  write(text: string): unknown
  /** On a terminal one line is redrawn in place; elsewhere there are plain lines. */
  isTTY?: boolean | undefined
  /** Columns of the terminal; 80 stands in for what is missing. */
  columns?: number | undefined
}

/** Time as the progress takes it; the system's unless a test gives another. */
export interface ProgressClock {
  /** Epoch milliseconds. */
  now(): number
  /** Calls back every so many milliseconds, without keeping the process alive, until the function it gives is called. */
  every(ms: number, callback: () => void): () => void
}

const systemClock: ProgressClock = {
  now: Date.now,
  every(ms, callback) {
    const timer = setInterval(callback, ms).unref()
    return () => clearInterval(timer)
  },
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const ERASE_TO_END = '\u001b[K'

/** `14:05:09`, local. */
function timeOfDay(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 8)
}

/** `59:03` or `1:00:00`: as wide as a second ago, so that the line stands still. */
function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / SECOND))
  const two = (number: number) => String(number).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  return hours > 0 ? `${hours}:${rest}` : rest
}

/** Whether a wait is the one told before, told again with news of its specs. */
function isSame(one: Wait, other: Wait | undefined): boolean {
  return other !== undefined && one.what === other.what && Math.abs(one.untilMs - other.untilMs) < SECOND
}

/**
 * A progress reporter on a stream. On a terminal it redraws one line at most once a second and takes it away at the end; else
 * it writes a line when a wait begins and then one a minute. When nothing waits for longer than a second it writes nothing.
 * @param clock for tests
 */
export function createProgress(stream: ProgressStream, clock: ProgressClock = systemClock): Progress {
  const terminal = stream.isTTY === true
  let wait: Wait | undefined
  let specs: { done: number; total: number } | undefined
  let cancelTimer: (() => void) | undefined
  let drawn = false
  let stopped = false

  function draw(current: Wait): void {
    const left = current.untilMs - clock.now()
    const done = specs === undefined ? '' : ` · ${specs.done}/${specs.total} done`
    const text = `Waiting ${countdown(left)} until ${timeOfDay(current.untilMs)} for ${inert(current.what)}${done}`
    // One write, and erasing only behind the text, so that nothing flickers; the last column stays free, or it would wrap.
    stream.write(`\r${cut(text, (stream.columns || 80) - 1)}${ERASE_TO_END}`)
    drawn = true
  }

  function print(current: Wait, verb: string): void {
    const left = duration(current.untilMs - clock.now())
    const parts = [`${verb} until ${timeOfDay(current.untilMs)} (${left} left) for ${inert(current.what)}`]
    if (current.specsWaiting > 0) parts.push(count(current.specsWaiting, 'spec waits', 'specs wait'))
    if (specs !== undefined) parts.push(`${specs.done} of ${specs.total} done`)
    stream.write(`${parts.join(', ')}.\n`)
  }

  function rest(): void {
    cancelTimer?.()
    cancelTimer = undefined
    wait = undefined
    if (drawn) stream.write(`\r${ERASE_TO_END}`)
    drawn = false
  }

  function tick(): void {
    if (wait === undefined || clock.now() >= wait.untilMs) rest()
    else if (terminal) draw(wait)
    else print(wait, 'Still waiting')
  }

  return {
    waiting(next) {
      // `!(… > …)` so that a wait without a time is none.
      if (stopped || !(next.untilMs - clock.now() > SECOND)) return
      const told = isSame(next, wait)
      wait = next
      if (terminal) {
        // While the timer runs its next tick shows the new wait: never more than one drawing a second.
        if (cancelTimer !== undefined) return
        draw(next)
        cancelTimer = clock.every(SECOND, tick)
      } else if (!told) {
        cancelTimer?.()
        print(next, 'Waiting')
        cancelTimer = clock.every(MINUTE, tick)
      }
    },
    ran(now) {
      specs = now
    },
    stop() {
      rest()
      stopped = true
    },
  }
}
