/** How much of what requests may differ in was judged: read from rows, added up, and in words. */
import { count } from '../ground/count.js'
import type { CoverageRecord, Covered, RowsRecord, VariationRecord } from './requirement-record.js'

/** So much of what is not covered is told. */
const MOST_NEXT = 3

/**
 * So many variations of a step have their pairs and triples counted, the first ones: steps of the suite have a quarter of them, and a
 * file that names thousands would take gigabytes.
 */
const MOST_PAIRED = 400

/** A variation of a step, as the records of all runs know it. */
interface Cell extends VariationRecord {
  /** Its dimension, by number. */
  dimension: number
  isPaired: boolean
  /** Whether some Core took it. */
  isTaken: boolean
}

/** Counts what the rows of one step covered, in one run or in several: all that was judged in any of them counts. */
export function coverageOf(records: readonly RowsRecord[]): CoverageRecord {
  const { cells, rows } = joined(records)
  const judged = new Set(rows.flat())
  const able = cells.filter(({ isTaken }) => isTaken)
  const paired = able.filter(({ isPaired }) => isPaired).slice(0, MOST_PAIRED)
  const together = paired.map((one, at) => paired.slice(0, at).map(other => goTogether(one, other)))
  const numbers = new Map(paired.map((cell, at) => [cell, at]))
  // The pairs and triples that stood in some row, each by its numbers, the highest first.
  const size = paired.length
  const [pairsMet, triplesMet] = [new Uint8Array(size ** 2), new Uint8Array(size ** 3)]
  for (const row of rows) {
    const own = [...new Set(row.flatMap(cell => numbers.get(cell) ?? []))].sort((a, b) => b - a)
    for (const [at, a] of own.entries())
      for (const [next, b] of own.slice(at + 1).entries()) {
        const pair = a * size + b
        pairsMet[pair] = 1
        for (const c of own.slice(at + next + 2)) triplesMet[pair * size + c] = 1
      }
  }
  const open = able.flatMap(cell => (judged.has(cell) ? [] : [[cell.name]]))
  let [pairs, triples] = [0, 0]
  for (const [a, others] of together.entries())
    for (const [b, mayMeet] of others.entries()) {
      if (!mayMeet) continue
      pairs++
      if (!pairsMet[a * size + b] && open.length < MOST_NEXT)
        open.push([paired[b], paired[a]].flatMap(cell => cell?.name ?? []))
      for (let c = 0; c < b; c++) if (others[c] && together[b]?.[c]) triples++
    }
  return {
    variations: { judged: able.filter(cell => judged.has(cell)).length, of: able.length },
    pairs: { judged: sumOf(pairsMet), of: pairs },
    triples: { judged: sumOf(triplesMet), of: triples },
    next: open.slice(0, MOST_NEXT),
  }
}

/** Counts what was met. */
function sumOf(met: Uint8Array): number {
  let sum = 0
  for (let at = 0; at < met.length; at++) sum += met[at] ?? 0
  return sum
}

/** Joins the records of several runs: variations are the same by their names. */
function joined(records: readonly RowsRecord[]): { cells: Cell[]; rows: Cell[][] } {
  const cells = new Map<string, Cell>()
  const rows: Cell[][] = []
  for (const { dimensions, judged, untaken } of records) {
    const numbered = dimensions.flatMap(({ variations, isPaired = false }) => {
      const known = variations.map(({ name }) => cells.get(name)).find(cell => cell !== undefined)
      const dimension = known?.dimension ?? cells.size
      return variations.map(variation => {
        const cell = cells.get(variation.name) ?? { ...variation, dimension, isPaired, isTaken: false }
        cells.set(cell.name, cell)
        return cell
      })
    })
    const left = new Set(untaken)
    for (const [at, cell] of numbered.entries()) cell.isTaken ||= !left.has(at)
    rows.push(...judged.map(row => row.flatMap(at => numbered[at] ?? [])))
  }
  return { cells: [...cells.values()], rows }
}

function goTogether(one: Cell, other: Cell): boolean {
  return one.dimension !== other.dimension && !one.needs.some(part => other.needs.includes(part))
}

/** Adds up what several steps covered; undefined for none. */
export function addCoverage(all: readonly CoverageRecord[]): CoverageRecord | undefined {
  if (!all.length) return undefined
  const of = (part: 'variations' | 'pairs' | 'triples'): Covered => ({
    judged: all.reduce((sum, each) => sum + (each[part]?.judged ?? 0), 0),
    of: all.reduce((sum, each) => sum + (each[part]?.of ?? 0), 0),
  })
  const open = new Map(all.flatMap(({ next = [] }) => next.map(names => [names.join(), names])))
  const next = [...open.values()].sort((a, b) => a.length - b.length).slice(0, MOST_NEXT)
  return { variations: of('variations'), pairs: of('pairs'), triples: of('triples'), next }
}

/** Says what was covered: `412 of 412 variations of requests, 5121 of 5200 pairs of them, and 9 % of all triples`. */
export function coverageText({ variations, pairs, triples }: CoverageRecord): string {
  const part = triples?.of ? `, and ${Math.floor((100 * triples.judged) / triples.of)} % of all triples` : ''
  return `${variations.judged} of ${count(variations.of, 'variation')} of requests, ${pairs.judged} of ${count(pairs.of, 'pair')} of them${part}`
}
