import { randomFrom } from '../../../dist/ground/random.js'

/** Repeatable randomness: the same seed gives the same choices. */
export class Random {
  /** Returns a number from 0 up to but not including 1. */
  readonly next: () => number

  constructor(seed: number) {
    this.next = randomFrom(seed)
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
