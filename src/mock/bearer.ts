import { type HeaderList, headerValues } from './messages.js'

/** RFC 9110 11.4: the scheme in any case, one or more spaces, one word. The characters of the word depend on the dialect. */
const BEARER = /^(bearer) +([!-~]+)$/i

/**
 * Returns the bearer token of a request: the word after `Bearer` in its one Authorization header (Authentication 4).
 * Ignores repeated Authorization headers, since another reader might choose another one. Ignores the query and cookies.
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
