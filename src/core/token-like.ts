import type { WireResponse } from './exchange.js'

/** How many strings of one response are found: what comes after as many is not shown any more. */
const MAX_FOUND = 1000

/** Headers in which Cores hand out secrets; what others hold is evidence. */
const SECRET_HEADER = /token|bearer|auth|session|secret|cookie|jwt/i

/** Whatever in a response could be a token, or the part of one that a cut response left. */
export function tokenLike({ headers, body, complete }: WireResponse): string[] {
  const least = complete ? 16 : 8
  const texts = headers.flatMap(([name, value]) => (SECRET_HEADER.test(name) ? [value] : []))
  const found: string[] = []
  for (const [text] of [...texts, body].join('\n').matchAll(/[A-Za-z0-9\-._~+/]+=*/g)) {
    if (text.length < least || (complete && isPlain(text))) continue
    found.push(text)
    if (found.length === MAX_FOUND) break
  }
  return found
}

/** Whether it is made of words, as paths and media types are; to hide those would only blot out the evidence. */
function isPlain(text: string): boolean {
  return text.split(/[^A-Za-z0-9]/).every(part => /^([A-Za-z]?[a-z]{0,14}|[A-Za-z0-9]{1,3})$/.test(part))
}
