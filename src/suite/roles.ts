/** The roles of requests that the engine needs. `requests.yaml` says which request has which role. */

/**
 * `logon`: issues a token. `probe`: its answer shows whether a token is accepted; it changes nothing. `revoke`: revokes
 * the token that it carries. `elsewhere`: shows the same as the probe, at another path; it is optional.
 */
export const ROLES = ['logon', 'probe', 'revoke', 'elsewhere'] as const
export type Role = (typeof ROLES)[number]

type Requests = ReadonlyMap<string, { role?: Role }>

/** Returns the name of the request that has a role; undefined where none has. */
export function findRole(requests: Requests, role: Role): string | undefined {
  for (const [name, request] of requests) if (request.role === role) return name
  return undefined
}

/**
 * Returns the name of the request that has a role.
 * @throws Error where none has it: the suite was loaded without its own requests
 */
export function requestOf(requests: Requests, role: Role): string {
  const name = findRole(requests, role)
  if (name === undefined) throw new Error(`no request has the role '${role}': requests.yaml gives it to one`)
  return name
}
