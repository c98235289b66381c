/** What the engine needs requests for; which request of the suite serves it, `requests.yaml` says. */
import type { RequestTemplate } from './spec.js'

/**
 * `logon`: issues a token. `probe`: shows by its answer whether a token is accepted, and changes nothing. `revoke`: revokes the
 * token that it carries. `elsewhere`: shows as the probe does whether a token is accepted, at another path; a suite can do without.
 */
export const ROLES = ['logon', 'probe', 'revoke', 'elsewhere'] as const
/** See {@link ROLES}. */
export type Role = (typeof ROLES)[number]

/** The requests of a suite by their names. */
type Requests = ReadonlyMap<string, Pick<RequestTemplate, 'role'>>

/** The name of the request that has a role; undefined where none has. */
export function findRole(requests: Requests, role: Role): string | undefined {
  for (const [name, request] of requests) if (request.role === role) return name
  return undefined
}

/**
 * The name of the request that has a role.
 * @throws Error where none has it: of a suite that was loaded without its own requests
 */
export function requestOf(requests: Requests, role: Role): string {
  const name = findRole(requests, role)
  if (name === undefined) throw new Error(`no request has the role '${role}': requests.yaml gives it to one`)
  return name
}
