import { TOKEN68 } from './token.js'

/** A string in a logon response that might be the token. */
export interface Candidate {
  /** JSON Pointer (RFC 6901) to it. */
  pointer: string
  value: string
}

const MAX_DEPTH = 12
const MAX_STRINGS = 1000

/**
 * The strings of a logon response that could stand in an Authorization header, likeliest first: by the name of the field,
 * then by length. Empty when the body is no JSON.
 */
export function candidates(body: string): Candidate[] {
  const found: Candidate[] = []
  collect(parseJson(body), '', 0, found)
  return found
    .filter(({ value }) => TOKEN68.test(value))
    .map((candidate, index) => ({ candidate, index, score: score(candidate) }))
    .sort((a, b) => b.score - a.score || b.candidate.value.length - a.candidate.value.length || a.index - b.index)
    .map(({ candidate }) => candidate)
}

/** The string at a JSON Pointer in a JSON body; undefined where there is none. */
export function stringAt(body: string, pointer: string): string | undefined {
  let value = parseJson(body)
  for (const part of pointer.split('/').slice(1)) {
    if (!value || typeof value !== 'object') return undefined
    value = (value as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  return typeof value === 'string' ? value : undefined
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function collect(value: unknown, pointer: string, depth: number, found: Candidate[]): void {
  if (found.length >= MAX_STRINGS || depth > MAX_DEPTH) return
  if (typeof value === 'string') found.push({ pointer, value })
  else if (value && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      collect(item, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, depth + 1, found)
    }
  }
}

function score({ pointer, value }: Candidate): number {
  const name = pointer
    .slice(pointer.lastIndexOf('/') + 1)
    .replaceAll(/[^A-Za-z]/g, '')
    .toLowerCase()
  if (/^(token|bearer|bearertoken|accesstoken|authtoken|apitoken)$/.test(name)) return 4
  if (/token|bearer/.test(name) && !/type|refresh|csrf|xsrf|expir/.test(name)) return 3
  if (/^(jwt|key|apikey|session|sessionid|sid|secret|auth|credential)$/.test(name)) return 2
  return value.length >= 16 ? 1 : 0
}
