import { SENDABLE, TOKEN68 } from './token.js'

/** The parts of a logon response that may hold a token. */
export interface Holder {
  headers: readonly (readonly [name: string, value: string])[]
  body: string
}

/** A string in a logon response that might be the token. */
export interface Candidate {
  /** Where it stands: JSON Pointer (RFC 6901) into the body, `` for all of it; or `header:` and a name in lower case. */
  pointer: string
  value: string
}

const HEADER = 'header:'
const MAX_DEPTH = 12
const MAX_STRINGS = 1000
/** A body that is a token alone: no word such as `Created`, and no part of JSON or of a page. */
const TOKEN_TEXT = /^[^"'<>{}[\],;]{12,}$/

/**
 * The strings of a logon response that could stand in an Authorization header, likeliest first: by the name of the field,
 * then by length. Of the headers, those that are named like a token.
 */
export function candidates({ headers, body }: Holder): Candidate[] {
  const found: Candidate[] = []
  collect(contentOf(body), '', 0, found)
  const inHeaders = headers
    .map(([name, value]) => ({ pointer: HEADER + name.toLowerCase(), value: bare(value) }))
    .filter(({ pointer }) => nameScore(pointer) >= 2)
  return [...found, ...inHeaders]
    .filter(({ value }) => SENDABLE.test(value))
    .map((candidate, index) => ({ candidate, index, score: score(candidate) }))
    .sort((a, b) => b.score - a.score || b.candidate.value.length - a.candidate.value.length || a.index - b.index)
    .map(({ candidate }) => candidate)
}

/** The string at a {@link Candidate.pointer}, without a scheme before it; undefined where there is none. */
export function stringAt({ headers, body }: Holder, pointer: string): string | undefined {
  if (pointer.startsWith(HEADER)) {
    const value = headers.find(([name]) => HEADER + name.toLowerCase() === pointer)?.[1]
    return value === undefined ? undefined : bare(value)
  }
  let value = contentOf(body)
  for (const part of pointer.split('/').slice(1)) {
    if (!value || typeof value !== 'object') return undefined
    value = (value as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  return typeof value === 'string' ? bare(value) : undefined
}

/** JSON, or a text that is one word, as a token alone is. */
function contentOf(body: string): unknown {
  try {
    return JSON.parse(body.replace(/^\uFEFF/, ''))
  } catch {
    const text = body.trim()
    return TOKEN_TEXT.test(bare(text)) && SENDABLE.test(bare(text)) ? text : undefined
  }
}

/** A token without the scheme that some write before it. */
function bare(value: string): string {
  return value.replace(/^bearer +/i, '')
}

function collect(value: unknown, pointer: string, depth: number, found: Candidate[]): void {
  if (found.length >= MAX_STRINGS || depth > MAX_DEPTH) return
  if (typeof value === 'string') found.push({ pointer, value: bare(value) })
  else if (value && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      collect(item, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, depth + 1, found)
    }
  }
}

/** What is no token68 is a time or an address more often than a token, and a header less often one than a field. */
function score({ pointer, value }: Candidate): number {
  const named = nameScore(pointer)
  if (pointer.startsWith(HEADER)) return named - 0.5
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
