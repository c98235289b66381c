import { bare, leafAt, leavesOf } from './logon-body.js'
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

/**
 * Finds the strings of a logon response that could stand in an Authorization header, likeliest first: by the name of
 * the field, then by length. Headers count only where their names suggest a token. Cookies all count: their names can
 * be anything, and cookies are few.
 */
export function candidates({ headers, body }: Holder): Candidate[] {
  const inBody = leavesOf(body, MAX_LEAVES)
    .filter(({ pointer, text, isNumber }) => !isNumber || nameScore(pointer) >= 2 || text.length >= LEAST_DIGITS)
    .map(({ pointer, text }) => ({ pointer, value: bare(text) }))
  const inHeaders = headers
    .map(([name, value]) => ({ pointer: HEADER + name.toLowerCase(), value: bare(value) }))
    .filter(({ pointer }) => nameScore(pointer) >= 2)
  const inCookies = cookiesOf(headers).map(([name, value]) => ({ pointer: COOKIE + name, value }))
  return [...inBody, ...inHeaders, ...inCookies]
    .filter(({ value }) => SENDABLE.test(value))
    .map((candidate, index) => ({ candidate, index, score: score(candidate) }))
    .sort((a, b) => b.score - a.score || b.candidate.value.length - a.candidate.value.length || a.index - b.index)
    .map(({ candidate }) => candidate)
}

/** Finds the candidates whose names tell that they are a token. */
export function named(holder: Holder): Candidate[] {
  return candidates(holder).filter(({ pointer }) => nameScore(pointer) >= 3)
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

/** Removes percent-encoding. Returns the text unchanged where it has none, or where decoding fails. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
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
