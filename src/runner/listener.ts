import type { Clock } from '../engine/clock.js'
import type { RunListener } from '../engine/options.js'
import type { RunActivity } from '../report/index.js'

/** What the Core has made of the plan. */
export type Replanned = Parameters<NonNullable<RunListener['replanned']>>[0]

/**
 * Makes of what a run says of itself what progress shows.
 * @param show takes it, with times of the wall clock
 */
export function listenerOf(clock: Clock, show: (activity: RunActivity) => void): RunListener {
  const startedMs = Date.now() - clock.now()
  const wall = (ms: number) => Date.now() + ms - clock.now()
  return {
    active: ({ waits, endsMs, ...counts }) => {
      // Nothing else of a wait: this may go to another thread, where functions cannot.
      const shown = waits.map(({ spec, what, fromMs, untilMs }) => ({
        spec,
        what,
        fromMs: wall(fromMs),
        untilMs: wall(untilMs),
      }))
      show({ ...counts, startedMs, endsMs: wall(endsMs), waits: shown })
    },
  }
}

/** A Core tells its limit by refusing one logon after another; the last of them counts. Shorter than any wait that is shown. */
export const SETTLED_MS = 500

/** Tells a value when it has stopped changing, or at the end. */
export class Settled<T> {
  private value: T | undefined
  private timer: NodeJS.Timeout | undefined

  constructor(
    private readonly tell: (value: T) => void,
    private readonly afterMs: number,
  ) {}

  /** Has it told, unless another one follows soon. */
  set(value: T): void {
    this.value = value
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.end(), this.afterMs).unref()
  }

  /** Tells what has not been told. */
  end(): void {
    clearTimeout(this.timer)
    if (this.value !== undefined) this.tell(this.value)
    this.value = undefined
  }
}
