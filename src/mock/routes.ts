import type { Device, Visit } from './device.js'
import type { ApiResponse } from './messages.js'

/** What answers one method on one path. */
export interface Endpoint {
  /** Whether it never needs a token. */
  open?: true
  answer(visit: Visit): ApiResponse
}

/** The methods of one path. */
export type Route = Readonly<Record<string, Endpoint>>

/** The endpoints of the API, by literal path, then by method. */
export type Routes = Readonly<Record<string, Route>>

/** The endpoints that a device has. They ask the device when they are called, so a method replaced later counts. */
export function routes(device: Device): Routes {
  return lookUp({
    '/api/v0/logon': lookUp({
      POST: { open: true, answer: visit => device.logon(visit) },
      DELETE: { answer: visit => device.revoke(visit) },
    }),
    '/api/v0/cores/self': readable({ answer: visit => device.core(visit) }),
    '/api/v0/cores/self/users': readable({ answer: visit => device.users(visit) }),
    '/api/v0/cores/self/access_mode': readable({ open: true, answer: visit => device.accessMode(visit) }),
  })
}

/** HEAD goes wherever GET goes (RFC 9110 9.1); the server leaves the body out. */
function readable(endpoint: Endpoint): Route {
  return lookUp({ GET: endpoint, HEAD: endpoint })
}

/** A client may name any method or path, `constructor` too, and is to find only what was put in. */
function lookUp<T>(entries: Record<string, T>): Readonly<Record<string, T>> {
  return Object.assign(Object.create(null), entries)
}
