import type { WireResponse } from './exchange.js'

/** How many strings of one response are found: what comes after as many is not shown any more. */
const MAX_FOUND = 1000

/** What tokens are made of, as long as it goes on. */
export const TOKEN_RUN = /[A-Za-z0-9\-._~+/]+=*/g

/** What goes on for so long is no evidence: it is hidden by its kind, and not by its value. */
export const LONGEST_RUN = 4096

/** Headers in which Cores hand out secrets; what others hold is evidence. */
const SECRET_HEADER = /token|bearer|auth|session|secret|cookie|jwt|api-?key|credential/i

/** Fields in which they do, by the last word of their names; a kind, a time or a flag is none. */
const SECRET_FIELD = /(token|bearer|jwt|secret|session_?id|sid|api_?key|password|passwd|credential|cookie)s?$/i

/** Whatever in a response could be a token, or the part of one that a cut response left. Of a logon, any of its headers. */
export function tokenLike({ headers, body, complete }: WireResponse): string[] {
  const text = [...headers.map(([, value]) => value), body].join('\n')
  const numbers = Array.from(body.matchAll(NUMBER), ([, name = '', number = '']) =>
    SECRET_FIELD.test(name) ? number : '',
  )
  return [...runs(text, complete ? 16 : 8, complete), ...numbers.filter(Boolean)]
}

/** A field of JSON with a number in it that may be a token. */
const NUMBER = /"([^"\\]{1,64})"\s*:\s*(\d{6,64})/g

/**
 * What is secret in any answer, whatever it answers: values of headers that hand out secrets (`Set-Cookie`, `Authorization`,
 * `X-Auth-Token`), and of fields that are named like a token.
 */
export function secretByName({ headers, body }: Pick<WireResponse, 'headers' | 'body'>): string[] {
  const inHeaders = headers.filter(([name]) => SECRET_HEADER.test(name)).map(([, value]) => value)
  const inBody = Array.from(body.matchAll(FIELD), ([, name = '', text = '', list = '']) =>
    SECRET_FIELD.test(name) ? text || list : '',
  )
  return runs([...inHeaders, ...inBody].join('\n'), 8, true)
}

/** A field of JSON with a text in it, or with a list of texts, also one that is cut. */
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

/** Whether it is made of words, as paths and media types are; to hide those would only blot out the evidence. */
export function isPlain(text: string): boolean {
  return text.split(/[^A-Za-z0-9]/).every(part => /^([A-Za-z]?[a-z]{0,14}|[A-Za-z0-9]{1,3})$/.test(part))
}
