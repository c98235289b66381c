/** Reads JSON that others wrote. */

/**
 * Parses a text as JSON; undefined where it is none. Drops the parser's message, which quotes the text: a wrong file may hold
 * secrets.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A byte order mark, and what some servers write before JSON so that no page of another site can run it as a script. */
const BEFORE_JSON = /^\ufeff?(?:\)\]\}',?\s*\n|(?:while\(1\)|for\(;;\));)?/

/** Returns a text without what may stand before its JSON. */
export function withoutPrefix(text: string): string {
  return text.replace(BEFORE_JSON, '')
}

/** Parses a text as JSON, like {@link parseJson}, also behind a byte order mark, or a prefix against scripts. */
export function jsonOf(text: string): unknown {
  return parseJson(withoutPrefix(text))
}

/** Returns the fields of a text that is a JSON object; none of any other text. */
export function fieldsIn(text: string): Record<string, unknown> {
  const value = jsonOf(text)
  return isFields(value) ? value : {}
}

/** Whether a value is a JSON object, and neither a list nor null. */
export function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
