import type { Schedule } from './schedule.js'

interface Wish {
  tokens: number
  /** How many may be held at a time for this one to begin, unless nobody else holds any. */
  atMost: () => number
  resume: () => void
}

/** The tokens that somebody holds of a {@link TokenBudget}. */
export interface Lease {
  /** Gives back what is more than this. */
  keep(tokens: number): void
}

/**
 * How many tokens the run holds at a time. A unit takes all that it needs before it starts, so that no two can wait for each
 * other, and gives back what it needs no more; first come, first served.
 */
export class TokenBudget {
  private free: number
  private readonly queue: Wish[] = []

  /** @param most how many may be held at a time */
  constructor(
    private most: number,
    private readonly schedule: Schedule,
  ) {
    this.free = most
  }

  /** Whether the Core has less room than was wanted. */
  isShrunk = false

  /** How many tokens may be held at a time. */
  get capacity(): number {
    return this.most
  }

  /** Whether so many tokens can be had at a time; to a Core whose tokens depend on each other a unit is given all the room that there is. */
  fits(tokens: number): boolean {
    return !this.isShrunk || tokens <= this.most
  }

  /** Whether somebody waits for tokens. */
  get isWanted(): boolean {
    return this.queue.length > 0
  }

  /**
   * Whether less can be tried after a limit was met: the budget is smaller by now than when it was met, or can become it.
   * @param tokens what would be tried
   * @param capacity what the budget was then
   */
  wouldShrink(tokens: number, capacity: number): boolean {
    return this.most < capacity || tokens < this.most
  }

  /**
   * Makes the budget smaller for good.
   * @returns false when it is that small already
   */
  shrink(capacity: number): boolean {
    if (capacity >= this.most) return false
    this.free -= this.most - capacity
    this.most = capacity
    this.isShrunk = true
    for (const waiting of this.queue) waiting.tokens = Math.min(waiting.tokens, capacity)
    return true
  }

  /**
   * Runs `work` while holding this many tokens of the budget; more than there are counts as all.
   * @param atMost how many may be held at a time, with these, for it to begin; it begins in any case where none is held
   */
  async hold<T>(
    wanted: number,
    work: (lease: Lease) => Promise<T>,
    atMost: () => number = () => Number.POSITIVE_INFINITY,
  ): Promise<T> {
    const wish: Wish = { tokens: Math.min(wanted, this.most), atMost, resume() {} }
    if (this.queue.length === 0 && this.mayBegin(wish)) this.free -= wish.tokens
    else {
      await this.schedule.park(resume => {
        wish.resume = resume
        this.queue.push(wish)
      })
    }
    // As many as it was given in the end: they may have become fewer while it waited.
    const keep = (tokens: number) => {
      if (tokens >= wish.tokens) return
      this.free += wish.tokens - tokens
      wish.tokens = tokens
      this.serve()
    }
    try {
      return await work({ keep })
    } finally {
      keep(0)
    }
  }

  private mayBegin({ tokens, atMost }: Wish): boolean {
    const held = this.most - this.free
    return tokens <= this.free && (held <= 0 || held + tokens <= atMost())
  }

  private serve(): void {
    while (this.queue[0] && this.mayBegin(this.queue[0])) {
      const next = this.queue.shift()
      if (!next) return
      this.free -= next.tokens
      next.resume()
    }
  }
}
