/** Repeatable randomness: the same seed gives the same choices. */
export class Random {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** Returns a number from 0 up to but not including 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** Returns a whole number below `bound`. */
  below(bound: number): number {
    return Math.floor(this.next() * bound)
  }

  /** Returns one item of a list. */
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }
}
