import type { Pace } from '../core/connections.js'

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
