import type { Clock } from './clock.js'

/** Thrown out of waits when the run is interrupted. */
export class Interrupted extends Error {
  constructor() {
    super('the run was interrupted')
  }
}

/** Somebody who is told of what the schedule waits for, for a progress line. */
export interface ScheduleObserver {
  /** Called with the earliest wait when everything waits, and with undefined when something runs again. */
  waiting(next: { what: string; untilMs: number; waits: number } | undefined): void
}

interface Wait {
  what: string
  untilMs: number
  resolve: () => void
  reject: (error: Error) => void
}

/** setTimeout takes no more than this. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * Runs tasks side by side on the clock of the run. A task in a wait holds nothing; exchanges share a number of slots; and
 * when every task waits, a clock that can leap is told to. Real and virtual time differ in nothing else.
 */
export class Schedule {
  private readonly waits: Wait[] = []
  private readonly queue: (() => void)[] = []
  private freeSlots: number
  /** Tasks that are neither waiting for time nor parked. */
  private active = 0
  private timer: NodeJS.Timeout | undefined
  private checking = false
  private leaping = false
  private failure: Error | undefined

  constructor(
    private readonly clock: Clock,
    slots: number,
    private readonly signal: AbortSignal,
    private readonly observer?: ScheduleObserver,
  ) {
    this.freeSlots = slots
    signal.addEventListener('abort', () => this.failWaits(new Interrupted()), { once: true })
  }

  /** Milliseconds of the clock. */
  now(): number {
    return this.clock.now()
  }

  /** Runs a task. While it is under way and not in {@link until} or {@link park}, time does not leap. */
  async task<T>(work: () => Promise<T>): Promise<T> {
    this.active++
    try {
      return await work()
    } finally {
      this.active--
      this.check()
    }
  }

  /** Runs one exchange when there is a free slot, first come first served. */
  async slot<T>(exchange: () => Promise<T>): Promise<T> {
    if (this.freeSlots > 0) this.freeSlots--
    else await new Promise<void>(resolve => this.queue.push(resolve))
    try {
      return await exchange()
    } finally {
      const next = this.queue.shift()
      if (next) next()
      else this.freeSlots++
    }
  }

  /**
   * Waits until the clock shows at least this. To be called within a task.
   * @param what is waited for, for people
   * @throws Interrupted when the run is interrupted; Error when the clock cannot be advanced
   */
  async until(ms: number, what: string): Promise<void> {
    if (this.clock.now() >= ms) return
    if (this.signal.aborted) throw new Interrupted()
    if (this.failure) throw this.failure
    const passed = new Promise<void>((resolve, reject) => this.insert({ what, untilMs: ms, resolve, reject }))
    this.active--
    this.check()
    await passed
  }

  /**
   * Waits for something that another task will bring about; until then this task does not keep time from leaping.
   * @param take is given a function to be called, once, when it has come about
   */
  async park(take: (resume: () => void) => void): Promise<void> {
    await new Promise<void>(resolve => {
      this.active--
      take(() => {
        this.active++
        resolve()
      })
      this.check()
    })
  }

  private insert(wait: Wait): void {
    const index = this.waits.findIndex(other => other.untilMs > wait.untilMs)
    this.waits.splice(index < 0 ? this.waits.length : index, 0, wait)
    this.arm()
  }

  /** Sets the timer for the earliest wait. */
  private arm(): void {
    clearTimeout(this.timer)
    const next = this.waits[0]
    if (!next) return
    const ms = Math.min(Math.max(Math.ceil(next.untilMs - this.clock.now()), 0), MAX_TIMER_MS)
    this.timer = setTimeout(() => this.wake(), ms)
  }

  /** Ends every wait whose time has come. Never early: a timer may fire a little too soon. */
  private wake(): void {
    // Nothing may start while both clocks move.
    if (this.leaping) return
    while (this.waits[0] && this.waits[0].untilMs <= this.clock.now()) {
      const due = this.waits.shift()
      this.active++
      due?.resolve()
    }
    this.arm()
    this.check()
  }

  /** Looks, when everything that is about to happen has happened, whether all that is left to do is to wait. */
  private check(): void {
    if (this.checking) return
    this.checking = true
    setImmediate(() => {
      this.checking = false
      const next = this.active === 0 ? this.waits[0] : undefined
      this.observer?.waiting(next && { what: next.what, untilMs: next.untilMs, waits: this.waits.length })
      if (next && this.clock.leap) void this.leap(next, this.clock.leap)
    })
  }

  private async leap(next: Wait, leap: (ms: number) => Promise<void>): Promise<void> {
    const ms = next.untilMs - this.clock.now()
    if (this.leaping || ms <= 0) return
    this.leaping = true
    try {
      await leap(ms)
    } catch (error) {
      this.failure = error instanceof Error ? error : new Error(String(error))
      this.failWaits(this.failure)
    } finally {
      this.leaping = false
    }
    this.wake()
  }

  private failWaits(error: Error): void {
    clearTimeout(this.timer)
    for (const wait of this.waits.splice(0)) {
      this.active++
      wait.reject(error)
    }
  }
}
