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
