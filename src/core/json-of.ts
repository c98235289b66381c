/** Parses a body as JSON, also behind a byte order mark; undefined where it is none. */
export function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}
