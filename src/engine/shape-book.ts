/** Remembers which variations of a request this Core takes, so that the specs of later phases need not ask again. */
import type { Aim } from '../core/exchange.js'
import type { Variation } from '../suite/family.js'

/** The variations that were accepted with a good token. */
export class ShapeBook {
  private readonly known = new Set<string>()
  private readonly found = new Set<string>()
  private readonly refused = new Set<string>()
  /** Variations that some good request was refused with, as an earlier phase knew them, and as they are known now. */
  private readonly oddKnown = new Set<string>()
  private readonly oddFound = new Set<string>()
  /** How many variations stand in one request at the most, as an earlier phase knew it, and as it is known now. */
  private mostKnown = Number.POSITIVE_INFINITY
  private mostFound = Number.POSITIVE_INFINITY

  /** @param whole the book of the run, where this is that of one spec */
  constructor(private readonly whole?: ShapeBook) {}

  /** Whether a spec of an earlier phase saw that the Core takes this variation of a request, or the one whose book this is. */
  takes(request: Shaped, variation: Variation): boolean {
    return this.known.has(keyOf(request, variation)) || (this.whole?.takes(request, variation) ?? false)
  }

  /** Notes that the Core takes a variation of a request. */
  note(request: Shaped, variation: Variation): void {
    const known = this.whole ? this.known : this.found
    known.add(keyOf(request, variation))
    this.whole?.note(request, variation)
  }

  /** Whether the spec whose book this is saw that the Core does not take a variation. */
  refuses(request: Shaped, variation: Variation): boolean {
    return this.refused.has(keyOf(request, variation))
  }

  /** Notes that the Core does not take a variation: for this spec, since another may meet it in another state. */
  refuse(request: Shaped, variation: Variation): void {
    this.refused.add(keyOf(request, variation))
    this.whole?.oddFound.add(departureOf(variation))
  }

  /**
   * Whether a spec of an earlier phase saw a good request refused with this variation, whatever it asked for. What cannot be held against a
   * good request, such as wrong credentials, would be refused for that.
   */
  mayRefuse(variation: Variation): boolean {
    return this.oddKnown.has(departureOf(variation)) || (this.whole?.mayRefuse(variation) ?? false)
  }

  /** How many variations this Core takes in one request. */
  get most(): number {
    return this.whole ? Math.min(this.mostFound, this.whole.most) : this.mostKnown
  }

  /** Notes that the Core takes each of so many variations, and not one more at once. */
  limit(most: number): void {
    this.mostFound = Math.min(this.mostFound, most)
    this.whole?.limit(most)
  }

  /** Hands on what a phase found. Not before its end: which of its specs comes first is chance, and none may depend on that. */
  turn(): void {
    for (const key of this.found) this.known.add(key)
    for (const key of this.oddFound) this.oddKnown.add(key)
    this.mostKnown = this.mostFound
  }
}

type Shaped = Aim

function keyOf({ method, path }: Shaped, variation: Variation): string {
  return `${method} ${path} ${departureOf(variation)}`
}

function departureOf({ name: _, ...departure }: Variation): string {
  return JSON.stringify(departure)
}
