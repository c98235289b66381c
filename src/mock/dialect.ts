import type { Json } from './json.js'
import type { Delivery } from './messages.js'

/** What tokens look like (reference: "Format and length of the token: not shown"). All of it visible ASCII, or it could not be sent. */
export interface TokenFormat {
  /** The characters that a token is made of at random. */
  alphabet: string
  /** How many of them. */
  length: number
  /** What every token starts with. */
  prefix?: string
  /** What every token ends with. */
  suffix?: string
}

/** Everything that a mock Core can say. */
export type AnswerName =
  | 'hostMissing'
  | 'hostRepeated'
  | 'versionRefused'
  | 'loggedOn'
  | 'credentialsRefused'
  | 'tooManyTokens'
  | 'tooManyLogons'
  | 'revoked'
  | 'tokenMissing'
  | 'tokenRefused'
  | 'tokenExpired'
  | 'tokenRevoked'
  | 'revokeMissing'
  | 'revokeRefused'
  | 'users'
  | 'core'
  | 'accessControlOn'
  | 'accessControlOff'
  | 'options'
  | 'notFound'
  | 'methodNotAllowed'
  | 'bodyMalformed'
  | 'bodyTooLarge'
  | 'contentTypeRefused'

/**
 * How one thing is said. In header values and in strings of the body, `{username}`, `{bearer}` (of a logon), `{allow}`,
 * `{retryAfter}` (seconds), `{retryAfterDate}` (an HTTP date), `{requestId}`, `{now}`, `{refresh}` and `{jwt}` are filled in;
 * the last four are new in each answer. A string of the body that is `{bearer:number}` becomes a number.
 */
export interface Phrase {
  status: number
  /** null for none of that name. */
  headers?: Readonly<Record<string, string | readonly string[] | null>>
  /** Absent for no body. */
  body?: Json
  /** How the body is written, default JSON; `none` leaves it out. */
  as?: 'json' | 'text' | 'html' | 'none'
  /** How it goes out, where that differs from other answers. */
  delivery?: DialectDelivery
}

/** What of the delivery of a response is a matter of taste. */
export type DialectDelivery = Omit<Delivery, 'fate'>

/** How many logons are taken in a while. */
export interface LogonRate {
  count: number
  /** On the mock's clock. */
  perMs: number
  /** What becomes of a logon beyond them: refused, or its connection is closed without an answer. */
  beyond?: 'refuse' | 'hang-up'
}

/** How many connections are served at a time. */
export interface ConnectionLimit {
  count: number
  /** What becomes of further ones: closed at once, or left waiting until one of those that are served ends. */
  beyond?: 'close' | 'wait'
}

/** Everything of a dialect beside what is said. */
export interface DialectSettings {
  /** One line for people. */
  title: string
  token: TokenFormat
  /** Headers of every answer, filled in as those of a phrase. */
  headers: Readonly<Record<string, string>>
  /** How answers go out. */
  delivery: DialectDelivery
  logon: {
    /** Whether another Content-Type than JSON is refused. */
    contentType: 'checked' | 'ignored'
    /** Whether the case of a user's name counts. */
    usernames: 'exact' | 'any-case'
  }
  /** How much a Core takes; nothing is limited that is not named. */
  limits: {
    /** Live tokens. */
    tokens?: number
    /** What becomes of a logon beyond them: refused, or the oldest token is revoked, or the connection is closed without an answer. */
    beyond?: 'refuse' | 'revoke-oldest' | 'hang-up'
    logons?: LogonRate
    connections?: ConnectionLimit
  }
  /** Whether the name of the scheme, Bearer, is known in any case. */
  scheme: 'any-case' | 'exact'
  expiry: {
    /** What the idle lifetime is multiplied with. */
    factor: number
    /** Expired tokens are only noticed every so often, in parts of the idle lifetime; 0: at once. */
    sweep: number
  }
  /** Which endpoints there are beside the logon, and which of them want no token. */
  endpoints: {
    users: 'protected' | 'absent'
    core: 'protected' | 'absent'
    accessMode: 'open' | 'protected' | 'absent'
  }
  /** Whether HEAD is known wherever GET is. */
  head: boolean
  /** Whether OPTIONS is answered without a token, or is a method like any other. */
  options: 'open' | 'protected'
  /** Whether HTTP/1.0 is spoken. */
  http10: boolean
}

/** How a mock Core does what the reference leaves open. Data, so that another dialect is another such object. */
export interface Dialect extends DialectSettings {
  answers: Readonly<Record<AnswerName, Phrase>>
}

/** Part of a dialect, as in a file: everything that is absent is as in {@link defaultDialect}. */
export type DialectData = {
  [K in keyof DialectSettings]?: DialectSettings[K] extends object ? Partial<DialectSettings[K]> : DialectSettings[K]
} & { answers?: { readonly [K in AnswerName]?: Partial<Phrase> } }

const UNAUTHORIZED: Phrase = {
  status: 401,
  headers: { 'WWW-Authenticate': 'Bearer' }, // RFC 9110 15.5.2: no 401 without it
  body: { code: 401, message: 'Unauthorized' },
}

/** What public material reports of Cores in the field; the statuses that it does not mention are HTTP's usual ones. */
export const defaultDialect: Dialect = {
  title: 'As public material reports of Cores in the field',
  token: { alphabet: '0123456789abcdef', length: 64 },
  headers: {},
  delivery: {},
  logon: { contentType: 'checked', usernames: 'exact' },
  limits: {},
  scheme: 'any-case',
  expiry: { factor: 1, sweep: 0 },
  endpoints: { users: 'protected', core: 'protected', accessMode: 'open' },
  head: true,
  options: 'protected',
  http10: true,
  answers: {
    hostMissing: { status: 406, body: { code: 406, message: 'Not Acceptable' } },
    hostRepeated: { status: 400, body: { code: 400, message: 'Bad Request' } },
    versionRefused: { status: 505, body: { code: 505, message: 'HTTP Version Not Supported' } },
    loggedOn: { status: 201, headers: { 'Cache-Control': 'no-store' }, body: { token: '{bearer}' } },
    credentialsRefused: UNAUTHORIZED,
    tooManyTokens: { status: 429, body: { code: 429, message: 'Too Many Tokens' } },
    tooManyLogons: {
      status: 429,
      headers: { 'Retry-After': '{retryAfter}' },
      body: { code: 429, message: 'Too Many Requests' },
    },
    revoked: { status: 204 },
    tokenMissing: UNAUTHORIZED,
    tokenRefused: UNAUTHORIZED,
    tokenExpired: UNAUTHORIZED,
    tokenRevoked: UNAUTHORIZED,
    revokeMissing: UNAUTHORIZED,
    revokeRefused: UNAUTHORIZED,
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
    options: { status: 204, headers: { Allow: '{allow}' } },
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

/** Answers that are, unless a dialect says otherwise, those of another name: `tokenExpired` is said as `tokenRefused` is. */
const SAID_AS: readonly (readonly [AnswerName, AnswerName])[] = [
  ['tokenRefused', 'tokenMissing'],
  ['tokenExpired', 'tokenRefused'],
  ['tokenRevoked', 'tokenRefused'],
  ['revokeMissing', 'tokenMissing'],
  ['revokeRefused', 'tokenRefused'],
]

/**
 * Completes a dialect from the default one. An answer is merged with the default's by its keys; of its headers, each by its
 * name. Completing a complete one changes nothing.
 */
export function toDialect({ answers: said = {}, ...settings }: DialectData): Dialect {
  const answers: Record<AnswerName, Phrase> = { ...defaultDialect.answers }
  const derived = new Map(SAID_AS)
  for (const name of Object.keys(answers) as AnswerName[]) {
    if (!derived.has(name)) answers[name] = mergePhrase(answers[name], said[name])
  }
  for (const [name, other] of SAID_AS) answers[name] = mergePhrase(answers[other], said[name])
  const d = defaultDialect
  return {
    ...d,
    ...settings,
    token: { ...d.token, ...settings.token },
    headers: { ...d.headers, ...withoutGaps(settings.headers) },
    delivery: { ...d.delivery, ...settings.delivery },
    logon: { ...d.logon, ...settings.logon },
    limits: { ...d.limits, ...settings.limits },
    expiry: { ...d.expiry, ...settings.expiry },
    endpoints: { ...d.endpoints, ...settings.endpoints },
    answers,
  }
}

function mergePhrase(phrase: Phrase, said: Partial<Phrase> = {}): Phrase {
  return { ...phrase, ...said, ...(said.headers && { headers: { ...phrase.headers, ...said.headers } }) }
}

/** `Partial` of a record allows undefined values, which mean nothing here. */
function withoutGaps(headers: Readonly<Record<string, string | undefined>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}
