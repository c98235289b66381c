/** Tells a person, or a CI log, what a run is waiting for in real time. */

import pc from 'picocolors'
import { duration } from '../duration.js'
import { count } from '../ground/count.js'
import type { RunActivity, RunWait } from './activity.js'
import { redrawn } from './redrawn.js'
import { timeOfDay, viewLines } from './view.js'

/** Where a run tells what it is doing. */
export interface Progress {
  /** The run now does this. Cheap: it may be called hundreds of times a second. What is given must not be changed later. */
  show(activity: RunActivity): void
  /** The run ended: the terminal is as it was before, and nothing is written any more. */
  stop(): void
}

/** Where progress is written, for example `process.stderr`. */
export interface ProgressStream {
  write(text: string): unknown
  isTTY?: boolean | undefined
  /** The size of the terminal, read at each drawing; 80 and 24 stand in for what is missing. */
  columns?: number | undefined
  rows?: number | undefined
  /** How a terminal tells that its size changed. */
  on?(event: 'resize', listener: () => void): unknown
  off?(event: 'resize', listener: () => void): unknown
}

/** Time as the progress takes it; the system's unless a test gives another. */
export interface ProgressClock {
  /** Epoch milliseconds. */
  now(): number
  /** Calls back every so many milliseconds, without keeping the process alive, until the function it gives is called. */
  every(ms: number, callback: () => void): () => void
}

/** How progress is told. */
export interface ProgressOptions {
  /** Whether a view may be redrawn in place, as on a terminal that can; plain lines otherwise. As `isTTY` says unless given. */
  live?: boolean
  /** Whether the view is coloured; it is not unless given. */
  color?: boolean
  clock?: ProgressClock
}

/** One way of telling. */
interface Teller {
  /** How often there may be something new to tell. */
  everyMs: number
  /** Tells what there is to tell by now. */
  tell(activity: RunActivity, nowMs: number): void
  stop(): void
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
/** Lines longer than this tire the eye. */
const MAX_COLUMNS = 120

/**
 * Tells on a stream what a run waits for. A terminal gets a view that is redrawn in place once a second, when the set of
 * waits changes, and when the terminal is resized, and that is taken away at the end; else there is a line once the waiting
 * has begun, and then one a minute. Nothing is written before something has waited for a second and has more than another to
 * wait, so nothing at all in virtual time.
 */
export function createProgress(stream: ProgressStream, options: ProgressOptions = {}): Progress {
  const { live = stream.isTTY === true, color = false, clock = systemClock } = options
  const teller = live ? viewTeller(stream, color, clock) : lineTeller(stream)
  let latest: RunActivity | undefined
  /** The waits that may turn out to last, and since when they are watched. */
  let candidates: RunWait[] = []
  let candidatesMs = 0
  let telling = false
  let stopped = false
  let cancelTimer: (() => void) | undefined

  /** Whether one of the candidates goes on; else takes those that wait by now. */
  function hasLasted(activity: RunActivity, nowMs: number): boolean {
    if (nowMs - candidatesMs < SECOND) return false
    const waits = activity.waits.filter(wait => isLong(wait) && wait.untilMs - nowMs > SECOND)
    if (waits.some(wait => candidates.some(candidate => isSame(wait, candidate)))) return true
    candidates = waits
    candidatesMs = nowMs
    if (!waits.length) rest()
    return false
  }

  function rest(): void {
    cancelTimer?.()
    cancelTimer = undefined
  }

  function tick(): void {
    if (latest === undefined) return
    const nowMs = clock.now()
    telling ||= hasLasted(latest, nowMs)
    if (telling)
      teller.tell({ ...latest, waits: latest.waits.filter(wait => isLong(wait) && wait.untilMs > nowMs) }, nowMs)
  }

  return {
    show(activity) {
      if (stopped) return
      latest = activity
      if (cancelTimer !== undefined || !activity.waits.some(isLong)) return
      candidates = activity.waits.filter(isLong)
      candidatesMs = clock.now()
      cancelTimer = clock.every(teller.everyMs, tick)
    },
    stop() {
      if (stopped) return
      stopped = true
      rest()
      teller.stop()
    },
  }
}

/** A wait without a time is none. */
function isLong({ fromMs, untilMs }: RunWait): boolean {
  return Number.isFinite(untilMs - fromMs) && untilMs - fromMs > SECOND
}

/** Whether both are the same wait, told at two times. In virtual time the end comes nearer with every leap. */
function isSame(one: RunWait, other: RunWait): boolean {
  return one.spec === other.spec && one.what === other.what && Math.abs(one.untilMs - other.untilMs) < SECOND
}

/** The live view. */
function viewTeller(stream: ProgressStream, color: boolean, clock: ProgressClock): Teller {
  const paint = pc.createColors(color)
  const region = redrawn(stream)
  const columns = () => stream.columns || 80
  let told: RunActivity | undefined
  let toldSecond: number | undefined
  let toldWaits: string | undefined

  function draw(activity: RunActivity, nowMs: number): void {
    told = activity
    // By whole seconds, or every now and then a countdown would stand still and then jump.
    toldSecond = Math.floor(nowMs / SECOND)
    // Half of the terminal: when it gets narrower it makes two lines of one before we hear of it, and what it has to push out
    // at the top can never be erased.
    const rows = Math.floor(((stream.rows || 24) - 1) / 2)
    const size = { columns: Math.min(MAX_COLUMNS, columns() - 1), rows }
    region.draw(viewLines(activity, toldSecond * SECOND, size, paint), columns())
  }

  function resized(): void {
    if (told) draw(told, clock.now())
  }

  return {
    // Four looks a second: a change of the waits is seen soon, and a burst of changes is still one drawing.
    everyMs: SECOND / 4,
    tell(activity, nowMs) {
      const waits = JSON.stringify(activity.waits.map(({ spec, what }) => [spec, what]))
      if (waits === toldWaits && Math.floor(nowMs / SECOND) === toldSecond) return
      if (told === undefined) stream.on?.('resize', resized)
      toldWaits = waits
      draw(activity, nowMs)
    },
    stop() {
      stream.off?.('resize', resized)
      region.clear(columns())
    },
  }
}

/** Plain lines, for logs. */
function lineTeller(stream: ProgressStream): Teller {
  let toldMs: number | undefined

  return {
    everyMs: SECOND,
    tell(activity, nowMs) {
      const line = waitingLine(activity, nowMs)
      if (line === undefined || (toldMs !== undefined && nowMs - toldMs < MINUTE)) return
      toldMs = nowMs
      stream.write(`${line}\n`)
    },
    stop() {},
  }
}

/** `Waiting: 14 specs, the next until 14:03:30 (2 min 30 s left), the last until …; 28 of 63 done.`; undefined when nothing waits. */
function waitingLine({ waits, done, failed, total }: RunActivity, nowMs: number): string | undefined {
  if (!waits.length) return undefined
  const ends = waits.map(wait => wait.untilMs)
  const [next, last] = [Math.min(...ends), Math.max(...ends)]
  const until = (ms: number) => `until ${timeOfDay(ms)} (${duration(Math.ceil((ms - nowMs) / SECOND) * SECOND)} left)`
  const specs = count(new Set(waits.map(wait => wait.spec)).size, 'spec')
  const times = last - next < SECOND ? ` ${until(next)}` : `, the next ${until(next)}, the last ${until(last)}`
  return `Waiting: ${specs}${times}; ${done} of ${total} done${failed > 0 ? `, ${failed} failed` : ''}.`
}
