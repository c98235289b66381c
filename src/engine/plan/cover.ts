/** Chooses rows: which values of which dimensions meet in one request. Pure. */
import { createHash } from 'node:crypto'

/** How many rows are ordinary for each other one in a rare dimension. */
const ORDINARY = 3

/** The value of each dimension in one request, by its index; 0 is the ordinary one. */
export type Row = readonly number[]

/** What rows have to cover. */
export interface Covering {
  /** How many values each dimension has, the ordinary one included. */
  sizes: readonly number[]
  /** Dimensions whose ordinary value stands in no row, by index. */
  always: ReadonlySet<number>
  /**
   * Dimensions that are ordinary in most rows, by index: each of their values stands in one of the first rows, and then in further
   * ones now and then, or in none, where they are dear.
   */
  rare: ReadonlyMap<number, 'rare' | 'dear'>
  /** Dimensions whose pairs are covered, by index. */
  paired: ReadonlySet<number>
  /** `values`: each value stands in some row. `pairs`: so does each pair of values of paired dimensions. */
  strength: 'values' | 'pairs'
  seed: number
  /** Whether every row departs in as many ways as it can. Else every other value of a row is the ordinary one. */
  isDense: boolean
  /** Whether two values cannot stand in one request. Dimensions and values by index. */
  clash: (one: Cell, other: Cell) => boolean
}

/** A value of a dimension, both by index. */
export interface Cell {
  dimension: number
  value: number
}

/** Returns the rows, the same ones each time. */
export function cover(covering: Covering): Row[] {
  const { sizes, strength } = covering
  const isSmall = (dimension: number) => strength === 'pairs' && covering.paired.has(dimension)
  const small = sizes.flatMap((_, dimension) => (isSmall(dimension) ? [dimension] : []))
  const isRare = (row: readonly number[]) => small.some((dimension, at) => row[at] && covering.rare.has(dimension))
  const array = small.length > 1 ? pairs(small, covering).sort((a, b) => Number(isRare(b)) - Number(isRare(a))) : []
  const largest = sizes.indexOf(Math.max(...sizes))
  // A family that stands in each row decides how many there are: the others go along, in as many of them as they need.
  const leading = Math.max(0, ...[...covering.always].map(dimension => (sizes[dimension] ?? 0) - 1))
  const sparse = (size: number) => Math.max(1, Math.min(size - 1, leading ? leading - size + 1 : size))
  const dealers = sizes.map(
    (size, dimension) =>
      new Dealer(size, {
        dimension,
        seed: covering.seed,
        ordinary: covering.always.has(dimension) ? 0 : covering.isDense || dimension === largest ? 1 : sparse(size),
        rare: covering.rare.get(dimension),
      }),
  )
  const rows: number[][] = []
  const counts = (dimension: number) =>
    leading ? covering.always.has(dimension) : !(array.length && isSmall(dimension))
  const isOpen = () => dealers.some((dealer, dimension) => !dealer.isThrough && counts(dimension))
  const most = Math.max(array.length, 2 * Math.max(0, ...sizes))
  while (rows.length < array.length || (isOpen() && rows.length < most)) {
    const paired = array[rows.length]
    const row = sizes.map(() => 0)
    if (paired) for (const [index, dimension] of small.entries()) row[dimension] = paired[index] ?? 0
    for (const [dimension, dealer] of dealers.entries()) {
      if (paired && isSmall(dimension)) continue
      const goesTogether = (value: number) =>
        row.every((other, at) => !other || !covering.clash({ dimension, value }, { dimension: at, value: other }))
      row[dimension] = dealer.deal(goesTogether)
    }
    rows.push(row)
  }
  return rows
}

/**
 * Returns rows over some dimensions in which each pair of their values meets that can: each row begins with a pair that has not
 * met, and takes of each other dimension the value that meets most others for the first time (a greedy covering array).
 */
function pairs(dimensions: readonly number[], { sizes, seed, clash }: Covering): number[][] {
  const cells = dimensions.map(dimension =>
    ordered(sizes[dimension] ?? 0, `${seed} ${dimension}`).map(value => ({ dimension, value })),
  )
  const goTogether = (one: Cell, other: Cell) => !one.value || !other.value || !clash(one, other)
  const open = new Map<string, [Cell, Cell]>()
  for (const [at, ones] of cells.entries())
    for (const others of cells.slice(0, at))
      for (const one of ones)
        for (const other of others) if (goTogether(one, other)) open.set(pairOf(one, other), [one, other])
  const rows: number[][] = []
  for (let first = open.values().next(); !first.done; first = open.values().next()) {
    const row: Cell[] = [...first.value]
    for (const each of cells) {
      if (row.some(({ dimension }) => dimension === each[0]?.dimension)) continue
      const possible = each.filter(cell => row.every(other => goTogether(cell, other)))
      const meets = (cell: Cell) => row.filter(other => open.has(pairOf(cell, other))).length
      row.push(possible.reduce((best, cell) => (meets(cell) > meets(best) ? cell : best)))
    }
    for (const [at, cell] of row.entries()) for (const other of row.slice(0, at)) open.delete(pairOf(cell, other))
    rows.push(dimensions.map(wanted => row.find(({ dimension }) => dimension === wanted)?.value ?? 0))
  }
  return rows
}

function pairOf(one: Cell, other: Cell): string {
  const [a, b] = one.dimension < other.dimension ? [one, other] : [other, one]
  return `${a.dimension} ${a.value} ${b.dimension} ${b.value}`
}

/** Returns the numbers below one, in an order that depends on a text. */
function ordered(size: number, by: string): number[] {
  const keys = Array.from({ length: size }, (_, index) => createHash('sha256').update(`${by} ${index}`).digest('hex'))
  return keys.map((_, index) => index).sort((a, b) => ((keys[a] ?? '') < (keys[b] ?? '') ? -1 : 1))
}

/**
 * Deals out the values of a dimension: each once, in an order by the seed, then in another one. The ordinary value is among them
 * more than once: some faults show only where most of a request is ordinary.
 */
class Dealer {
  private readonly waiting: number[] = []
  private round = 0
  private readonly open: Set<number>

  constructor(
    private readonly size: number,
    private readonly how: { dimension: number; seed: number; ordinary: number; rare: 'rare' | 'dear' | undefined },
  ) {
    this.open = new Set(Array.from({ length: size }, (_, value) => value))
    if (!how.ordinary) this.open.delete(0)
  }

  /** Whether each value was dealt. */
  get isThrough(): boolean {
    return this.open.size === 0
  }

  /** Returns the next value that goes together with the rest of its row; 0 where none does. */
  deal(goesTogether: (value: number) => boolean): number {
    if (!this.waiting.length) {
      const { size, how } = this
      if (how.rare === 'dear' && this.round) {
        this.open.delete(0)
        return 0
      }
      // What has to stand in each row comes as its family has it: the telling ones first, should the others not be sent.
      const isAsListed = !this.round && (how.rare !== undefined || !how.ordinary)
      const ordinary = how.rare ? ORDINARY * (size - 1) : how.ordinary
      const all = isAsListed
        ? Array.from({ length: size - 1 }, (_, index) => index)
        : ordered(size - 1 + ordinary, `${how.seed} ${how.dimension} ${this.round}`)
      this.waiting.push(...all.map(index => (index + 1 < size ? index + 1 : 0)))
      this.round++
    }
    const at = this.waiting.findIndex(value => value === 0 || goesTogether(value))
    const [value = 0] = at < 0 ? [] : this.waiting.splice(at, 1)
    this.open.delete(value)
    return value
  }
}
