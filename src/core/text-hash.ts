/**
 * Hashes any part of a text in a few steps, however long the part is, after one pass over the text (Rabin and Karp). So
 * the time of a search always grows linearly with the text.
 */
import { randomInt } from 'node:crypto'

/** The largest prime below 2^26: a product of two smaller numbers is still an exact `number`. */
const PRIME = 67_108_859
/** Differs from process to process, so that nobody can construct texts that collide. */
const BASE = randomInt(1_000_000, PRIME)

/** Returns the exact remainder of a product of two numbers below the prime. `%` is slow for numbers over 32 bits. */
function remainder(product: number): number {
  const rest = product - Math.floor(product / PRIME) * PRIME
  // The quotient may be rounded to the next number.
  if (rest < 0) return rest + PRIME
  return rest >= PRIME ? rest - PRIME : rest
}

/** Powers of the base, computed on demand. */
let powers = new Uint32Array([1])

function powersTo(length: number): Uint32Array {
  if (powers.length > length) return powers
  const more = new Uint32Array(2 * length + 1)
  more.set(powers)
  for (let at = powers.length; at < more.length; at++) more[at] = remainder((more[at - 1] ?? 0) * BASE)
  powers = more
  return powers
}

/**
 * Hashes the first `length` characters of a text, with the same result as {@link TextHash}. For a text that needs no
 * other hash.
 */
export function hashOf(text: string, length = text.length): number {
  let sum = 0
  for (let at = 0; at < length; at++) sum = remainder(sum * BASE + text.charCodeAt(at) + 1)
  return sum
}

/** The hashes of the parts of one text. */
export class TextHash {
  private readonly sums: Uint32Array
  private readonly powers: Uint32Array

  constructor(text: string) {
    const sums = new Uint32Array(text.length + 1)
    let sum = 0
    for (let at = 0; at < text.length; at++) {
      sum = remainder(sum * BASE + text.charCodeAt(at) + 1)
      sums[at + 1] = sum
    }
    this.sums = sums
    this.powers = powersTo(text.length)
  }

  /**
   * Returns the hash of the `length` characters from `start`. Equal texts have equal hashes; different texts hardly
   * ever do.
   */
  of(start: number, length: number): number {
    const { sums, powers } = this
    const difference = (sums[start + length] ?? 0) - remainder((sums[start] ?? 0) * (powers[length] ?? 0))
    return difference < 0 ? difference + PRIME : difference
  }
}

/** Number of keys. A table of bits takes 8 KB and fits into the cache of a processor. Each Core has one table. */
const KEYS = 2 ** 16
/** Bits by which a further character shifts the key, so that the key depends on the last four characters. */
const BITS = 4

/**
 * Finds the places of a text where one of thousands of forms may begin. A run searches megabytes, so a table of bits
 * rules out most places by a key of their characters. The other places are looked up.
 */
export class Starts {
  private readonly starts = new Set<string>()
  private readonly seen = new Uint32Array(KEYS / 32)

  /** @param length number of characters of a start, at most four */
  constructor(private readonly length: number) {}

  /** Adds a form. @param form text of at least `length` characters */
  add(form: string): void {
    const start = form.slice(0, this.length)
    let key = 0
    for (let at = 0; at < start.length; at++) key = withNext(key, start, at)
    this.seen[key >> 5] = (this.seen[key >> 5] ?? 0) | (1 << (key & 31))
    this.starts.add(start)
  }

  /** Returns the first place from `from` on where a form may begin; -1 where there is none. */
  next(text: string, from: number): number {
    const { seen, starts, length } = this
    if (!starts.size) return -1
    let key = 0
    for (let at = from; at < text.length; at++) {
      key = withNext(key, text, at)
      const start = at - length + 1
      if (start < from || ((seen[key >> 5] ?? 0) & (1 << (key & 31))) === 0) continue
      if (starts.has(text.slice(start, at + 1))) return start
    }
    return -1
  }
}

/** Returns the key after one more character of the text. */
function withNext(key: number, text: string, at: number): number {
  return ((key << BITS) ^ text.charCodeAt(at)) & (KEYS - 1)
}
