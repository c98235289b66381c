/** Makes JSON Schemas and examples from observed bodies. */
import type { Schema } from './document.js'

/** Stands for the token in a body. No result holds the token itself. */
export const TOKEN = Symbol('token')

/** Limit of nesting, and of keys in an object. Beyond it only the type is described: such content is data, not a shape. */
const DEEPEST = 12
const MOST_KEYS = 100
/** Limits of an example: items of a list, characters of a text. They show that a list may be longer, and how texts begin. */
const MOST_ITEMS = 3
const MOST_CHARACTERS = 300

/**
 * Describes the common part of all samples: types, the keys of objects (required where all have them), the items of lists.
 * @param samples parsed JSON, in which {@link TOKEN} may stand; an empty list gives a schema for anything
 * @param token the schema where all samples are the token
 */
export function schemaOf(samples: unknown[], token: Schema, depth = 0): Schema {
  if (samples.length === 0 || depth > DEEPEST) return {}
  if (samples.every(sample => sample === TOKEN)) return { ...token }
  const types = [...new Set(samples.map(typeOf))].filter(
    (type, _, all) => type !== 'integer' || !all.includes('number'),
  )
  const objects = samples.filter(sample => typeOf(sample) === 'object') as Record<string, unknown>[]
  const items = samples.filter(Array.isArray).flat() as unknown[]
  return {
    type: types.length === 1 ? types[0] : types.sort(),
    ...(objects.length > 0 && propertiesOf(objects, token, depth)),
    ...(items.length > 0 && { items: schemaOf(items, token, depth + 1) }),
  }
}

function propertiesOf(objects: Record<string, unknown>[], token: Schema, depth: number): Schema {
  const keys = [...new Set(objects.flatMap(object => Object.keys(object)))].filter(isTellable).sort()
  if (keys.length === 0 || keys.length > MOST_KEYS) return {}
  const required = keys.filter(key => objects.every(object => Object.hasOwn(object, key)))
  const properties = keys.map((key): [string, Schema] => {
    const values = objects.filter(object => Object.hasOwn(object, key)).map(object => object[key])
    return [key, schemaOf(values, token, depth + 1)]
  })
  return { ...(required.length > 0 && { required }), properties: Object.fromEntries(properties) }
}

/** Tells whether a key is safe: some readers of YAML and JSON drop the others or fail on them. */
function isTellable(key: string): boolean {
  return key !== '__proto__'
}

function typeOf(sample: unknown): string {
  if (sample === null) return 'null'
  if (Array.isArray(sample)) return 'array'
  if (typeof sample === 'number') return Number.isInteger(sample) ? 'integer' : 'number'
  return sample === TOKEN ? 'string' : typeof sample
}

/** The words for texts and for the token of a sample in an example. */
export interface Wording {
  /** Replaces {@link TOKEN}. */
  token: string
  text: (text: string) => string
}

/** Makes an example from a sample that satisfies its {@link schemaOf}. Cuts long lists and leaves out deep levels. */
export function exampleOf(sample: unknown, wording: Wording, depth = 0): unknown {
  if (sample === TOKEN) return wording.token
  // JavaScript parses numbers that are too large as infinite.
  if (typeof sample === 'number') return Math.max(-Number.MAX_VALUE, Math.min(sample, Number.MAX_VALUE))
  if (typeof sample === 'string') return wording.text(sample)
  if (Array.isArray(sample)) {
    return depth === DEEPEST ? [] : sample.slice(0, MOST_ITEMS).map(item => exampleOf(item, wording, depth + 1))
  }
  if (typeof sample !== 'object' || sample === null) return sample
  const entries = Object.entries(sample).filter(([key]) => isTellable(key))
  if (entries.length > MOST_KEYS) return {}
  return Object.fromEntries(
    entries.map(([key, value]) => [key, depth === DEEPEST ? null : exampleOf(value, wording, depth + 1)]),
  )
}

/**
 * Returns a short word of letters, or `[text]` for any other text: it may be a secret unknown to the run, such as a refresh
 * token.
 */
export function wordOrPlaceholder(text: string): string {
  return /^[A-Za-z]{0,20}$/.test(text) ? text : '[text]'
}

/** Cuts a text to its beginning. */
export function cut(text: string): string {
  return text.length > MOST_CHARACTERS ? `${Buffer.from(text.slice(0, MOST_CHARACTERS)).toString()}…` : text
}
