/** What an honest Core may do, as data. Over 250 lines, since it declares every choice that the reference leaves, with its meaning. */
import { given } from '../ground/given.js'
import type { Json } from './json.js'
import type { DialectDelivery } from './messages.js'

/**
 * The form of tokens (reference: "Format and length of the token: not shown"). Every character must be visible ASCII to be
 * sent.
 */
export interface TokenFormat {
  /** The characters of the random part. */
  alphabet: string
  /** Length of the random part, in characters. */
  length: number
  /** The start of every token. */
  prefix?: string
  /** The end of every token. */
  suffix?: string
}

/** The names of all answers of a mock Core. */
export type AnswerName = keyof typeof ANSWERS

/**
 * The form of one answer. Header values and strings of the body may hold variables: `{username}`, `{bearer}` (of a logon),
 * `{allow}`, `{retryAfter}` (seconds), `{retryAfterDate}` (an HTTP date), `{requestId}`, `{now}`, `{refresh}` and `{jwt}`. The
 * last four are new in each answer. A string of the body that is `{bearer:number}` becomes a number.
 */
export interface Phrase {
  status: number
  /** null removes the header of that name. */
  headers?: Readonly<Record<string, string | readonly string[] | null>>
  /** Absent for no body. */
  body?: Json
  /** The form of the body, default JSON; `none` leaves it out. */
  as?: 'json' | 'text' | 'html' | 'none'
  /** The way this answer is sent, where it differs from other answers. */
  delivery?: DialectDelivery
  /** What happens in place of the answer: the connection is closed, or nothing for as long as the client waits. */
  fate?: 'dropped' | 'never'
}

/** A limit on how often something happens. */
export interface Rate {
  count: number
  /** On the mock's clock, as every time of a limit. */
  perMs: number
  /**
   * How many more than one may come at once. Absent: the whole count may, and no more in any such period. With it they are
   * spread over the period, as a leaky bucket does.
   */
  burst?: number
  /** What happens to one beyond the limit: a refusal, or a wait until there is room. */
  beyond?: 'refuse' | 'wait'
  /** Whether those that were refused count, too; default: only those that were served. */
  counted?: 'served' | 'all'
  /** Whether any period of this length counts, or one period after another, each from nothing; default: any. */
  window?: 'sliding' | 'fixed'
}

/** What follows when something happens too often. */
export interface Penalty {
  /** So many within {@link perMs} are too many. */
  count: number
  perMs: number
  /** How long it lasts. */
  forMs: number
}

/** A limit on simultaneous connections. */
export interface ConnectionLimit {
  count: number
  /** What happens to further connections: closed at once, or left waiting until a served one ends. */
  beyond?: 'close' | 'wait'
}

/** All settings of a dialect except the answers. */
export interface DialectSettings {
  /** One line for people. */
  title: string
  token: TokenFormat
  /** Headers of every answer. Variables in them are replaced as in a phrase. */
  headers: Readonly<Record<string, string>>
  /** How answers are sent. */
  delivery: DialectDelivery
  logon: {
    /** Whether a Content-Type other than JSON is refused. */
    contentType: 'checked' | 'ignored'
    /** Whether the case of a username counts. */
    usernames: 'exact' | 'any-case'
    /** How long the Core works on one logon before it takes the next one. */
    takesMs?: number
  }
  /** The capacity of a Core. An absent limit means no limit. */
  limits: {
    /** Live tokens. */
    tokens?: number
    /** What happens to a logon beyond the limit: a refusal, or the oldest token revoked. */
    beyond?: 'refuse' | 'revoke-oldest'
    /** How much later than its token a place for another one becomes free. */
    freeAfterMs?: number
    /** All requests, whatever is asked for. */
    requests?: Rate
    logons?: Rate
    connections?: ConnectionLimit
    /** New connections; further ones are closed at once, or wait. */
    newConnections?: Rate
    /** Requests of one connection. It ends with the answer to the last one, which announces that or not. */
    onConnection?: { count: number; end?: 'announced' | 'unannounced' }
    /** Requests refused for their token or credentials. Too many are followed by a ban: no request is served. */
    refusals?: Penalty
    /** Logons with wrong credentials. Too many are followed by a lock-out: no logon is served. */
    wrongLogons?: Penalty
    /** Characters of a path with its query. A longer one is refused before anything else is looked at. */
    target?: number
  }
  /** Whether the scheme name Bearer is accepted in any case. */
  scheme: 'any-case' | 'exact'
  expiry: {
    /** Factor on the idle lifetime. */
    factor: number
    /** Interval between checks for expired tokens, as a part of the idle lifetime; 0: at once. */
    sweep: number
  }
  /** The endpoints beside the logon, and whether each needs a token. */
  endpoints: {
    users: 'protected' | 'absent'
    core: 'protected' | 'absent'
    accessMode: 'open' | 'protected' | 'absent'
  }
  /** Whether HEAD is accepted wherever GET is. */
  head: boolean
  /** Whether OPTIONS is answered without a token, or treated like any other method. */
  options: 'open' | 'protected'
  /** Whether HTTP/1.0 is accepted. */
  http10: boolean
  /** Whether the endpoints ignore a query, or refuse a permitted request that has one. */
  queries: 'ignored' | 'refused'
}

/** The choices of a mock Core where the reference leaves a choice. A dialect is plain data. */
export interface Dialect extends DialectSettings {
  /** How the mock Core answers in each situation. */
  answers: Readonly<Record<AnswerName, Phrase>>
}

/** Part of a dialect, as in a file. Absent keys are those of {@link defaultDialect}. */
export type DialectData = {
  [K in keyof DialectSettings]?: DialectSettings[K] extends object ? Partial<DialectSettings[K]> : DialectSettings[K]
} & { answers?: { readonly [K in AnswerName]?: Partial<Phrase> } }

const refusal = (status: number, message: string, headers: Phrase['headers'] = {}): Phrase => ({
  status,
  headers,
  body: { code: status, message },
})
// RFC 9110 15.5.2: a 401 must have the header
const UNAUTHORIZED = refusal(401, 'Unauthorized', { 'WWW-Authenticate': 'Bearer' })
const TOO_MANY_REQUESTS = refusal(429, 'Too Many Requests', { 'Retry-After': '{retryAfter}' })

const ANSWERS = {
  hostMissing: refusal(406, 'Not Acceptable'),
  hostRepeated: refusal(400, 'Bad Request'),
  targetTooLong: refusal(414, 'URI Too Long'),
  versionRefused: refusal(505, 'HTTP Version Not Supported'),
  loggedOn: { status: 201, headers: { 'Cache-Control': 'no-store' }, body: { token: '{bearer}' } },
  credentialsRefused: UNAUTHORIZED,
  tooManyTokens: refusal(429, 'Too Many Tokens'),
  tooManyLogons: TOO_MANY_REQUESTS,
  tooManyRequests: TOO_MANY_REQUESTS,
  banned: refusal(429, 'Too Many Requests'),
  lockedOut: UNAUTHORIZED,
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
  notFound: refusal(404, 'Not Found'),
  methodNotAllowed: refusal(405, 'Method Not Allowed', { Allow: '{allow}' }),
  bodyMalformed: refusal(400, 'Bad Request'),
  bodyTooLarge: refusal(413, 'Content Too Large'),
  queryRefused: refusal(400, 'Bad Request'),
  contentTypeRefused: refusal(415, 'Unsupported Media Type'),
} satisfies Record<string, Phrase>

/** The default dialect: public reports about Cores in the field, and HTTP's usual statuses where the reports say nothing. */
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
  queries: 'ignored',
  answers: ANSWERS,
}

/** Answers that default to another answer: without words of its own, `tokenExpired` is said as `tokenRefused` is. */
const SAID_AS: readonly (readonly [AnswerName, AnswerName])[] = [
  ['lockedOut', 'credentialsRefused'],
  ['tokenRefused', 'tokenMissing'],
  ['tokenExpired', 'tokenRefused'],
  ['tokenRevoked', 'tokenRefused'],
  ['revokeMissing', 'tokenMissing'],
  ['revokeRefused', 'tokenRefused'],
]

/**
 * Completes a dialect from the default one. Merges each answer with the default's key by key, and its headers name by name.
 * A complete dialect stays the same.
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
    headers: { ...d.headers, ...(given(settings.headers ?? {}) as Record<string, string>) },
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
