import { randomBytes } from 'node:crypto'
import type { RecordedRequest } from '../mock/index.js'
import { decoded, formsOf } from './encodings.js'
import { isLogon } from './requests.js'

/**
 * Makes a password for one scenario. Its first part is random hex. Its second part has characters that break a client which builds JSON by hand.
 */
export function makePassword(): string {
  return `${randomBytes(12).toString('hex')}-"%25+\\&'`
}

/** Returns the random part of a password. Only an encoding that changes every letter changes it. */
export function randomPart(password: string): string {
  return password.slice(0, password.indexOf('-'))
}

/**
 * Finds a password in a request, anywhere but in the body of a logon.
 *
 * @returns `the path`, `the header Authorization` and so on; empty when the password is nowhere
 */
export function passwordPlaces(request: RecordedRequest, password: string): string[] {
  const forms = formsOf(randomPart(password))
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
