import { SENDABLE } from './token.js'

/** A body that is a token alone: no word such as `Created`, and no part of JSON or of a page. */
const TOKEN_TEXT = /^[^"'<>{}[\],;]{12,}$/
/** A string or a number of JSON, as it is written. */
const JSON_LEAF = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g
/** The key under which the digits of a number stand; no JSON of a Core has it. */
const DIGITS = '\u0000digits'
/** Deeper than this nobody nests a token; a bound is needed, since a body may be made of nothing but brackets. */
const MAX_DEPTH = 64

/** A string of a body, or a whole number by its digits: as a number, one of more than 15 digits would be another. */
export interface Leaf {
  /** JSON Pointer (RFC 6901), `` for the whole body. */
  pointer: string
  text: string
  isNumber: boolean
}

/**
 * The strings and whole numbers of a body, in its order.
 * @param body JSON, or a text that is one word, as a token alone is
 * @param most how many are given at the most
 */
export function leavesOf(body: string, most: number): Leaf[] {
  const found: Leaf[] = []
  collect(contentOf(body), '', 0, found, most)
  return found
}

/** What stands at a JSON Pointer of a body, a string or the digits of a whole number; undefined where there is neither. */
export function leafAt(body: string, pointer: string): string | undefined {
  let value = contentOf(body)
  for (const part of pointer.split('/').slice(1)) {
    if (!value || typeof value !== 'object') return undefined
    value = (value as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  return typeof value === 'string' ? value : digitsOf(value)
}

/** A token without the scheme that some write before it. */
export function bare(value: string): string {
  return value.replace(/^bearer +/i, '')
}

function collect(value: unknown, pointer: string, depth: number, found: Leaf[], most: number): void {
  if (found.length >= most || depth > MAX_DEPTH) return
  const digits = digitsOf(value)
  if (typeof value === 'string') found.push({ pointer, text: value, isNumber: false })
  else if (digits !== undefined) found.push({ pointer, text: digits, isNumber: true })
  else if (value && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      collect(item, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, depth + 1, found, most)
    }
  }
}

/** The digits of what was a whole number, not below 0; undefined for anything else. */
function digitsOf(value: unknown): string | undefined {
  if (!value || typeof value !== 'object' || !Object.hasOwn(value, DIGITS)) return undefined
  const digits = (value as Record<string, unknown>)[DIGITS]
  return typeof digits === 'string' && /^\d+$/.test(digits) ? digits : undefined
}

/** Parsed JSON in which each number is an object with its digits; or a text that is one word; else undefined. */
function contentOf(body: string): unknown {
  const text = body.replace(/^\uFEFF/, '')
  try {
    JSON.parse(text)
    return JSON.parse(
      text.replace(JSON_LEAF, leaf => (leaf.startsWith('"') ? leaf : JSON.stringify({ [DIGITS]: leaf }))),
    )
  } catch {
    const word = text.trim()
    return TOKEN_TEXT.test(bare(word)) && SENDABLE.test(bare(word)) ? word : undefined
  }
}
