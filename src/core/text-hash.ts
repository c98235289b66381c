/**
 * Hashes of any part of a text, each in a few steps however long the part is, after one pass over the text (Rabin and Karp).
 * So a search stays linear in the text, whatever the text and whatever is looked for.
 */
import { randomInt } from 'node:crypto'

/** The largest prime below 2^26: a product of two such numbers is still exact. */
const PRIME = 67_108_859
/** Another one in each process, so that nobody can make texts that collide. */
const BASE = randomInt(1_000_000, PRIME)

/** Powers of the base, as many as were needed so far. */
let powers = new Uint32Array([1])

function powersTo(length: number): Uint32Array {
  if (powers.length > length) return powers
  const more = new Uint32Array(2 * length + 1)
  more.set(powers)
  for (let at = powers.length; at < more.length; at++) more[at] = ((more[at - 1] ?? 0) * BASE) % PRIME
  powers = more
  return powers
}

/**
 * The hash of the first `length` characters of a text, as {@link TextHash} has it; for a text of which nothing else is asked.
 */
export function hashOf(text: string, length = text.length): number {
  let sum = 0
  for (let at = 0; at < length; at++) sum = (sum * BASE + text.charCodeAt(at) + 1) % PRIME
  return sum
}

/** The hashes of a text. */
export class TextHash {
  private readonly sums: Uint32Array
  private readonly powers: Uint32Array

  constructor(text: string) {
    const sums = new Uint32Array(text.length + 1)
    let sum = 0
    for (let at = 0; at < text.length; at++) {
      sum = (sum * BASE + text.charCodeAt(at) + 1) % PRIME
      sums[at + 1] = sum
    }
    this.sums = sums
    this.powers = powersTo(text.length)
  }

  /** The hash of so many characters from a place; equal for equal texts, and hardly ever for others. */
  of(start: number, length: number): number {
    const { sums, powers } = this
    const before = ((sums[start] ?? 0) * (powers[length] ?? 0)) % PRIME
    return ((sums[start + length] ?? 0) - before + PRIME) % PRIME
  }
}
