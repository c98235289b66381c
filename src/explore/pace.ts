/** When sequences may send: how fast, and one at a time. */
import type { Pace } from '../core/connections.js'
import type { Stillness } from '../engine/explorer.js'
import type { Schedule } from '../engine/schedule.js'
import type { StretchGate } from '../engine/steps/spec-talk.js'

/** Least average time between requests, also over bursts: a live Core has others to serve. */
const SPACING_MS = 500
/** A Core with a short lifetime was built for tests, and its waits leave little time: so many requests fit in a lifetime at least. */
const A_LIFETIME = 1200

/** Returns the least average time between requests to a Core with this lifetime, in milliseconds. */
export function spacingOf(lifetimeMs: number): number {
  return Math.min(SPACING_MS, lifetimeMs / A_LIFETIME)
}

/** Spaces requests of all lanes, and counts them. */
export class Spaced implements Pace {
  private nextMs = Number.NEGATIVE_INFINITY
  private paid = 0
  /** How many requests were sent. */
  requests = 0

  /**
   * @param now the clock of the run, in milliseconds
   * @param spacingMs time between requests; 0 where the Core need not be spared
   * @param pause lets time pass on that clock
   */
  constructor(
    private readonly now: () => number,
    readonly spacingMs: number,
    private readonly pause: (ms: number) => Promise<void>,
  ) {}

  async admit(): Promise<void> {
    this.requests++
    if (this.paid > 0) {
      this.paid--
      return
    }
    await this.take(1)
  }

  async reserve(requests: number): Promise<void> {
    await this.take(requests)
    this.paid += requests
  }

  /** Waits until a request may be sent, without counting one. */
  async ready(): Promise<void> {
    const ms = this.nextMs - this.now()
    if (ms > 0) await this.pause(ms)
  }

  private async take(requests: number): Promise<void> {
    const now = this.now()
    const atMs = Math.max(now, this.nextMs)
    this.nextMs = atMs + this.spacingMs * requests
    if (atMs > now) await this.pause(atMs - now)
  }
}

/** Lets one lane act at a time, so that no lane mistakes the effects of another for what it looks for. */
export class Turn {
  private isTaken = false
  private readonly queue: (() => void)[] = []

  constructor(private readonly schedule: Schedule) {}

  /** Waits for the turn. Call it within a task. @throws Detached */
  async take(): Promise<void> {
    if (!this.isTaken) {
      this.isTaken = true
      return
    }
    await this.schedule.park(resume => {
      this.queue.push(resume)
      return () => void this.queue.splice(this.queue.indexOf(resume), 1)
    })
  }

  /** Hands the turn to the lane that has waited longest. */
  give(): void {
    const next = this.queue.shift()
    if (next) next()
    else this.isTaken = false
  }
}

/**
 * Gates the steps of a sequence. The sequence keeps the turn between its waits. Each step begins when the pace allows
 * it and no spec looks.
 */
export class StepGate implements StretchGate {
  private isInside = false
  private hasTurn = false

  /** @param turn absent where this lane holds the turn already */
  constructor(
    private readonly pace: Spaced,
    private readonly quiet: Stillness,
    private readonly turn?: Turn,
  ) {}

  async enter(): Promise<void> {
    this.step()
    if (!this.hasTurn) await this.turn?.take()
    this.hasTurn = true
    await this.pace.ready()
    await this.quiet.enter('stirs')
    this.isInside = true
  }

  leave(): void {
    this.step()
    if (this.hasTurn) this.turn?.give()
    this.hasTurn = false
  }

  private step(): void {
    if (this.isInside) this.quiet.leave()
    this.isInside = false
  }
}
