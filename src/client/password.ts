import { randomBytes } from 'node:crypto'
import type { RecordedRequest } from '../mock/index.js'
import { isLogon } from './requests.js'

/**
 * A password for one scenario: a random part that no encoding changes but those which change every letter, and characters
 * that go wrong wherever a client puts a password into JSON by hand.
 */
export function makePassword(): string {
  return `${randomBytes(12).toString('hex')}-"%25+\\&'`
}

/**
 * Where in a request a password stands, other than in the body of a logon.
 *
 * @returns `the path`, `the header Authorization` and so on; empty when it stands nowhere
 */
export function passwordPlaces(request: RecordedRequest, password: string): string[] {
  const forms = formsOf(password.slice(0, password.indexOf('-')))
  const has = (text: string) => {
    const lower = decoded(text).toLowerCase()
    return forms.some(form => text.includes(form) || lower.includes(form))
  }
  const places: string[] = []
  if (has(request.path)) places.push('the path')
  if (has(request.query)) places.push('the query')
  for (const [name, value] of request.rawHeaders) if (has(value) || has(name)) places.push(`the header ${name}`)
  if (!isLogon(request) && has(request.body)) places.push('the body')
  return places
}

/** What of a random part is found in a text that holds it: itself, in hex, or in base64 at each of its three alignments. */
function formsOf(random: string): string[] {
  const base64 = [0, 1, 2].map(shift => {
    const text = Buffer.concat([Buffer.alloc(shift), Buffer.from(random)]).toString('base64')
    // The first and the last group depend on what stands before and after it.
    return text.slice(shift === 0 ? 0 : 4, -4)
  })
  const hex = Buffer.from(random).toString('hex')
  return [random, hex, [...random].reverse().join(''), ...base64]
}

/** Undoes percent-encoding, as often as somebody may have applied it. */
function decoded(text: string): string {
  let current = text
  for (let depth = 0; depth < 4; depth += 1) {
    current = current.replace(/%([0-9a-f]{2})/gi, (_whole, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  }
  return current
}
