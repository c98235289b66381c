import type { ErrorObject } from 'ajv'
import { numbered } from '../ground/count.js'
import { grouped } from '../ground/grouped.js'
import { keysOfPointer } from '../ground/json.js'
import { hint, type Miss, nearest, type Path } from './problem.js'

/** Plain words for the types of JSON Schema. */
const TYPES: Record<string, string> = {
  object: 'a mapping (key: value)',
  array: 'a list',
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
}

/**
 * Explains validation errors in plain words, in their order.
 * @param sourceAt returns how a value is written in the file
 */
export function explain(errors: ErrorObject[], sourceAt: (path: Path) => string | undefined): Miss[] {
  const told = new Set<string>()
  const groups = grouped(errors, ({ instancePath }) => instancePath)
  return errors.flatMap(error => {
    const siblings = groups.get(error.instancePath) ?? []
    if (isEcho(error, siblings)) return []
    const path = pathOf(error)
    // A wrong value often misses in several ways (neither text nor one of the choices). One message is enough.
    const about = JSON.stringify([path, isAboutKeys(error) ? error.params : ''])
    if (told.has(about)) return []
    told.add(about)
    const choice = siblings.find(({ keyword }) => keyword === 'enum')
    const telling = choice && !isAboutKeys(error) ? betterOf(error, choice, sourceAt(path)) : error
    return [{ path, message: messageFor(telling, path, sourceAt(path)) }]
  })
}

function isAboutKeys({ keyword }: ErrorObject): boolean {
  return keyword === 'required' || keyword === 'additionalProperties'
}

/** Whether an error only repeats another: the `if` around it, or a missing key that is there, misspelt. */
function isEcho({ keyword, params }: ErrorObject, siblings: ErrorObject[]): boolean {
  if (keyword === 'if' || keyword === 'propertyNames') return true
  return (
    keyword === 'required' &&
    siblings.some(
      other =>
        other.keyword === 'additionalProperties' &&
        nearest(String(other.params.additionalProperty), keysOf(other)) === params.missingProperty,
    )
  )
}

/** Chooses between a wrong type and a wrong choice. The type is worth a message only where quotes would mend it. */
function betterOf(error: ErrorObject, choice: ErrorObject, source: string | undefined): ErrorObject {
  const isPlain = ['string', 'number', 'boolean'].includes(typeof choice.data)
  const quotesMend = typeof choice.data !== 'string' && choices(choice).includes(source ?? '')
  return isPlain && !quotesMend ? choice : error
}

function messageFor(error: ErrorObject, path: Path, source: string | undefined): string {
  const { keyword, params, data } = error
  const what = subject(path)
  switch (keyword) {
    case 'additionalProperties': {
      const key = String(params.additionalProperty)
      return `unknown key '${key}'${hint(key, keysOf(error))}`
    }
    case 'required':
      return `the key '${params.missingProperty}' is missing`
    case 'enum':
      return `'${source ?? String(data)}' is not a valid ${label(path)}${enumHint(error)}`
    case 'type':
      return typeMessage(error, path, source)
    case 'pattern':
      if (data === '' || (typeof data === 'string' && !data.trim())) return `${what} is empty`
      return patternMessage(error, error.propertyName === undefined ? label(path) : 'name', String(data))
    case 'minItems':
      return `${what} needs at least ${numbered(Number(params.limit), 'one item', `${params.limit} items`)}`
    case 'minProperties':
      return `${what} is empty`
    case 'uniqueItems':
      return `'${String((data as unknown[])[params.j])}' stands twice in ${label(path.slice(0, -1))}`
    case 'minimum':
      return `${what} must be at least ${params.limit}, not ${source ?? String(data)}`
    case 'maximum':
      return `${what} must be at most ${params.limit}, not ${source ?? String(data)}`
    default:
      return `${what} ${error.message ?? 'is not valid'}`
  }
}

/** Says what the schema asks for beside its pattern, in words. */
function patternMessage(error: ErrorObject, name: string, value: string): string {
  return `'${value}' is not a valid ${name}: use ${comment(error)}`
}

function typeMessage(error: ErrorObject, path: Path, source: string | undefined): string {
  const { params, data, parentSchema } = error
  const what = subject(path)
  const wanted = [params.type].flat().map(String)
  const words = wanted.map(type => TYPES[type] ?? type).join(' or ')
  if (data === null) {
    const keys = (parentSchema as { required?: string[] } | undefined)?.required
    return keys ? `${what} is empty: it needs ${keys.map(key => `'${key}'`).join(', ')}` : `${what} is empty`
  }
  // Numbers that YAML made from a text, such as a version.
  if (wanted.length === 1 && wanted[0] === 'string' && ['number', 'boolean'].includes(typeof data)) {
    const value = source ?? String(data)
    const { pattern } = (parentSchema ?? {}) as { pattern?: string }
    // Quotes would only lead to the next message: `30` lacks its unit, in quotes too.
    if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) return patternMessage(error, label(path), value)
    return `${what} must be text: put it in quotes, "${value}"`
  }
  const is = Array.isArray(data) ? 'array' : typeof data
  return `${what} must be ${words}, not ${is === 'number' ? data : (TYPES[is] ?? is)}`
}

function enumHint(error: ErrorObject): string {
  const { data } = error
  if (typeof data === 'string' && /^\d{3}$/.test(data)) return '; a status is written without quotes'
  const known = choices(error)
  // Of two choices both are shown: the one that is spelt alike may mean the opposite.
  return known.length === 2 ? `; known: ${known.join(', ')}` : hint(String(data), known)
}

function choices({ params }: ErrorObject): string[] {
  return (params.allowedValues as unknown[]).map(String)
}

function keysOf({ parentSchema }: ErrorObject): string[] {
  return Object.keys((parentSchema as { properties?: object } | undefined)?.properties ?? {})
}

function comment({ parentSchema }: ErrorObject): string {
  return String((parentSchema as { $comment?: string } | undefined)?.$comment ?? 'another form')
}

/** Returns the place of a fault: an unknown key, a wrong name, or the second of two equal items. */
function pathOf({ keyword, instancePath, params, propertyName }: ErrorObject): Path {
  const path: Path = keysOfPointer(instancePath).map(part => (/^\d+$/.test(part) ? Number(part) : part))
  if (keyword === 'additionalProperties') return [...path, String(params.additionalProperty)]
  if (propertyName !== undefined) return [...path, propertyName]
  return keyword === 'uniqueItems' ? [...path, Math.max(Number(params.i), Number(params.j))] : path
}

function label(path: Path): string {
  const key = path.findLast(part => typeof part === 'string')
  if (key === undefined) return 'the file'
  return typeof path.at(-1) === 'number' ? `item of '${key}'` : `'${key}'`
}

function subject(path: Path): string {
  return typeof path.at(-1) === 'number' ? `this ${label(path)}` : label(path)
}
