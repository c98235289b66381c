/** So many different keys: 8 KB, which stay in the cache of a processor; a hundred Cores have a table each. */
const KEYS = 2 ** 16
/** By so many bits each further character moves those before it, so that the key is of the last four. */
const BITS = 4

/**
 * Finds where in a text one of thousands of forms may begin. Most places are passed by with a look at a table of bits by a key of
 * their characters, since a run looks through megabytes; the others are looked up.
 */
export class Starts {
  private readonly starts = new Set<string>()
  private readonly seen = new Uint32Array(KEYS / 32)

  /** @param length how many characters a start has, at most four */
  constructor(private readonly length: number) {}

  /** @param form of at least that length */
  add(form: string): void {
    const start = form.slice(0, this.length)
    let key = 0
    for (let at = 0; at < start.length; at++) key = withNext(key, start, at)
    this.seen[key >> 5] = (this.seen[key >> 5] ?? 0) | (1 << (key & 31))
    this.starts.add(start)
  }

  /** The first place from `from` on where one begins; -1 where there is none. */
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

function withNext(key: number, text: string, at: number): number {
  return ((key << BITS) ^ text.charCodeAt(at)) & (KEYS - 1)
}
