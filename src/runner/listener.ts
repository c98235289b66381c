import type { Clock } from '../engine/clock.js'
import type { RunListener } from '../engine/options.js'
import type { RunActivity } from '../report/activity.js'

/** The changed plan: the Core has room for fewer tokens than planned. */
export type Replanned = Parameters<NonNullable<RunListener['replanned']>>[0]

/**
 * Translates the events of a run to progress.
 * @param show receives the progress, with times of the wall clock
 */
export function listenerOf(clock: Clock, show: (activity: RunActivity) => void): RunListener {
  const startedMs = Date.now() - clock.now()
  const wall = (ms: number) => Date.now() + ms - clock.now()
  return {
    active: ({ waits, endsMs, ...counts }) => {
      // Other parts of a wait are left out: progress may go to another process, and functions cannot.
      const shown = waits.map(({ spec, what, ...at }) => {
        return { spec, what, fromMs: wall(at.fromMs), untilMs: wall(at.untilMs) }
      })
      show({ ...counts, startedMs, endsMs: wall(endsMs), waits: shown })
    },
  }
}

/**
 * Time without change after which a value counts, in milliseconds. A Core shows its limit by refusing one logon after
 * another, and the last refusal counts. Shorter than any wait that is shown.
 */
const SETTLED_MS = 500

/** Passes on a value when it has stopped changing, or at the `end`, which may be called at any time. */
export function settled<T>(tell: (value: T) => void) {
  let due: T | undefined
  let timer: NodeJS.Timeout | undefined
  const end = () => {
    clearTimeout(timer)
    if (due !== undefined) tell(due)
    due = undefined
  }
  const set = (value: T) => {
    due = value
    clearTimeout(timer)
    timer = setTimeout(end, SETTLED_MS).unref()
  }
  return { set, end }
}
