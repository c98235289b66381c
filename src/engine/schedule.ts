import type { Park } from '../core/connections.js'
import type { Clock } from './clock.js'

/** Ends waits when the run is interrupted. */
export class Interrupted extends Error {
  constructor() {
    super('the run was interrupted')
  }
}

/** Ends waits when the run leaves them to another process. */
export class Detached extends Error {
  constructor() {
    super('the run was detached')
  }
}

/** Who waits for time to pass, and for what. */
export interface Purpose {
  /** The spec that waits; empty where the run itself waits. */
  spec: string
  /** What it waits for, in words. */
  what: string
  /** Whether it goes on beside the run, which does not wait for its end. */
  isBeside?: boolean
  /** Whether a token has expired when it ends. */
  isExpiry?: boolean
}

/** A wait for time to pass. */
export interface Wait extends Purpose {
  /** Start of the wait, on the clock of the run; `untilMs` is its end. */
  fromMs: number
  untilMs: number
}

/** Called when the waits may have changed: with them, the earliest end first, and whether nothing else goes on. */
export type ScheduleListener = (waits: readonly Wait[], isIdle: boolean) => void

interface OpenWait extends Wait {
  resolve: () => void
  reject: (error: Error) => void
}

/**
 * After this long with every task parked, and none waiting for time, nothing can go on any more. What goes on outside of tasks takes no
 * longer than the deadline of a request.
 */
const STILL_MS = 30_000

const STOOD_STILL =
  'every part of the run waited for another, a fault of this program: please report it with the journal of the run'

/** The longest time that setTimeout takes. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * Runs tasks side by side on the clock of the run. A task that waits holds nothing. When every task waits, a clock that
 * can leap leaps. Real and virtual time differ in nothing else.
 */
export class Schedule {
  private readonly waits: OpenWait[] = []
  /** Functions that end each parked task with an error. */
  private readonly parked = new Set<(error: Error) => void>()
  /** Number of tasks that neither wait for time nor are parked. */
  private active = 0
  private timer: NodeJS.Timeout | undefined
  private still: NodeJS.Timeout | undefined
  private checking = false
  private leaping = false
  private failure: Error | undefined

  constructor(
    private readonly clock: Clock,
    private readonly signal: AbortSignal,
    private readonly listener?: ScheduleListener,
    private readonly stillMs = STILL_MS,
  ) {
    signal.addEventListener('abort', () => this.failWaits(new Interrupted()), { once: true })
  }

  /** The present reading of the clock, in milliseconds. */
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

  /**
   * Waits until the clock shows at least this time. Call it within a task.
   * @param what the spec that waits, and what it waits for, in words
   * @param over ends the wait early
   * @throws Interrupted where the run is interrupted; Detached; Error where the clock cannot be advanced
   */
  async until(ms: number, what: Purpose, over?: AbortSignal): Promise<void> {
    const fromMs = this.clock.now()
    if (fromMs >= ms) return
    if (this.signal.aborted) throw new Interrupted()
    if (this.failure) throw this.failure
    if (over?.aborted) return
    let end = () => {}
    const passed = new Promise<void>((resolve, reject) => {
      const wait = { ...what, fromMs, untilMs: ms, resolve, reject }
      end = () => this.end(wait)
      this.insert(wait)
    })
    over?.addEventListener('abort', end, { once: true })
    this.active--
    this.check()
    await passed.finally(() => over?.removeEventListener('abort', end))
  }

  /** How long it is until a wait ends that lets a token expire, in milliseconds; undefined where none does within this time. */
  expiryWithin(ms: number): number | undefined {
    const nowMs = this.clock.now()
    const next = this.waits.find(wait => wait.isExpiry)
    return next && next.untilMs - nowMs <= ms ? Math.max(next.untilMs - nowMs, 0) : undefined
  }

  /**
   * Waits for another task. Meanwhile this task does not keep the clock from leaping.
   * @param take receives a function to call, once, to end the wait; may return what to do where it ends with an error
   * @throws Detached; Error where every task waits for another
   */
  async park(take: Parameters<Park>[0]): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.active--
      let abandon: (() => void) | undefined
      const fail = (error: Error) => {
        this.active++
        abandon?.()
        reject(error)
      }
      this.parked.add(fail)
      abandon = take(() => {
        if (!this.parked.delete(fail)) return
        this.active++
        resolve()
      })
      this.check()
    })
  }

  /** Whether the waits were left to another process. */
  get isDetached(): boolean {
    return this.failure instanceof Detached
  }

  /** Ends every waiting and parked task with {@link Detached}. Call it when nothing else goes on. */
  detach(): void {
    this.failure = new Detached()
    this.failParked(this.failure)
    this.failWaits(this.failure)
  }

  private insert(wait: OpenWait): void {
    const index = this.waits.findIndex(other => other.untilMs > wait.untilMs)
    this.waits.splice(index < 0 ? this.waits.length : index, 0, wait)
    this.arm()
  }

  private end(wait: OpenWait): void {
    const index = this.waits.indexOf(wait)
    if (index < 0) return
    this.waits.splice(index, 1)
    this.active++
    wait.resolve()
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

  /** Checks, after all pending events, whether only waits are left. */
  private check(): void {
    if (this.checking) return
    this.checking = true
    setImmediate(() => {
      this.checking = false
      this.listener?.(this.waits, this.active === 0)
      const next = this.active === 0 ? this.waits[0] : undefined
      if (next && this.clock.leap) void this.leap(next, this.clock.leap)
      this.lookForStandstill()
    })
  }

  /** Ends what waits for other tasks where all of them do: better a run with its reports than one that never ends. */
  private lookForStandstill(): void {
    clearTimeout(this.still)
    if (this.active !== 0 || this.waits.length > 0 || this.parked.size === 0) return
    this.still = setTimeout(() => this.failParked(new Error(STOOD_STILL)), this.stillMs)
  }

  private async leap(next: OpenWait, leap: (ms: number) => Promise<void>): Promise<void> {
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

  private failParked(error: Error): void {
    const parked = [...this.parked]
    this.parked.clear()
    for (const fail of parked) fail(error)
  }

  private failWaits(error: Error): void {
    clearTimeout(this.timer)
    for (const wait of this.waits.splice(0)) {
      this.active++
      wait.reject(error)
    }
  }
}
