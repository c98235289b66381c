/** Remembers what has met in a request, so that further requests bring other things together. */

/** Counts the pairs that met, apart for each kind of request: what is let in without a token need not be with one. */
export class Met {
  private readonly ids = new Map<string, number>()
  private readonly kinds = new Map<string, Set<number>>()

  /** Returns how many of these would meet this one for the first time in a request of that kind. */
  fresh(kind: string, one: string, others: readonly string[]): number {
    const pairs = this.kinds.get(kind)
    if (!pairs) return others.length
    const id = this.id(one)
    return others.reduce((count, other) => count + Number(!pairs.has(pairOf(id, this.id(other)))), 0)
  }

  /** Notes that all of these met in a request of that kind. */
  note(kind: string, all: readonly string[]): void {
    const pairs = this.kinds.get(kind) ?? new Set()
    this.kinds.set(kind, pairs)
    const ids = all.map(each => this.id(each))
    for (const [at, id] of ids.entries()) for (const other of ids.slice(0, at)) pairs.add(pairOf(id, other))
  }

  private id(name: string): number {
    const id = this.ids.get(name) ?? this.ids.size
    this.ids.set(name, id)
    return id
  }
}

/** More things than a run has names for. */
const MOST = 2 ** 20

function pairOf(one: number, other: number): number {
  return Math.max(one, other) * MOST + Math.min(one, other)
}
