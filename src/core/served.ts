/** Recognises what only an accepted request is served, whatever status it comes with. */
import { createHash } from 'node:crypto'
import { jsonIn } from '../ground/json.js'
import type { WireResponse } from './exchange.js'

/** What a Core serves to a fresh token, as far as it can be recognised. */
export interface Served {
  /** The names of the fields of each kind of record in its lists. */
  records: string[]
  /** A hash of the body; undefined where the body holds no data. */
  body: string | undefined
}

/** Names of fields of a link, which errors have too. */
const LINK = /^(href|rel|url)$/i
/** Deepest nesting that is searched. */
const MAX_DEPTH = 16
/** Longest excerpt of what was served, in characters. */
const EXCERPT = 120

/**
 * Returns what a body serves; undefined where it holds no records and no data.
 * @param others answers that are refused, most likely: where some kinds of records stand in none of them, the others are no records
 *   that are served, but lines or parts that every answer has
 */
export function servedBy(response: WireResponse, others: readonly WireResponse[] = []): Served | undefined {
  const json = jsonIn(response.body)
  const all = kindsOf(json)
  const common = new Set(others.flatMap(({ body }) => kindsOf(jsonIn(body))))
  const own = all.filter(kind => !common.has(kind))
  const records = own.length > 0 ? own : all
  const body = holdsData(json) ? hashOf(response.body) : undefined
  return records.length > 0 || body !== undefined ? { records, body } : undefined
}

/**
 * Returns the beginning of what a response holds of that which a fresh token is served: a record, or the same data; undefined
 * where it holds nothing of that.
 */
export function heldOf(response: WireResponse, { records, body }: Served): string | undefined {
  if (response.body === '') return undefined
  if (records.length > 0) {
    const record = recordsOf(jsonIn(response.body)).find(each => records.includes(namesOf(each)))
    if (record) return JSON.stringify(record).slice(0, EXCERPT)
  }
  return body !== undefined && hashOf(response.body) === body ? response.body.slice(0, EXCERPT) : undefined
}

function kindsOf(json: unknown): string[] {
  return [...new Set(recordsOf(json).map(namesOf))].sort()
}

/** Returns the objects that stand in lists. Links are left out. */
function recordsOf(value: unknown, depth = 0): object[] {
  if (value === null || typeof value !== 'object' || depth > MAX_DEPTH) return []
  const own = Array.isArray(value) ? value.filter(isRecord) : []
  return [...own, ...Object.values(value).flatMap(item => recordsOf(item, depth + 1))]
}

function isRecord(item: unknown): item is object {
  if (item === null || typeof item !== 'object' || Array.isArray(item)) return false
  const names = Object.keys(item)
  return names.length > 1 && !names.some(name => LINK.test(name))
}

function namesOf(record: object): string {
  return Object.keys(record).sort().join(',')
}

/** Whether JSON holds a text or a number. */
function holdsData(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return depth > 0 && value !== ''
  if (typeof value === 'number') return depth > 0
  if (value === null || typeof value !== 'object' || depth > MAX_DEPTH) return false
  return Object.values(value).some(item => holdsData(item, depth + 1))
}

function hashOf(body: string): string {
  return createHash('sha256').update(body).digest('hex')
}
