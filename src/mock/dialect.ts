import type { Json } from './json.js'

/** What tokens look like (reference: "Format and length of the token: not shown"). */
export interface TokenFormat {
  /** The characters that a token is made of; token68 ones, or it could not be sent. */
  alphabet: string
  length: number
}

/** Everything that a mock Core can say. */
export type AnswerName =
  | 'hostMissing'
  | 'hostRepeated'
  | 'loggedOn'
  | 'credentialsRefused'
  | 'revoked'
  | 'tokenMissing'
  | 'tokenRefused'
  | 'users'
  | 'core'
  | 'accessControlOn'
  | 'accessControlOff'
  | 'notFound'
  | 'methodNotAllowed'
  | 'bodyMalformed'
  | 'bodyTooLarge'
  | 'contentTypeRefused'

/** How one thing is said. `{bearer}`, `{username}` and `{allow}` are filled in, in header values and in strings of the body. */
export interface Phrase {
  status: number
  headers?: Readonly<Record<string, string>>
  /** Sent as JSON; absent for no body. */
  body?: Json
}

/** How a mock Core says what the reference leaves open. Data, so that another dialect is another such object. */
export interface Dialect {
  token: TokenFormat
  answers: Readonly<Record<AnswerName, Phrase>>
}

const UNAUTHORIZED: Phrase = {
  status: 401,
  headers: { 'WWW-Authenticate': 'Bearer' }, // RFC 9110 15.5.2: no 401 without it
  body: { code: 401, message: 'Unauthorized' },
}

/** What public material reports of Cores in the field; the statuses that it does not mention are HTTP's usual ones. */
export const defaultDialect: Dialect = {
  token: { alphabet: '0123456789abcdef', length: 64 },
  answers: {
    hostMissing: { status: 406, body: { code: 406, message: 'Not Acceptable' } },
    hostRepeated: { status: 400, body: { code: 400, message: 'Bad Request' } },
    loggedOn: { status: 201, headers: { 'Cache-Control': 'no-store' }, body: { token: '{bearer}' } },
    credentialsRefused: UNAUTHORIZED,
    revoked: { status: 204 },
    tokenMissing: UNAUTHORIZED,
    tokenRefused: UNAUTHORIZED,
    users: {
      status: 200,
      body: [
        { id: 1, name: '{username}', role: 'administrator', enabled: true },
        { id: 2, name: '{username}-viewer', role: 'viewer', enabled: true },
      ],
    },
    core: { status: 200, body: { id: 'self', name: 'Mock Core', model: 'mock', state: 'running' } },
    accessControlOn: { status: 200, body: { access_mode: 'protected' } },
    accessControlOff: { status: 200, body: { access_mode: 'open' } },
    notFound: { status: 404, body: { code: 404, message: 'Not Found' } },
    methodNotAllowed: {
      status: 405,
      headers: { Allow: '{allow}' },
      body: { code: 405, message: 'Method Not Allowed' },
    },
    bodyMalformed: { status: 400, body: { code: 400, message: 'Bad Request' } },
    bodyTooLarge: { status: 413, body: { code: 413, message: 'Content Too Large' } },
    contentTypeRefused: { status: 415, body: { code: 415, message: 'Unsupported Media Type' } },
  },
}
