import { type HeaderList, headerValues } from './messages.js'

/** RFC 9110 11.4: the scheme in any case, one or more spaces, and one word: what tokens are made of is up to the dialect. */
const BEARER = /^(bearer) +([!-~]+)$/i

/**
 * The bearer token of a request: what stands after `Bearer` in its one Authorization header (Authentication 4). Of several
 * such headers none counts, since another reader might take another one; a query or a cookie is no place for a token.
 *
 * @param exact whether the scheme must be written as the reference writes it
 * @returns undefined when there is none
 */
export function bearerToken(headers: HeaderList, exact = false): string | undefined {
  const [value, ...others] = headerValues(headers, 'authorization')
  if (value === undefined || others.length > 0) return undefined
  const [, scheme, token] = BEARER.exec(value) ?? []
  return exact && scheme !== 'Bearer' ? undefined : token
}
