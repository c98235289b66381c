import type { Dialect } from './dialect.js'
import type { ApiRequest, ApiResponse } from './messages.js'

/** Where tokens are requested and revoked. */
export const LOGON_PATH = '/api/v0/logon'
/** The resource of the reference's authenticated request. */
export const USERS_PATH = '/api/v0/cores/self/users'
/** The Core itself. */
export const CORE_PATH = '/api/v0/cores/self'

/** How one request is seen after the checks that all requests go through. */
export interface Visit {
  request: ApiRequest
  /** The valid token that it was made with; undefined only where none is needed. */
  token: string | undefined
}

/** What there is at the endpoints. */
export interface Answering {
  logon(visit: Visit): ApiResponse
  revoke(visit: Visit): ApiResponse
  users(visit: Visit): ApiResponse
  core(visit: Visit): ApiResponse
  accessMode(visit: Visit): ApiResponse
}

/** What answers one method on one path. */
export interface Endpoint {
  /** Whether it never needs a token. */
  open?: boolean
  answer(visit: Visit): ApiResponse
}

/** The methods of one path. */
export type Route = Readonly<Record<string, Endpoint>>

/** The endpoints of the API, by literal path, then by method. */
export type Routes = Readonly<Record<string, Route>>

/** The endpoints that a device has. They ask the device when they are called, so a method replaced later counts. */
export function routes(device: Answering, { endpoints, head }: Dialect): Routes {
  const { users, core, accessMode } = endpoints
  const readable = (path: string, how: 'open' | 'protected' | 'absent', answer: Endpoint['answer']) => {
    const endpoint = { open: how === 'open', answer }
    // HEAD goes wherever GET goes (RFC 9110 9.1); the server leaves the body out.
    return how === 'absent' ? {} : { [path]: lookUp(head ? { GET: endpoint, HEAD: endpoint } : { GET: endpoint }) }
  }
  return lookUp({
    [LOGON_PATH]: lookUp({
      POST: { open: true, answer: visit => device.logon(visit) },
      DELETE: { answer: visit => device.revoke(visit) },
    }),
    ...readable(CORE_PATH, core, visit => device.core(visit)),
    ...readable(USERS_PATH, users, visit => device.users(visit)),
    ...readable(`${CORE_PATH}/access_mode`, accessMode, visit => device.accessMode(visit)),
  })
}

/** A client may name any method or path, `constructor` too, and is to find only what was put in. */
function lookUp<T>(entries: Record<string, T>): Readonly<Record<string, T>> {
  return Object.assign(Object.create(null), entries)
}
