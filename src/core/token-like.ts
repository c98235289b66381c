import type { WireResponse } from './exchange.js'

/** Most strings found in one response. A response with more is not shown any further. */
const MAX_FOUND = 1000

/** A run of characters that tokens are made of. */
export const TOKEN_RUN = /[A-Za-z0-9\-._~+/]+=*/g

/** A longer run is no evidence for anybody. It is hidden by its kind, not by its value. */
export const LONGEST_RUN = 4096

/** Headers that carry secrets. Other headers are evidence. */
const SECRET_HEADER = /token|bearer|auth|session|secret|cookie|jwt|api-?key|credential/i

/** Fields that carry secrets, by the last word of their names. A token's kind, time or flag is no secret. */
const SECRET_FIELD = /(token|bearer|jwt|secret|session_?id|sid|api_?key|password|passwd|credential|cookie)s?$/i

/**
 * Finds every string of a logon response that could be a token, or the part of a token in a cut response. All headers
 * count.
 */
export function tokenLike({ headers, body, complete }: WireResponse): string[] {
  const text = [...headers.map(([, value]) => value), body].join('\n')
  const numbers = Array.from(body.matchAll(NUMBER), ([, name = '', number = '']) =>
    SECRET_FIELD.test(name) ? number : '',
  )
  return [...runs(text, complete ? 16 : 8, complete), ...numbers.filter(Boolean)]
}

/** A JSON field with a number that may be a token. */
const NUMBER = /"([^"\\]{1,64})"\s*:\s*(\d{6,64})/g

/**
 * Finds the secrets of any response: values of secret headers (`Set-Cookie`, `Authorization`, `X-Auth-Token`), and of
 * fields with a name like that of a token.
 */
export function secretByName({ headers, body }: WireResponse): string[] {
  const inHeaders = headers.filter(([name]) => SECRET_HEADER.test(name)).map(([, value]) => value)
  const inBody = Array.from(body.matchAll(FIELD), ([, name = '', text = '', list = '']) =>
    SECRET_FIELD.test(name) ? text || list : '',
  )
  return runs([...inHeaders, ...inBody].join('\n'), 8, true)
}

/** A JSON field with a text or a list of texts, also where it is cut. */
const FIELD = /"([^"\\]{1,64})"\s*:\s*(?:"([^"\\]{8,8192})|\[([^\]]{8,65536}))/g

function runs(text: string, least: number, isWhole: boolean): string[] {
  const found: string[] = []
  for (const [run] of text.matchAll(TOKEN_RUN)) {
    if (run.length < least || run.length >= LONGEST_RUN || (isWhole && isPlain(run))) continue
    found.push(run)
    if (found.length === MAX_FOUND) break
  }
  return found
}

/**
 * Whether a text is made of words, as paths and media types are. To hide such texts would only blot out the evidence.
 */
export function isPlain(text: string): boolean {
  return text.split(/[^A-Za-z0-9]/).every(part => /^([A-Za-z]?[a-z]{0,14}|[A-Za-z0-9]{1,3})$/.test(part))
}
