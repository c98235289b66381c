/** Turns observed JSON into expected JSON: the same shape without its values. */
import type { Template } from '../process/model.js'

/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** A neutral value for each type. Real values are data of a Core, and may be names of its users. */
const NEUTRAL = { string: 'text', number: 1, boolean: true }

/**
 * Makes the shape of a JSON value: its fields with their types. The elements of a list are reduced to their common part. A null
 * field is left out, since it shows no type.
 * @param special the matcher of a text; undefined to match its type only
 * @returns undefined where the value shows no shape
 */
export function shapeOf(
  value: Json,
  special: (text: string) => Template | undefined = () => undefined,
): Template | undefined {
  if (value === null) return undefined
  if (Array.isArray(value)) return listShape(value, special)
  if (typeof value === 'object') {
    const fields = Object.entries(value).flatMap(([key, item]): [string, Template][] => {
      const shape = shapeOf(item, special)
      return shape === undefined ? [] : [[key, shape]]
    })
    return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)))
  }
  if (typeof value === 'string') return special(value) ?? { 'pact:matcher:type': 'type', value: NEUTRAL.string }
  if (typeof value === 'number') return { 'pact:matcher:type': 'number', value: NEUTRAL.number }
  return { 'pact:matcher:type': 'type', value: NEUTRAL.boolean }
}

function listShape(items: Json[], special: (text: string) => Template | undefined): Template {
  // A list with a token is not a list of equal things: its elements keep their places.
  if (items.some(item => holdsSpecial(item, special))) return items.map(item => shapeOf(item, special) ?? null)
  const [first = null, ...others] = items
  const element = shapeOf(others.reduce(inCommon, first), special)
  if (element === undefined) return { 'pact:matcher:type': 'type', value: [] }
  return { 'pact:matcher:type': 'type', min: 1, value: [element] }
}

function holdsSpecial(value: Json, special: (text: string) => Template | undefined): boolean {
  if (typeof value === 'string') return special(value) !== undefined
  return value !== null && typeof value === 'object' && Object.values(value).some(item => holdsSpecial(item, special))
}

/** Returns the common part of two values; null where they have nothing in common. */
function inCommon(a: Json, b: Json): Json {
  if (a === null || b === null || typeof a !== typeof b || Array.isArray(a) !== Array.isArray(b)) return null
  if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b]
  if (typeof a === 'object' && typeof b === 'object') {
    const other = b as { [key: string]: Json }
    return Object.fromEntries(
      Object.entries(a).flatMap(([key, value]) =>
        Object.hasOwn(other, key) ? [[key, inCommon(value, other[key] ?? null)]] : [],
      ),
    )
  }
  // Different texts share only their type.
  return a === b || typeof a !== 'string' ? a : ''
}

/** Parses the JSON of a recorded body; undefined when it is not JSON. Of a cut body, parses the part before the cut. */
export function parseRecorded(body: string): Json | undefined {
  try {
    return JSON.parse(body) as Json
  } catch {
    return body.endsWith('…') ? parseCut(body) : undefined
  }
}

/** Parses cut JSON up to the last complete element of a list, and closes all open brackets. */
function parseCut(text: string): Json | undefined {
  const open: string[] = []
  let whole: string | undefined
  let inText = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    if (inText) {
      if (character === '\\') at++
      else if (character === '"') inText = false
    } else if (character === '"') inText = true
    else if (character === '[' || character === '{') open.push(character === '[' ? ']' : '}')
    else if (character === ']' || character === '}') open.pop()
    else if (character === ',' && open.at(-1) === ']') whole = text.slice(0, at) + [...open].reverse().join('')
  }
  try {
    return whole === undefined ? undefined : (JSON.parse(whole) as Json)
  } catch {
    return undefined
  }
}
