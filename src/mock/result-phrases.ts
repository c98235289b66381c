/** Converts the answers of a run to phrases of a dialect. */
import { grouped } from '../ground/grouped.js'
import { isFields, keysOfPointer, parseJson } from '../ground/json.js'
import type { Phrase } from './dialect.js'
import type { Json } from './json.js'
import type { DialectDelivery } from './messages.js'
import { hasHeader, type SeenExchange } from './result-file.js'

/**
 * Converts the answer to a logon to a phrase, with a variable for the token.
 *
 * @param pointer the place of the token, as in a result
 * @param username the name that the run logged on with
 */
export function loggedOnPhrase(logon: SeenExchange, pointer: string, username: string | undefined): Partial<Phrase> {
  const phrase = phraseOf(logon, username)
  const [, header] = /^header:(.*)$/.exec(pointer) ?? []
  if (header !== undefined) {
    const [name = header, value = ''] = logon.headers.find(([given]) => given.toLowerCase() === header) ?? []
    return { ...phrase, headers: { ...phrase.headers, [name]: `${schemeOf(value)}{bearer}` } }
  }
  const [, cookie] = /^cookie:(.*)$/.exec(pointer) ?? []
  if (cookie !== undefined) {
    const cookies = logon.headers.flatMap(([name, line]) => (name.toLowerCase() === 'set-cookie' ? [line] : []))
    const isOfToken = (line: string) => line.startsWith(`${cookie}=`)
    // The attributes of the cookie stay.
    const lines = cookies.map(line => (isOfToken(line) ? line.replace(/^[^;]*/, () => `${cookie}={bearer}`) : line))
    return { ...phrase, headers: { ...phrase.headers, 'Set-Cookie': lines } }
  }
  const content = (parseJson(logon.body) ?? parseJson(withNumbers(logon.body))) as Json | undefined
  if (content === undefined) {
    const body = pointer === '' ? `${schemeOf(logon.body)}{bearer}` : logon.body.replace(/\[token[^\]]*\]/g, '{bearer}')
    return { ...phrase, as: 'text', body }
  }
  const path = keysOfPointer(pointer)
  const told = path.reduce<unknown>((value, step) => (value as Record<string, unknown> | null)?.[step], content)
  const isNumber = told === AS_NUMBER
  const token = isNumber ? AS_NUMBER : `${schemeOf(typeof told === 'string' ? told : '')}{bearer}`
  return { ...phrase, as: 'json', body: putAt(templateOf(content, username) ?? {}, path, token) }
}

/** Stands in a body for a token that is a number. */
export const AS_NUMBER = '{bearer:number}'

/** Number of digits that every JSON reader keeps. No digit is zero, since no number begins with zero. */
export const SAFE_DIGITS = 15

/** Puts a placeholder for the token in place of hidden numbers. A body with hidden numbers is not JSON. */
function withNumbers(body: string): string {
  return body.replace(
    /([:[,]\s*)\[(?:token|withheld|second token)[^\]]*\]/g,
    (_, before: string) => before + JSON.stringify(AS_NUMBER),
  )
}

/** Returns the text before a token, ready for the header. */
function schemeOf(text: string): string {
  return /^bearer +/i.exec(text)?.[0] ?? ''
}

/** Returns a JSON value with `leaf` at a path. Replaces any value that stood there. */
function putAt(value: Json, [step, ...rest]: string[], leaf: Json): Json {
  if (step === undefined) return leaf
  if (Array.isArray(value)) {
    const items: Json[] = [...value]
    items[Number(step)] = putAt(items[Number(step)] ?? null, rest, leaf)
    return items
  }
  const fields = isFields(value) ? value : {}
  return Object.fromEntries([
    ...Object.entries(fields).map(([key, item]): [string, Json] => [
      key,
      key === step ? putAt(item, rest, leaf) : item,
    ]),
    ...(Object.hasOwn(fields, step) ? [] : [[step, putAt(null, rest, leaf)] as [string, Json]]),
  ])
}

/** Headers that the mock Core makes itself, or that belong to the connection. */
const OWN_HEADERS = /^(?:connection|keep-alive|date|content-length|content-encoding|transfer-encoding)$/i

/** The redaction of a secret of that run. The mock Core makes a new value for it each time. */
const HIDDEN = /\[(?:token|withheld|second token)[^\]]*\]/g

/** Headers that an answer may take from the default dialect, or from the answer that it is derived from. */
const INHERITED = ['WWW-Authenticate', 'Cache-Control', 'Content-Type']

/**
 * Converts an answer to a phrase.
 *
 * @param username the name that the run logged on with; undefined to keep every text
 */
export function phraseOf({ status, headers, body }: SeenExchange, username: string | undefined): Partial<Phrase> {
  const lines = headers
    .filter(([name, value]) => !OWN_HEADERS.test(name) && /^[\x20-\x7e]*$/.test(value))
    .map(([name, value]) => [name, value.replaceAll(HIDDEN, '{requestId}')] as const)
  const byName = grouped(lines, ([name]) => name.toLowerCase())
  const own = [...byName.values()].map((same): [string, string[]] => [same[0][0], same.map(([, value]) => value)])
  const inherited = INHERITED.filter(name => !byName.has(name.toLowerCase()))
  const without = inherited.map((name): [string, null] => [name, null])
  const told = Object.fromEntries([...without, ...own])
  if (hasHeader(headers, 'content-encoding')) return { status, headers: told, delivery: { gzip: true } } // not a text
  if (body === '') return { status, headers: told, as: 'none' }
  const json = templateOf(parseJson(body) as Json | undefined, username)
  return json === undefined
    ? { status, headers: told, as: 'text', body }
    : { status, headers: told, as: 'json', body: json }
}

/** Replaces the username of the run by a variable for the user who is logged on. */
function templateOf(value: Json | undefined, username: string | undefined): Json | undefined {
  if (value === undefined || username === undefined) return value
  if (typeof value === 'string') return value === username ? '{username}' : value
  if (Array.isArray(value)) return value.map(item => templateOf(item, username) ?? null)
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, templateOf(item, username) ?? null]))
}

/** Returns the way an answer was sent. */
export function deliveryOf({ headers, httpVersion, closing, body }: SeenExchange): DialectDelivery {
  const isChunked = hasHeader(headers, 'transfer-encoding')
  const isUnannounced = !isChunked && !hasHeader(headers, 'content-length') && body !== ''
  return {
    ...((isChunked || isUnannounced) && { framing: isChunked ? 'chunked' : 'close' }),
    ...(httpVersion === '1.0' && { statusLine: '1.0' }),
    ...(!closing && hasHeader(headers, 'connection', 'close') && { close: true }),
  }
}
