/** Finds the tokens of a client in its requests. No text made here repeats a token. */
import type { RecordedRequest } from '../mock/index.js'
import { decoded, formsOf } from './encodings.js'
import type { ClientRecord } from './result.js'

/** Returns the issued tokens that a client sent in an Authorization header. */
export function tokensOf({ requests }: Pick<ClientRecord, 'requests'>): string[] {
  const values = requests.flatMap(({ token, headers }) => {
    const value = /^bearer +(\S+)/i.exec(headers.authorization ?? '')?.[1]
    return token === null || token.number === null || value === undefined ? [] : [value]
  })
  return [...new Set(values)]
}

/**
 * Finds tokens in a request, anywhere but in its Authorization header.
 *
 * @returns `the query`, `the header Cookie` and so on; empty when no token is found
 */
export function tokenPlaces(request: RecordedRequest, tokens: readonly string[]): string[] {
  const forms = tokens.flatMap(formsOf)
  const has = (text: string) =>
    forms.some(form => text.includes(form)) || forms.some(form => decoded(text).includes(form))
  const places: string[] = []
  if (has(request.path)) places.push('the path')
  if (has(request.query)) places.push('the query')
  for (const [name, value] of request.rawHeaders)
    if (name.toLowerCase() !== 'authorization' && has(value)) places.push(`the header ${name}`)
  if (has(request.body)) places.push('the body')
  return places
}
