import type { AnswerName, Dialect } from './dialect.js'
import type { ApiRequest, ApiResponse } from './messages.js'

/** The path that issues and revokes tokens. */
export const LOGON_PATH = '/api/v0/logon'
/** The path of endpoint 3, the reference's authenticated request. */
export const USERS_PATH = '/api/v0/cores/self/users'
/** The path of the Core itself. */
export const CORE_PATH = '/api/v0/cores/self'

/** A request after the checks that all requests pass through. */
export interface Visit {
  request: ApiRequest
  /** The valid token of the request; undefined only where none is needed. */
  token: string | undefined
}

/** Answers the endpoints of the API. */
export interface Answering {
  logon(visit: Visit): ApiResponse
  revoke(visit: Visit): ApiResponse
  say(name: AnswerName): ApiResponse
}

/** Answers one method on one path. */
export interface Endpoint {
  /** Whether the endpoint never needs a token. */
  open?: boolean
  answer(visit: Visit): ApiResponse
}

/** The methods of one path. */
export type Route = Readonly<Record<string, Endpoint>>

/** The endpoints of the API, by literal path, then by method. */
export type Routes = Readonly<Record<string, Route>>

/** Makes the endpoints of a device. Each endpoint looks its method up at call time, so a method replaced later counts. */
export function routes(device: Answering, { endpoints, head }: Dialect, accessControl: 'on' | 'off'): Routes {
  const { users, core, accessMode } = endpoints
  const readable = (path: string, how: 'open' | 'protected' | 'absent', name: AnswerName) => {
    const endpoint = { open: how === 'open', answer: () => device.say(name) }
    // HEAD is accepted wherever GET is (RFC 9110 9.1); the server leaves the body out.
    return how === 'absent' ? {} : { [path]: tableOf(head ? { GET: endpoint, HEAD: endpoint } : { GET: endpoint }) }
  }
  return tableOf({
    [LOGON_PATH]: tableOf({
      POST: { open: true, answer: visit => device.logon(visit) },
      DELETE: { answer: visit => device.revoke(visit) },
    }),
    ...readable(CORE_PATH, core, 'core'),
    ...readable(USERS_PATH, users, 'users'),
    ...readable(
      `${CORE_PATH}/access_mode`,
      accessMode,
      accessControl === 'on' ? 'accessControlOn' : 'accessControlOff',
    ),
  })
}

/** Makes a table without a prototype: a client may name any method or path, even `constructor`, and finds only real entries. */
function tableOf<T>(entries: Record<string, T>): Readonly<Record<string, T>> {
  return Object.assign(Object.create(null), entries)
}
