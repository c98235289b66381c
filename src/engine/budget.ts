import type { Schedule } from './schedule.js'

interface Wish {
  tokens: number
  /** Most tokens that may be held for this one to begin, unless none is held. */
  atMost: () => number
  resume: () => void
}

/** The tokens that one unit holds of a {@link TokenBudget}. */
export interface Lease {
  /** Gives back all tokens beyond this number. */
  keep(tokens: number): void
}

/**
 * Limits the tokens that the run holds at a time. A unit takes all its tokens before it starts, so that no two units
 * can wait for each other, and gives back what it no longer needs. First come, first served.
 */
export class TokenBudget {
  private free: number
  private readonly wanted: number
  private readonly queue: Wish[] = []

  /** @param most most tokens held at a time */
  constructor(
    private most: number,
    private readonly schedule: Schedule,
  ) {
    this.free = most
    this.wanted = most
  }

  /** Whether the Core has less room than the run wanted. */
  isShrunk = false
  /** Called when the budget becomes smaller: what can do without its tokens gives them back. */
  shrunk: () => void = () => {}

  /** Most tokens that may be held at a time. */
  get capacity(): number {
    return this.most
  }

  /**
   * Whether this many tokens can be held at a time. Where the tokens of a Core depend on each other, a unit gets all
   * the room there is.
   */
  fits(tokens: number): boolean {
    return !this.isShrunk || tokens <= this.most
  }

  /** Whether a unit waits for tokens. */
  get isWanted(): boolean {
    return this.queue.length > 0
  }

  /**
   * Whether fewer tokens can be tried after a limit was met: the budget is smaller now than when the limit was met, or
   * can become smaller.
   * @param tokens the number to try
   * @param capacity the budget when the limit was met
   */
  wouldShrink(tokens: number, capacity: number): boolean {
    return this.most < capacity || tokens < this.most
  }

  /**
   * Makes the budget smaller for good.
   * @returns false where it is that small already
   */
  shrink(capacity: number): boolean {
    if (capacity >= this.most) return false
    this.free -= this.most - capacity
    this.most = capacity
    this.isShrunk = true
    for (const waiting of this.queue) waiting.tokens = Math.min(waiting.tokens, capacity)
    this.shrunk()
    return true
  }

  /** Makes the budget larger again: the Core was seen to have room for this many tokens; absent: for all that are wanted. */
  grow(capacity = this.wanted): void {
    this.free += Math.max(0, capacity - this.most)
    this.most = Math.max(capacity, this.most)
    this.isShrunk = this.most < this.wanted
    this.serve()
  }

  /**
   * Runs `work` while holding this many tokens; more than the budget counts as all of it.
   * @param atMost most tokens held at a time, these included, for `work` to begin; it begins in any case where none is
   *   held
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
        return () => void this.queue.splice(this.queue.indexOf(wish), 1)
      })
    }
    // The number may have shrunk while the unit waited.
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
