/**
 * The rows of a step that ranges over several families: what each departs by, what was learned, and what they covered. Over 250 lines, since what
 * was learned of a value decides what is left of each row.
 */
import type { Aim, Exchange } from '../../core/exchange.js'
import { count } from '../../ground/count.js'
import { isSafe } from '../../ground/methods.js'
import type { CoverageRecord, RowsRecord } from '../../result.js'
import type { Varying } from '../../suite/family.js'
import type { SendStep } from '../../suite/spec.js'
import type { RunContext } from '../context.js'
import { cover, type Row } from '../plan/cover.js'
import type { ShapeBook } from '../shape-book.js'
import { rowName } from '../variations.js'
import {
  clash,
  dimensionsOf,
  fewest,
  isCarrier,
  isField,
  isOfConnection,
  isOftenRefused,
  isSubject,
  LARGE,
  partsOf,
  type Value,
} from './row-values.js'

/** The rows that were chosen for a step: to choose them takes long, and a run asks for their price before it sends them, twice. */
const chosen = new WeakMap<SendStep, { key: string; rows: Row[] }>()

/** Keeps the rows of one step. */
export class Rows {
  private readonly dimensions: Value[][]
  /** The dimensions whose pairs are counted: a large one's pairs take too many rows, and what comes before a row is dear. */
  private readonly counted: ReadonlySet<Value[]>
  /** Those of them whose pairs are covered, in a run and a step that cover pairs. Those of header fields hardly need it. */
  private readonly paired: ReadonlySet<Value[]>
  /** Values that this Core does not take. */
  private readonly untaken = new Set<Value>()
  /** Values of which one or another is not taken, so that none of them stands beside what the step is about. */
  private readonly aside = new Set<Value>()
  /** Values that a request with a good token was accepted with. */
  private readonly taken = new Set<Value>()
  private readonly found: (readonly Value[])[] = []
  private readonly judged: (readonly Value[])[] = []
  /** What the step ranges over: all dimensions, or the values of its only row. */
  private ranged: readonly (readonly Value[])[]

  /**
   * @param step the step, which ranges over several families
   * @param valuesOf returns the values of a family
   * @param own the request as the step has it
   * @param shapes what specs of earlier phases found out
   */
  constructor(
    private readonly step: SendStep,
    valuesOf: (family: Varying) => Value[],
    private readonly own: Aim,
    private readonly shapes: ShapeBook,
  ) {
    const { dimensions = [], only } = step.each ?? {}
    // Another method would make a logon or a revocation another request.
    const goesWith = ({ listed }: Value) => listed?.method === undefined || isSafe(own.method)
    const isWanted = (value: Value) => (only?.includes(value.name) ?? true) && goesWith(value)
    const families = dimensions.map(valuesOf).map(all => all.filter(isWanted))
    this.dimensions = dimensionsOf(families)
    this.ranged = this.dimensions
    const isSmall = (each: Value[]) => each.length < LARGE && !each.every(isOfConnection)
    this.counted = new Set(this.dimensions.filter(isSmall))
    this.paired = new Set([...this.counted].filter(each => !each.every(isField)))
  }

  /** Whether a value has to stand in each row, or the row would test nothing. */
  isSubject(value: Value): boolean {
    return isSubject(value, this.step)
  }

  /** Returns the rows, by the values that each departs by. */
  plan({ strength: wanted, seed }: RunContext['covering']): Value[][] {
    const { dimensions, step } = this
    const { each } = step
    const strength = each?.isPaired ? wanted : 'values'
    if (each?.only) {
      const row = dimensions.flat()
      // Without a value that this Core does not speak, wrong credentials among them, the row says something else.
      return each.only.every(name => row.some(value => value.name === name)) ? [row] : []
    }
    const at = ({ dimension, value }: { dimension: number; value: number }) => dimensions[dimension]?.[value - 1]
    const indexes = (holds: (each: Value[]) => boolean) => dimensions.flatMap((each, at) => (holds(each) ? [at] : []))
    const costOf = (at: number) => (dimensions[at]?.some(({ listed }) => listed?.after) ? 'dear' : 'rare')
    const choose = () =>
      cover({
        sizes: dimensions.map(({ length }) => length + 1),
        always: new Set(indexes(each => each.every(value => this.isSubject(value)))),
        // Most rows stay on one connection, which then has seen more and more; what comes before a row on it is one more request.
        rare: new Map(indexes(each => each.every(isOfConnection)).map(at => [at, costOf(at)])),
        absent: new Set(indexes(each => each.every(isField))),
        paired: new Set(indexes(each => this.paired.has(each))),
        strength,
        // What must have no effect shows it whatever else is odd, and so does what has to have one in every form.
        isDense: !step.expect.includes('accepted') || each?.row !== undefined,
        seed,
        clash: (one, other) => clash(at(one), at(other)),
      })
    const last = chosen.get(step)
    const key = [strength, seed, ...dimensions.map(each => each.map(({ name }) => name).join())].join(' ')
    const rows = last?.key === key ? last.rows : choose()
    chosen.set(step, { key, rows })
    const all = rows
      .map(row => row.flatMap((value, dimension) => at({ dimension, value }) ?? []))
      .filter(({ length }) => length)
    if (each?.row === undefined) return all
    const one = all.slice(each.row - 1, each.row)
    this.ranged = dimensions.map(values => values.filter(value => one.flat().includes(value)))
    return one
  }

  /** Returns what is left of a row without what the Core does not take, and what is known to miss; undefined where nothing is. */
  left(row: readonly Value[]): Value[] | undefined {
    let left = row.filter(value => this.isPossible(value) && !this.aside.has(value))
    for (const values of this.found) {
      if (!values.length) return undefined
      // Without the last of them, since what stands in place of a token or of credentials comes first.
      if (values.every(value => left.includes(value))) left = left.filter(value => value !== values.at(-1))
    }
    const isSubject = (value: Value) => this.isSubject(value)
    if (left.length > this.shapes.most)
      left = [...left.filter(isSubject), ...left.filter(value => !isSubject(value))].slice(0, this.shapes.most)
    return !left.length || (row.some(isSubject) && !left.some(isSubject)) ? undefined : left
  }

  /**
   * Leaves out what a row departs by beside what the step is about, in all further rows: this Core refuses its form.
   * @returns whether anything is left of it
   */
  setAside(row: readonly Value[]): boolean {
    const beside = row.filter(value => !this.isSubject(value))
    for (const value of beside) this.aside.add(value)
    return beside.length > 0 && beside.length < row.length
  }

  /** Notes a value that the Core does not take. */
  leaveOut(value: Value): void {
    this.untaken.add(value)
    if (value.listed) this.shapes.refuse(this.own, value.listed)
  }

  /**
   * Finds the fewest of a row's values that miss together, and notes them: further rows with them show nothing new.
   * @param first the exchange of the row
   * @param missed sends a row, and returns its exchange where it misses
   * @returns these values with their name, and the exchange that shows them
   */
  async reduce(
    row: readonly Value[],
    first: Exchange,
    missed: (row: readonly Value[]) => Promise<Exchange | undefined>,
  ): Promise<{ values: readonly Value[]; name: string; exchange: Exchange }> {
    let needed = row
    let exchange = first
    // Most faults that show in the first row need nothing odd at all.
    const bare = row.filter(value => this.isSubject(value))
    const plain = await missed(bare)
    if (plain) [needed, exchange] = [bare, plain]
    needed = await fewest(needed, this.step, async fewer => {
      const again = await missed(fewer)
      exchange = again ?? exchange
      return again !== undefined
    })
    this.found.push(needed)
    return { values: needed, name: rowName(needed), exchange }
  }

  /**
   * Finds out which values the Core takes in a request with a good token, and Host: a group in one request, and each half of it
   * where that is not accepted (group testing).
   */
  async prove(
    groups: readonly (readonly Value[])[],
    isTaken: (row: readonly Value[]) => Promise<boolean>,
  ): Promise<void> {
    for (const group of groups) {
      const [first] = group
      if (await isTaken(group)) for (const value of group) this.take(value)
      else if (group.length === 1 && first) this.leaveOut(first)
      else {
        const [half, before] = [group.length >> 1, this.untaken.size]
        await this.prove([group.slice(0, half), group.slice(half)], isTaken)
        if (this.untaken.size === before) this.shapes.limit(half)
      }
    }
  }

  private take(value: Value): void {
    this.taken.add(value)
    if (value.listed) this.shapes.note(this.own, value.listed)
  }

  private isPossible(value: Value): boolean {
    const { shapes, own } = this
    const { listed } = value
    // A logon or a revocation that should be refused has no good twin.
    const hasNoTwin = !isSafe(own.method) && isOftenRefused(value)
    const isRefused = listed && (shapes.refuses(own, listed) || (hasNoTwin && shapes.mayRefuse(listed)))
    return !this.untaken.has(value) && !isRefused
  }

  /** Notes a row that was judged. */
  judge(row: readonly Value[]): void {
    this.judged.push(row)
  }

  /** Returns the values of a row of which nobody knows yet whether the Core takes them. */
  unproven(row: readonly Value[]): Value[] {
    const isKnown = (value: Value) => value.listed !== undefined && this.shapes.takes(this.own, value.listed)
    return row.filter(value => !this.taken.has(value) && this.isPossible(value) && isShape(value) && !isKnown(value))
  }

  /** Returns the values of these rows that are to be proven, in groups that can stand in one request. */
  groups(rows: readonly (readonly Value[])[]): Value[][] {
    const groups: Value[][] = []
    const planned = new Set(rows.flat())
    // As many as stand in a row: what a Core takes one by one, it need not take at once.
    const most = Math.max(...rows.map(({ length }) => length))
    for (const value of this.unproven(this.dimensions.flat().filter(each => planned.has(each)))) {
      const fits = (group: readonly Value[]) => group.length < most && !group.some(other => clash(value, other))
      const isOpen = ([first]: readonly Value[]) => first !== undefined && !isOftenRefused(first)
      const group = isOftenRefused(value) ? undefined : groups.find(each => isOpen(each) && fits(each))
      if (group) group.push(value)
      else groups.push([value])
    }
    return groups
  }

  /** Says what was covered: `; 64 of 64 variations and 1022 of 1900 pairs of them were judged`. */
  told({ variations, pairs }: CoverageRecord): string {
    const untaken = this.dimensions
      .flat()
      .filter(value => !this.isPossible(value))
      .map(({ name }) => name)
      .sort()
    const left = untaken.length ? `; this Core does not take ${untaken.join(', ')}` : ''
    const judged = `${variations.judged} of ${count(variations.of, 'variation')} and ${pairs.judged} of ${count(pairs.of, 'pair')} of them`
    return `; ${judged} were judged${left}`
  }

  /** Returns what was judged, of what. Large dimensions have no pairs. @param judged the rows; absent: those that were noted */
  record(judged: readonly (readonly Value[])[] = this.judged): RowsRecord {
    const { dimensions, counted, ranged } = this
    const values = ranged.flat()
    const numbers = new Map(values.map((value, at) => [value, at]))
    return {
      dimensions: ranged.map((each, at) => ({
        variations: each.map(value => ({ name: value.name, needs: [...partsOf(value)] })),
        ...(counted.has(dimensions[at] ?? []) && { isPaired: true as const }),
      })),
      judged: judged.map(row => row.flatMap(value => numbers.get(value) ?? [])),
      untaken: values.flatMap((value, at) => (this.isPossible(value) ? [] : at)),
    }
  }
}

/** Whether a value changes the form of a request, and not only its token, or the connection that it is sent on. */
function isShape(value: Value): boolean {
  const { connection, pipelined, after, method = 'GET' } = value.listed ?? {}
  return !isCarrier(value) && connection === undefined && !pipelined && !after && isSafe(method)
}
