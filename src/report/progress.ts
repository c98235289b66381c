/** Shows a person how far a run is, and writes the same into a log, where nobody looks at a terminal. */

import { duration, durationRange } from '../duration.js'
import { count } from '../ground/count.js'
import type { RunActivity, RunWait } from './activity.js'
import type { Page } from './layout.js'
import { type ProgressStream, redrawn } from './redrawn.js'
import { timeOfDay, viewLines } from './view.js'

/** How to show progress. */
export interface ProgressOptions {
  /** Whether to redraw a view in place; otherwise plain lines are written. Default: the stream's `isTTY`. */
  live?: boolean
  /** Whether to colour the view; default false. */
  color?: boolean
}

const SECOND = 1000
/** How long a run goes on before a person is told how far it is: a shorter one ends before the lines are read. */
const PATIENCE = 2 * SECOND
/** Longest time without a line in a log. CI systems end a job that is silent for some minutes. */
const LOG_EVERY = 30 * SECOND
/** Four times a second: a change of the waits shows soon, and a burst of changes is still one drawing. */
const VIEW_EVERY = SECOND / 4

/**
 * Shows on a stream how far a run is. A terminal gets a live view, which is redrawn once a second, when the waits change,
 * and when the terminal is resized. The view is cleared at the end. It begins two seconds after the run, or as soon as a wait has
 * lasted for a second and has more than a second left. Any other stream gets a line when such waiting begins, and one every 30
 * seconds from the start of the run on. So runs that end soon show nothing.
 */
export function createProgress(stream: ProgressStream, options: ProgressOptions = {}) {
  const { live = stream.isTTY === true, color = false } = options
  /** What the view shows. It is drawn again where the second or the waits are others than those that it shows. */
  let shown: RunActivity | undefined
  let shownSecond: number | undefined
  let shownWaits: string | undefined
  const draw = (page: Page, rows: number) => {
    // Count in whole seconds. Otherwise a countdown would sometimes stand still and then jump.
    shownSecond = Math.floor(Date.now() / SECOND)
    return shown ? viewLines(page, shown, rows, shownSecond * SECOND) : []
  }
  const view = live ? redrawn(stream, color, draw) : undefined
  let latest: RunActivity | undefined
  /** The waits that may last, and since when they are watched. */
  let candidates: RunWait[] = []
  let candidatesMs = 0
  /** When the first activity was shown. */
  let begunMs = 0
  let telling = false
  /** When the last line was written. */
  let toldMs = Number.NEGATIVE_INFINITY
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  /** Whether one of the candidates has lasted. If not, the current waits become the candidates. */
  function hasLasted(activity: RunActivity, nowMs: number): boolean {
    if (nowMs - candidatesMs < SECOND) return false
    const waits = activity.waits.filter(wait => isLong(wait) && wait.untilMs - nowMs > SECOND)
    // In virtual time, the end of a wait comes nearer with every leap.
    const isSame = (one: RunWait, other: RunWait) =>
      one.spec === other.spec && one.what === other.what && Math.abs(one.untilMs - other.untilMs) < SECOND
    if (waits.some(wait => candidates.some(candidate => isSame(wait, candidate)))) return true
    candidates = waits
    candidatesMs = nowMs
    return false
  }

  function tick(): void {
    if (latest === undefined) return
    const nowMs = Date.now()
    telling ||= hasLasted(latest, nowMs) || nowMs - begunMs >= (live ? PATIENCE : LOG_EVERY)
    if (!telling) return
    const activity = { ...latest, waits: latest.waits.filter(wait => isLong(wait) && wait.untilMs > nowMs) }
    if (view) {
      const waits = JSON.stringify(activity.waits.map(({ spec, what }) => [spec, what]))
      if (waits === shownWaits && Math.floor(nowMs / SECOND) === shownSecond) return
      shownWaits = waits
      shown = activity
      view.draw()
    } else if (nowMs - toldMs >= LOG_EVERY) {
      toldMs = nowMs
      stream.write(`${waitingLine(activity, nowMs) ?? runningLine(activity)}\n`)
    }
  }

  return {
    /** Notes the current activity, which the caller must not change. Cheap: a run may call it hundreds of times a second. */
    show(activity: RunActivity): void {
      if (stopped) return
      latest = activity
      if (timer !== undefined) return
      candidates = activity.waits.filter(isLong)
      begunMs = Date.now()
      candidatesMs = begunMs
      timer = setInterval(tick, view ? VIEW_EVERY : SECOND).unref()
    },
    /** Clears the view and writes nothing more. */
    stop(): void {
      if (stopped) return
      stopped = true
      clearInterval(timer)
      view?.stop()
    },
  }
}

/** Whether a wait takes more than a second. A wait without a time does not count. */
function isLong({ fromMs, untilMs }: RunWait): boolean {
  return Number.isFinite(untilMs - fromMs) && untilMs - fromMs > SECOND
}

/**
 * Says what waits: `Waiting: 14 specs, the next until 14:03:30 (2 min 30 s left), …; 46 of 63 done, 3 more to do.`; undefined for
 * nothing. The numbers add up: what is done, what waits, and the rest.
 */
function waitingLine({ waits, done, failed, total, noun = 'spec' }: RunActivity, nowMs: number): string | undefined {
  if (!waits.length) return undefined
  const ends = waits.map(wait => wait.untilMs)
  const [next, last] = [Math.min(...ends), Math.max(...ends)]
  const until = (ms: number) => `until ${timeOfDay(ms)} (${duration(Math.ceil((ms - nowMs) / SECOND) * SECOND)} left)`
  // Where the run itself waits, the wait has no spec.
  const bySpec = new Map(waits.map(({ spec, many = 1 }) => [spec, spec === '' ? 0 : many]))
  const waiting = [...bySpec.values()].reduce((sum, many) => sum + many)
  const rest = total - done - waiting
  const times = last - next < SECOND ? ` ${until(next)}` : `, the next ${until(next)}, the last ${until(last)}`
  const counts = [`${done} of ${total} done`, failed > 0 && `${failed} failed`, rest > 0 && `${rest} more to do`]
  return `Waiting${waiting > 0 ? `: ${count(waiting, noun)}` : ''}${times}; ${counts.filter(Boolean).join(', ')}.`
}

/**
 * Says how far a run is that does not only wait: `Running: 620 of about 1530 requests sent, 21 of 149 specs done, 1 failed; about 2
 * to 4 min left.`
 */
function runningLine({ requests, done, failed, total, leftMs, noun = 'spec' }: RunActivity): string {
  const sent = requests ? `${requests.sent} of about ${count(requests.expected, 'request')} sent, ` : ''
  const left = leftMs ? `; ${durationRange(leftMs)} left` : ''
  return `Running: ${sent}${done} of ${count(total, noun)} done${failed > 0 ? `, ${failed} failed` : ''}${left}.`
}
