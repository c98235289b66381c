/** Remembers which variations of a request this Core takes, so that the specs of later phases need not ask again. */
import type { WireRequest } from '../core/exchange.js'
import type { Variation } from '../suite/family.js'

/** The variations that were accepted with a good token. */
export class ShapeBook {
  private readonly known = new Set<string>()
  private readonly found = new Set<string>()

  /** Whether a spec of an earlier phase saw that the Core takes this variation of a request. */
  takes(request: Shaped, variation: Variation): boolean {
    return this.known.has(keyOf(request, variation))
  }

  /** Notes that the Core takes a variation of a request. */
  note(request: Shaped, variation: Variation): void {
    this.found.add(keyOf(request, variation))
  }

  /** Hands on what a phase found. Not before its end: which of its specs comes first is chance, and none may depend on that. */
  turn(): void {
    for (const key of this.found) this.known.add(key)
  }
}

type Shaped = Pick<WireRequest, 'method' | 'path'>

function keyOf({ method, path }: Shaped, { name: _, ...departure }: Variation): string {
  return `${method} ${path} ${JSON.stringify(departure)}`
}
