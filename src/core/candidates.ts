import { decoded } from '../ground/decoded.js'
import { jsonOf, jsonTextsIn, keysOfPointer } from '../ground/json.js'
import { SENDABLE, TOKEN68 } from './token.js'

/** The parts of a logon response that may hold a token. */
export interface Holder {
  headers: readonly (readonly [name: string, value: string])[]
  body: string
}

/** A string of a logon response that might be the token. */
export interface Candidate {
  /**
   * Place of the string: a JSON Pointer (RFC 6901) into the body, `` for all of it; `header:` and a name in lower case;
   * or `cookie:` and the name of a cookie.
   */
  pointer: string
  value: string
}

const HEADER = 'header:'
const COOKIE = 'cookie:'
const MAX_LEAVES = 1000
/**
 * Least digits of a token in a field without a telling name. Fewer digits are a time span, a size or an id; times have
 * 10 or 13.
 */
const LEAST_DIGITS = 14
/** The same where nothing else may be the token: enough for the numbers of small devices, too many for a status or a time span. */
const FEWEST_DIGITS = 6

/**
 * Finds the strings of a logon response that could stand in an Authorization header, likeliest first: by the name of
 * the field, then by length. Headers count only where their names suggest a token. Cookies all count: their names can
 * be anything, and cookies are few.
 * @param place of the token as the user gave it: pointer, field, header or cookie; undefined: anywhere
 */
export function candidates(holder: Holder, place?: string): Candidate[] {
  const likely = candidatesOf(holder, place, LEAST_DIGITS)
  return likely.length > 0 ? likely : candidatesOf(holder, place, FEWEST_DIGITS)
}

function candidatesOf({ headers, body }: Holder, place: string | undefined, leastDigits: number): Candidate[] {
  const inBody = leavesOf(body)
    .filter(({ pointer, text, isNumber }) => !isNumber || nameScore(pointer) >= 2 || text.length >= leastDigits)
    .map(({ pointer, text }) => ({ pointer, value: bare(text) }))
  const inHeaders = headers
    .map(([name, value]) => ({ pointer: HEADER + name.toLowerCase(), value: bare(value) }))
    .filter(({ pointer }) => nameScore(pointer) >= 2)
  const inCookies = cookiesOf(headers).map(([name, value]) => ({ pointer: COOKIE + name, value }))
  return [...inBody, ...inHeaders, ...inCookies]
    .filter(({ pointer, value }) => mayBeToken(value) && (place === undefined || isNamed(pointer, place)))
    .map((candidate, index) => ({ candidate, index, score: score(candidate) }))
    .sort((a, b) => b.score - a.score || b.candidate.value.length - a.candidate.value.length || a.index - b.index)
    .map(({ candidate }) => candidate)
}

function isNamed(pointer: string, name: string): boolean {
  return (
    [name, HEADER + name.toLowerCase(), COOKIE + name].includes(pointer) ||
    (pointer.startsWith('/') && pointer.endsWith(`/${name}`))
  )
}

/** What stands in the place of a token that there is not, or that is not told: `0000000000000000`, `****-ab12`. */
const MASKED = /^0{8,}$|\*{4}/

/** Whether a string can be a token: it can be sent, and is no mask. */
export function mayBeToken(value: string): boolean {
  return SENDABLE.test(value) && !MASKED.test(value)
}

/** Whether the name of a place tells that a token stands there. */
export function isTelling(pointer: string): boolean {
  return nameScore(pointer) >= 3
}

/** Returns the string at a {@link Candidate.pointer}, without a scheme before it; undefined where there is none. */
export function stringAt({ headers, body }: Holder, pointer: string): string | undefined {
  if (pointer.startsWith(COOKIE)) {
    // The last cookie of a name counts, as in a browser (RFC 6265 5.3).
    return cookiesOf(headers).findLast(([name]) => COOKIE + name === pointer)?.[1]
  }
  const value = pointer.startsWith(HEADER)
    ? headers.find(([name]) => HEADER + name.toLowerCase() === pointer)?.[1]
    : leafAt(body, pointer)
  return value === undefined ? undefined : bare(value)
}

/**
 * Returns the cookies that a response sets, decoded, without quotes or a scheme. Cookies that it deletes are left out.
 */
function cookiesOf(headers: Holder['headers']): [name: string, value: string][] {
  return headers
    .filter(([name]) => name.toLowerCase() === 'set-cookie')
    .flatMap(([, line]): [string, string][] => {
      const [, name, quoted] = /^\s*([^=;\s]+)\s*=\s*([^;]*)/.exec(line) ?? []
      const value = bare(decoded(quoted?.trim().replace(/^"(.*)"$/, '$1') ?? ''))
      return name === undefined || value === '' ? [] : [[name, value]]
    })
}

/**
 * Rates how likely a string is the token. A string that is no token68 is more often a time or an address. A field is
 * more often the token than a header.
 */
function score({ pointer, value }: Candidate): number {
  const named = nameScore(pointer)
  if (pointer.startsWith(HEADER)) return named - 0.5
  // A cookie of a web page often comes with the token, and seldom is the token.
  if (pointer.startsWith(COOKIE)) return named > 0 ? named - 0.75 : 0.5
  return named > 0 ? named : value.length >= 16 && TOKEN68.test(value) ? 1 : 0
}

function nameScore(pointer: string): number {
  const name = pointer
    .slice(Math.max(pointer.lastIndexOf('/'), pointer.lastIndexOf(':')) + 1)
    .replaceAll(/[^A-Za-z]/g, '')
    .toLowerCase()
  if (/^(token|bearer|bearertoken|accesstoken|authtoken|apitoken)$/.test(name)) return 4
  if (/token|bearer/.test(name) && !/type|refresh|csrf|xsrf|expir/.test(name)) return 3
  return /^(jwt|key|apikey|session|sessionid|sid|secret|auth|authorization|credential)$/.test(name) ? 2 : 0
}

/** A body that is nothing but a token: no word such as `Created`, and no part of JSON or of a page. */
const TOKEN_TEXT = /^[^"'<>{}[\],;]{12,}$/
/** A JSON string or number, as it is written. */
const JSON_LEAF = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g
/** Key that holds the digits of a number; no JSON of a Core has it. */
const DIGITS = '\u0000digits'
/** Deepest nesting that is searched. No Core nests a token deeper, and a body may consist of brackets only. */
const MAX_DEPTH = 64

/** A string of a body, or the digits of a whole number. A `number` could not hold more than 15 digits exactly. */
interface Leaf {
  /** JSON Pointer (RFC 6901), `` for the whole body. */
  pointer: string
  text: string
  isNumber: boolean
}

/**
 * Returns the strings and whole numbers of a body, in their order.
 * @param body JSON, XML, lines or a form of `name=value`, or a text of one word, such as a bare token
 */
function leavesOf(body: string): Leaf[] {
  const found: Leaf[] = []
  const collect = (value: unknown, pointer: string, depth: number) => {
    if (found.length >= MAX_LEAVES || depth > MAX_DEPTH) return
    const digits = digitsOf(value)
    // Some Cores write JSON into a string of their JSON.
    const inner = typeof value === 'string' && /^\s*[{[]/.test(value) ? contentOf(value) : undefined
    if (inner) collect(inner, pointer, depth + 1)
    else if (typeof value === 'string') found.push({ pointer, text: value, isNumber: false })
    else if (digits !== undefined) found.push({ pointer, text: digits, isNumber: true })
    else if (value && typeof value === 'object')
      for (const [key, item] of Object.entries(value))
        collect(item, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, depth + 1)
  }
  collect(contentOf(body), '', 0)
  return found
}

/** Returns the string, or the digits of the number, at a JSON Pointer of a body; undefined where there is neither. */
function leafAt(body: string, pointer: string): string | undefined {
  let value = contentOf(body)
  for (const part of keysOfPointer(pointer)) {
    if (typeof value === 'string') value = contentOf(value)
    if (!value || typeof value !== 'object') return undefined
    value = (value as Record<string, unknown>)[part]
  }
  return typeof value === 'string' ? value : digitsOf(value)
}

/** Removes the scheme that some Cores write before a token. */
function bare(value: string): string {
  return value.replace(/^bearer +/i, '')
}

/** Returns the digits of a whole number that is not below 0; undefined for anything else. */
function digitsOf(value: unknown): string | undefined {
  if (!value || typeof value !== 'object' || !Object.hasOwn(value, DIGITS)) return undefined
  const digits = (value as Record<string, unknown>)[DIGITS]
  return typeof digits === 'string' && /^\d+$/.test(digits) ? digits : undefined
}

/** An element of XML with nothing but text in it, and the attributes of any element. */
const XML_TEXT = /<([\w.:-]+)(?:\s[^<>]*)?>([^<>]+)<\/\1\s*>/g
const XML_ATTRIBUTE = /\s([\w.:-]+)\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)')/g
/** A line, or a part of a form. */
const PAIR = /^\s*["']?([\w.-]+)["']?\s*[=:]\s*["']?([^\s"']+)["']?\s*$/

/** The beginning of a page for people. */
const PAGE = /^\s*<(!doctype html|html)\b/i

/** The name of a token. */
const TOKEN_NAME = /token|bearer|session|ticket|jwt|key|auth/i

/** Whether a word names its token; any other that looks like a pair may be a token with such a character. */
function namesToken(word: string): boolean {
  return word.split('&').some(part => {
    const [, name = '', value = ''] = PAIR.exec(part) ?? []
    return TOKEN_NAME.test(name) && TOKEN_TEXT.test(value)
  })
}

/** Returns the texts and attributes of XML, or the values of lines or a form, by their names; the first of each counts. */
function namedIn(text: string): Record<string, string> | undefined {
  if (PAGE.test(text)) return undefined
  const pairs: [string, string][] = /^\s*</.test(text)
    ? [
        ...[...text.matchAll(XML_TEXT)].map(([, name = '', value = '']): [string, string] => [name, value.trim()]),
        ...[...text.matchAll(XML_ATTRIBUTE)].map(([, name = '', one, two = '']): [string, string] => [
          name,
          one ?? two,
        ]),
      ]
    : text.split(/[&\r\n]+/).flatMap((part): [string, string][] => {
        const [, name, value] = PAIR.exec(part) ?? []
        return name === undefined || value === undefined ? [] : [[name, decoded(value)]]
      })
  const long = pairs.filter(([, value]) => TOKEN_TEXT.test(value))
  return long.length ? Object.fromEntries(long.reverse()) : undefined
}

/**
 * Parses JSON, or what JSON stands in a text, with each number as an object that holds its digits. Returns a text of one word as it
 * is, what other texts name by its name, else undefined.
 */
function contentOf(body: string): unknown {
  if (jsonOf(body) !== undefined) return withDigits(body)
  const word = body.trim()
  if (TOKEN_TEXT.test(bare(word)) && SENDABLE.test(bare(word)) && !namesToken(word)) return word
  const parts = jsonTextsIn(body).map(withDigits)
  return parts.length > 1 ? parts : (parts[0] ?? namedIn(body))
}

function withDigits(json: string): unknown {
  return jsonOf(json.replace(JSON_LEAF, leaf => (leaf.startsWith('"') ? leaf : JSON.stringify({ [DIGITS]: leaf }))))
}
