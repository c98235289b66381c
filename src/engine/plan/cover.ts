/** Chooses rows: which values of which dimensions meet in one request. Pure. */
import { createHash } from 'node:crypto'

/** How many rows are ordinary for each other one in a rare dimension. */
const ORDINARY = 3

/** Most values that stand in a row. Common servers and proxies take 64 to 100 header fields, of which some values have several. */
const MOST = 40

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
  /** Dimensions whose ordinary value says only that something is not there, by index: it stands where the others meet nothing new. */
  absent: ReadonlySet<number>
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
  const array = new CoveringArray(covering)
  while (array.isOpen) array.add()
  return array.rows
}

/**
 * Rows so far, and what they leave to cover. Each row begins with what no row has yet, and takes of each other dimension the value that meets
 * most others for the first time (a greedy covering array).
 */
class CoveringArray {
  readonly rows: number[][] = []
  /** The values of each dimension, in the order in which they have their turn. */
  private readonly cells: readonly (readonly Cell[])[]
  /** The dimensions, those first that decide how many rows there are. */
  private readonly order: readonly number[]
  /** Dimensions whose values all stand in some row before the last. */
  private readonly leading: readonly number[]
  /** Values that stand in no row yet, by dimension. */
  private readonly unseen: readonly Set<number>[]
  /** Pairs that a row still has to hold. */
  private readonly open = new Map<number, [Cell, Cell]>()
  /** The pairs that stand in some row. */
  private readonly met: Uint8Array
  /** How many values come before those of each dimension, and how many there are: they number the pairs. */
  private readonly before: readonly number[]
  private readonly cellCount: number
  /** In how many rows each dimension departs. */
  private readonly used: number[] = []
  private readonly most: number

  constructor(private readonly how: Covering) {
    const { sizes, always, paired, rare, seed, strength } = how
    const sum = (numbers: readonly number[]) => numbers.reduce((before, each) => before + each, 0)
    this.before = sizes.map((_, dimension) => sum(sizes.slice(0, dimension)))
    this.cellCount = sum(sizes)
    this.met = new Uint8Array(this.cellCount ** 2)
    const dimensions = sizes.map((_, dimension) => dimension)
    this.cells = sizes.map((size, dimension) => {
      // What has to stand in each row comes as its family has it: the telling ones first, should the others not be sent.
      const isAsListed = always.has(dimension) || rare.has(dimension)
      const values = isAsListed
        ? Array.from({ length: size }, (_, value) => value)
        : ordered(size, `${seed} ${dimension}`)
      return values.filter(value => value || !always.has(dimension)).map(value => ({ dimension, value }))
    })
    const isSmall = (dimension: number) => strength === 'pairs' && paired.has(dimension)
    const small = dimensions.filter(isSmall)
    for (const [at, one] of small.entries()) for (const other of small.slice(0, at)) this.openPairs(one, other)
    // What shows in a request that is ordinary in a large dimension, such as one without any token, shows in no other.
    const isLarge = (dimension: number) =>
      !isSmall(dimension) && !always.has(dimension) && this.isTelling({ dimension, value: 0 })
    if (small.length)
      for (const one of dimensions.filter(isLarge))
        for (const other of dimensions) if (other !== one) this.openPairs(one, other, 0)
    const leads = (dimension: number) => (always.size ? always.has(dimension) : !small.includes(dimension))
    this.leading = dimensions.filter(leads)
    this.order = [...new Set([...small, ...always, ...dimensions])].filter(each => !how.absent.has(each))
    this.unseen = this.cells.map(cells => new Set(cells.flatMap(cell => (this.isTelling(cell) ? cell.value : []))))
    this.most = 2 * Math.max(0, ...sizes)
  }

  /** Whether something is left to cover. What clashes with all that has to stand in each row stays so. */
  get isOpen(): boolean {
    const isUnseen = this.leading.some(dimension => this.unseen[dimension]?.size)
    return this.open.size > 0 || (isUnseen && this.rows.length < this.most)
  }

  /** Adds a row. */
  add(): void {
    const row = this.begun()
    for (const dimension of [...this.order, ...this.leastUsed()]) {
      if (row.some(cell => cell.dimension === dimension)) continue
      if (this.how.absent.has(dimension) && row.filter(({ value }) => value).length >= MOST) break
      const possible = this.possible(dimension).filter(cell => row.every(other => this.goTogether(cell, other)))
      const best = possible.reduce<{ cell: Cell; gain: number } | undefined>((before, cell) => {
        const gain = this.gain(cell, row)
        return before && before.gain >= gain ? before : { cell, gain }
      }, undefined)
      if (best) row.push(best.cell)
    }
    this.note(row)
  }

  /** Returns the dimensions of which a row has some only, those first whose values stand in the fewest rows. */
  private leastUsed(): number[] {
    const { how, used } = this
    const part = (dimension: number) => (used[dimension] ?? 0) / Math.max((how.sizes[dimension] ?? 0) - 1, 1)
    return [...how.absent].sort((one, other) => part(one) - part(other))
  }

  /** Returns what a row begins with: a pair that no row has, or a value of the dimension that has most of such. */
  private begun(): Cell[] {
    const next = this.open.values().next()
    if (!next.done) return [...next.value]
    const left = (dimension: number) => this.unseen[dimension]?.size ?? 0
    const most = this.leading.reduce((before, each) => (left(each) > left(before) ? each : before))
    return [this.cells[most]?.find(({ value }) => this.unseen[most]?.has(value)) ?? []].flat()
  }

  /** Returns the values of a dimension that the next row may have, from another one on each time. */
  private possible(dimension: number): Cell[] {
    const { rows, cells, how } = this
    const all = cells[dimension] ?? []
    const isOrdinary = !how.always.has(dimension) && this.isOrdinary(dimension)
    const from = rows.length % Math.max(all.length, 1)
    return isOrdinary ? all.filter(({ value }) => !value) : [...all.slice(from), ...all.slice(0, from)]
  }

  /** Whether the next row is ordinary in a dimension, whatever that would cover. */
  private isOrdinary(dimension: number): boolean {
    const { rows, how, unseen } = this
    const rarity = how.rare.get(dimension)
    if (rarity) return !unseen[dimension]?.size && (rarity === 'dear' || rows.length % (ORDINARY + 1) > 0)
    return (
      !how.isDense && (how.strength === 'values' || !how.paired.has(dimension)) && (rows.length + dimension) % 2 > 0
    )
  }

  /** Returns how much a value adds to a row: most where no row has it yet, else by the pairs that meet for the first time. */
  private gain(cell: Cell, row: readonly Cell[]): number {
    const { unseen, how, met } = this
    if (!this.isTelling(cell)) return 0
    const fresh = row.filter(other => !met[this.pairOf(cell, other)] && this.isTelling(other)).length
    return fresh + (unseen[cell.dimension]?.has(cell.value) ? how.sizes.length : 0)
  }

  private isTelling({ dimension, value }: Cell): boolean {
    return value > 0 || !(this.how.absent.has(dimension) || this.how.rare.has(dimension))
  }

  private note(row: readonly Cell[]): void {
    for (const [at, cell] of row.entries()) {
      this.unseen[cell.dimension]?.delete(cell.value)
      if (cell.value) this.used[cell.dimension] = (this.used[cell.dimension] ?? 0) + 1
      for (const other of row.slice(0, at)) {
        const pair = this.pairOf(cell, other)
        this.met[pair] = 1
        this.open.delete(pair)
      }
    }
    const values = new Map(row.map(({ dimension, value }) => [dimension, value]))
    this.rows.push(this.how.sizes.map((_, dimension) => values.get(dimension) ?? 0))
  }

  private openPairs(one: number, other: number, only?: number): void {
    for (const a of this.cells[one] ?? [])
      for (const b of this.cells[other] ?? [])
        if ((only ?? a.value) === a.value && this.isTelling(b) && this.goTogether(a, b))
          this.open.set(this.pairOf(a, b), [a, b])
  }

  private goTogether(one: Cell, other: Cell): boolean {
    return !one.value || !other.value || !this.how.clash(one, other)
  }

  private pairOf(one: Cell, other: Cell): number {
    const [a, b] = [this.numberOf(one), this.numberOf(other)]
    return Math.max(a, b) * this.cellCount + Math.min(a, b)
  }

  private numberOf({ dimension, value }: Cell): number {
    return (this.before[dimension] ?? 0) + value
  }
}

/** Returns the numbers below one, in an order that depends on a text. */
function ordered(size: number, by: string): number[] {
  const keys = Array.from({ length: size }, (_, index) => createHash('sha256').update(`${by} ${index}`).digest('hex'))
  return keys.map((_, index) => index).sort((a, b) => ((keys[a] ?? '') < (keys[b] ?? '') ? -1 : 1))
}
