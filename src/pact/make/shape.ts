/** From the JSON that was seen to the JSON that is asked for: the same shape, with none of its values. */
import type { Template } from '../process/model.js'

/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** What stands for any value of a kind. Real values are data of a Core, and may be names of its users. */
const NEUTRAL = { string: 'text', number: 1, boolean: true }

/**
 * The shape of a JSON value: its fields with their types. Elements of a list are held to what they have in common. A field
 * that was null is left out, since that shows no type.
 * @param special what a text is matched by instead; undefined for its type
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
  // What is told apart stands at its place: a list that holds a token is no list of things of one kind.
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

/** What two values have in common, as a value; null where that is nothing. */
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
  // Texts that differ have no more in common than to be texts.
  return a === b || typeof a !== 'string' ? a : ''
}

/** The JSON of a recorded body; undefined for what is none. Of a body that was cut, what came before the cut. */
export function parseRecorded(body: string): Json | undefined {
  try {
    return JSON.parse(body) as Json
  } catch {
    return body.endsWith('…') ? parseCut(body) : undefined
  }
}

/** JSON that was cut: up to the last element of a list that is whole, with what was open closed. */
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
