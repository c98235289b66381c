/** Reads JSON that others wrote. */

/**
 * Parses a text as JSON; undefined where it is none. Drops the parser's message, which quotes the text: a wrong file may hold
 * secrets.
 */
export function parseJson(text: string): unknown {
  // Many an answer has no body, and an error of the parser takes long.
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parses a text as JSON, like {@link parseJson}, also behind a byte order mark. */
export function jsonOf(text: string): unknown {
  return parseJson(text.replace(/^\ufeff/, ''))
}

/** In a longer text nothing is looked for, nor once what turned out to be none was as long: it would take seconds. */
const MOST_CHARACTERS = 1_000_000
/** Most beginnings of objects and lists that turn out to be none, before the rest of a text is left alone. */
const MOST_FAILED = 20

/**
 * Finds the JSON objects and lists that a text holds, where it is more than one JSON text: lines of JSON, events, the parts of a
 * multipart body, a call of a function, or JSON behind what keeps pages from running it as a script. None in a page of markup.
 */
export function jsonTextsIn(text: string): string[] {
  const found: string[] = []
  if (text.length > MOST_CHARACTERS || /^\ufeff?\s*</.test(text)) return found
  const openers = /[[{]/g
  for (let failed = 0, length = 0; failed < MOST_FAILED && length < MOST_CHARACTERS; ) {
    const start = openers.exec(text)?.index
    if (start === undefined) break
    const part = text.slice(start, endOf(text, start))
    if (parseJson(part) === undefined) {
      failed++
      length += part.length
    } else {
      found.push(part)
      openers.lastIndex = start + part.length
    }
  }
  return found
}

/** Returns where the object or list ends that begins at a place of a text; the end of the text where it does not. */
function endOf(text: string, start: number): number {
  const marks = /"[^"\\]*(?:\\.[^"\\]*)*"|[[{]|[\]}]/gs
  marks.lastIndex = start
  let depth = 0
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    if (mark[0].startsWith('"')) continue
    depth += /[[{]/.test(mark[0]) ? 1 : -1
    if (depth === 0) return marks.lastIndex
  }
  return text.length
}

/**
 * Reads what a Core answers: JSON, or else the objects and lists that stand in it, as a list where they are more than one; undefined
 * where there are none.
 */
export function jsonIn(text: string): unknown {
  const whole = jsonOf(text)
  if (whole !== undefined) return whole
  const parts = jsonTextsIn(text).map(parseJson)
  return parts.length > 1 ? parts : parts[0]
}

/** Returns the fields of a text that is a JSON object; none of any other text. */
export function fieldsIn(text: string): Record<string, unknown> {
  const value = jsonOf(text)
  return isFields(value) ? value : {}
}

/** Returns the keys that a JSON Pointer (RFC 6901) leads through. */
export function keysOfPointer(pointer: string): string[] {
  const parts = pointer.split('/').slice(1)
  return parts.map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Whether a value is a JSON object, and neither a list nor null. */
export function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
