/** Turns observed JSON into expected JSON: the same shape without its values. */

import { parseJson } from '../../ground/json.js'
import type { Dialect } from '../../result.js'
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
  const value = parseJson(body) as Json | undefined
  return value === undefined && body.endsWith('…') ? parseCut(body) : value
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
  return whole === undefined ? undefined : (parseJson(whole) as Json | undefined)
}

/** The part of a dialect about the token. */
export type TokenDialect = Pick<Dialect, 'token'>

const EXAMPLE = 'ExampleToken'

/** The characters of each alphabet, as a class of a regular expression, and an example that shows each of few in turn. */
const ALPHABETS: Record<string, [characters: string, example: string]> = {
  digits: ['0-9', '0123456789'],
  'hex (lower case)': ['0-9a-f', '0123456789abcdef'],
  'hex (upper case)': ['0-9A-F', '0123456789ABCDEF'],
  'letters and digits': ['A-Za-z0-9', EXAMPLE],
  base64url: ['A-Za-z0-9_-', EXAMPLE],
  base64: ['A-Za-z0-9+/', EXAMPLE],
}

/** The form of nearly every bearer token (token68 of RFC 6750): one word in a header. */
const TOKEN68 = '[A-Za-z0-9._~+/-]+=*'
const SENDABLE = '[!-~]+'

/**
 * Makes the anchored pattern of this Core's tokens. Tokens of one alphabet have the observed length. Other tokens, such as
 * JWTs, consist of parts that may grow.
 */
export function tokenPattern({ token }: TokenDialect): string {
  const [characters] = ALPHABETS[token?.alphabet ?? ''] ?? []
  if (!token || !characters) return `^${anyToken({ token })}$`
  // Pact's regular expressions have no lookahead; the last two characters of base64 may be padding.
  return token.alphabet.startsWith('base64') && token.length > 2
    ? `^[${characters}]{${token.length - 2}}[=${characters}]{2}$`
    : `^[${characters}]{${token.length}}$`
}

/** Makes a pattern without a length. The reference does not show the form of a token, so the observed form counts. */
function anyToken({ token }: TokenDialect): string {
  return token?.alphabet === 'other' ? SENDABLE : TOKEN68
}

/** Makes up a token that matches {@link tokenPattern}, the same each time. */
export function exampleToken({ token }: TokenDialect): string {
  const [, letters = EXAMPLE] = ALPHABETS[token?.alphabet ?? ''] ?? []
  const length = token?.length ?? EXAMPLE.length
  return letters.repeat(Math.ceil(length / letters.length)).slice(0, length)
}

/**
 * Makes the matcher for an issued token: a text that is not empty and that a header can carry, as a client needs it. A Core may
 * change the form of its tokens.
 * @param scheme the text that the Core writes before it, with the space
 * @param strict whether the observed length and alphabet are demanded
 * @param inJson whether it is a value of JSON. There a pattern alone would take a number too, which no client reads as a text
 */
export function issuedToken(dialect: TokenDialect, { scheme = '', strict = false, inJson = false } = {}): Template {
  const pattern = strict ? tokenPattern(dialect) : `^${SENDABLE}$`
  const matcher = { 'pact:matcher:type': 'regex', regex: pattern.replace('^', `^${scheme}`) }
  const value = scheme + exampleToken(dialect)
  return inJson ? { 'pact:matcher:type': [{ 'pact:matcher:type': 'type' }, matcher], value } : { ...matcher, value }
}

/** Tells whether a matcher is that of an issued token in JSON. */
export function isTokenInJson(matcher: { [key: string]: Template }): boolean {
  return Array.isArray(matcher['pact:matcher:type'])
}

/** Makes a header that carries any token; at verification the provider state supplies it. */
export function bearerHeader(scheme: string, dialect: TokenDialect): Template {
  return {
    'pact:matcher:type': 'regex',
    regex: `^${scheme} ${anyToken(dialect)}$`,
    value: `${scheme} ${exampleToken(dialect)}`,
    'pact:generator:type': 'ProviderState',
    expression: `${scheme} \${token}`,
  }
}

/** Makes a value that the provider state supplies at verification; the contract holds an example. */
export function fromState(expression: string, example: string): Template {
  return { 'pact:matcher:type': 'type', value: example, 'pact:generator:type': 'ProviderState', expression }
}
