/**
 * What a request is, as rows: what it carries in place of a valid token, the wrong credentials of a logon, or what became of it.
 * A fault concerns such requests. Over 250 lines, since it is one table.
 */
import { createHash } from 'node:crypto'
import { isObject, type Json, parseJson } from '../../json.js'
import { headerValues } from '../../messages.js'
import { isLogon, isRevocation } from '../tools.js'
import { kindOf, type Moment, type TokenLife } from './moment.js'
import type { Watch } from './watch.js'

/** One kind of request. */
export interface Standing {
  /** Lower-case words with hyphens. */
  id: string
  /** A clause about the request: `carries no token`. */
  that: string
  /** How likely a fault hangs on it, from 1. */
  weight: number
  /** Whether it counts as a trigger: more than that a client does what the reference shows, or is refused. */
  isTrigger: boolean
  is(moment: Moment, watch: Watch): boolean
}

type Row = [id: string, that: string, weight: number, is: Standing['is']]

function rows(table: Row[], isTrigger = true): Standing[] {
  return table.map(([id, that, weight, is]) => ({ id, that, weight, isTrigger, is }))
}

const authorization = ({ head }: Moment) => headerValues(head.headers, 'authorization')
export const NONE: readonly Standing[] = rows([
  ['no-token', 'carries no Authorization header', 9, moment => authorization(moment).length === 0],
  [
    'no-token-in-authorization',
    'has an Authorization header without a token',
    4,
    m => authorization(m).some(value => /^(bearer)?\s*$/i.test(value)),
  ],
  [
    'basic-scheme',
    'has an Authorization header of the scheme Basic',
    3,
    (m, watch) => authorization(m).some(value => /^basic /i.test(value) && !holdsToken(value, watch)),
  ],
])

function holdsToken(value: string, watch: Watch): boolean {
  const decoded = Buffer.from(value.replace(/^\S+ /, ''), 'base64').toString('latin1')
  return watch.tokens.some(({ text }) => value.includes(text) || decoded.includes(text))
}

/** A token that is not like any that was issued. */
const unknown = (is: (text: string) => boolean) => (moment: Moment, watch: Watch) =>
  moment.presented !== undefined &&
  moment.token === undefined &&
  is(moment.presented) &&
  !Object.values(LIKENESS).some(({ is }) => watch.tokens.some(({ text }) => is(moment.presented ?? '', text)))
export const UNKNOWN: readonly Standing[] = rows([
  ['never-issued', 'carries a token that was never issued', 5, unknown(() => true)],
  [
    'never-issued-hex',
    'carries 64 hexadecimal digits that were never issued',
    3,
    unknown(text => /^[0-9a-f]{64}$/.test(text)),
  ],
  [
    'one-character-repeated',
    'carries one character again and again as its token',
    3,
    unknown(text => /^(.)\1+$/.test(text)),
  ],
  ['short-token', 'carries a token of up to eight characters', 3, unknown(text => text.length <= 8)],
  [
    'token-over-64',
    'carries a token of more than 64 characters that was never issued',
    2,
    unknown(text => text.length > 64),
  ],
  ['token-over-256', 'carries a token of more than 256 characters', 2, unknown(text => text.length > 256)],
  ['word-as-token', 'carries a word as its token', 3, unknown(text => /^[a-z]+$/i.test(text))],
  ['not-hex', 'carries a token that is not hexadecimal', 2, unknown(text => /[^0-9a-f]/i.test(text))],
  [
    'token-with-dots',
    'carries a token of three parts with dots',
    3,
    unknown(text => /^[^.]+\.[^.]*\.[^.]*$/.test(text)),
  ],
  ['digits-as-token', 'carries a number as its token', 2, unknown(text => /^\d+$/.test(text))],
])

/** The ways in which a text may be like a token. */
const LIKENESS: Record<string, { that: string; weight: number; is(text: string, token: string): boolean }> = {
  prolonged: { that: 'with more behind it', weight: 4, is: (text, token) => text !== token && text.startsWith(token) },
  'put-in-front': {
    that: 'with more before it',
    weight: 3,
    is: (text, token) => text !== token && text.endsWith(token),
  },
  'cut-by-one': { that: 'without its last character', weight: 4, is: (text, token) => text === token.slice(0, -1) },
  'first-half': {
    that: 'of which only the first half is right',
    weight: 3,
    is: (text, token) =>
      text !== token && text.startsWith(token.slice(0, token.length >> 1)) && !text.startsWith(token),
  },
  'second-half': {
    that: 'of which only the second half is right',
    weight: 2,
    is: (text, token) => text !== token && text.endsWith(token.slice(token.length >> 1)) && !text.endsWith(token),
  },
  'cut-short': {
    that: 'of which only the beginning is there',
    weight: 3,
    is: (text, token) => text.length >= 8 && text.length < token.length && token.startsWith(text),
  },
  'last-changed': {
    that: 'with another last character',
    weight: 4,
    is: (text, token) => isChangedAt(text, token, token.length - 1),
  },
  'first-changed': {
    that: 'with another first character',
    weight: 3,
    is: (text, token) => isChangedAt(text, token, 0),
  },
  'one-changed': {
    that: 'with one other character',
    weight: 2,
    is: (text, token) => text.length === token.length && differences(text, token) === 1,
  },
  'upper-case': {
    that: 'in another case',
    weight: 4,
    is: (text, token) => text !== token && text.toLowerCase() === token.toLowerCase(),
  },
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function differences(text: string, token: string): number {
  return [...token].filter((character, index) => text[index] !== character).length
}

function isChangedAt(text: string, token: string, index: number): boolean {
  return text.length === token.length && text[index] !== token[index] && differences(text, token) === 1
}

export const LOOKALIKES: readonly Standing[] = rows(
  Object.entries(LIKENESS).map(
    ([id, { that, weight, is }]): Row => [
      `token-${id}`,
      `carries a valid token ${that}`,
      weight,
      ({ presented, token }, watch) =>
        presented !== undefined && token === undefined && watch.valid().some(({ text }) => is(presented, text)),
    ],
  ),
)

/** A valid token elsewhere than in the Authorization header, which has none. */
const elsewhere =
  (holds: (moment: Moment, token: string) => boolean) =>
  (moment: Moment, watch: Watch): boolean =>
    !moment.isValid && watch.valid().some(({ text }) => holds(moment, text))
const inField = (is: (name: string) => boolean) =>
  elsewhere(({ head }, token) => head.headers.some(([name, value]) => is(name.toLowerCase()) && value.includes(token)))
export const CARRIERS: readonly Standing[] = rows([
  [
    'token-in-query',
    'carries a valid token in its query',
    5,
    elsewhere(({ query = '' }, token) => query.includes(token)),
  ],
  [
    'token-in-access_token',
    'carries a valid token as access_token in its query',
    3,
    elsewhere(({ query = '' }, token) => query.includes(`access_token=${token}`)),
  ],
  ['token-in-cookie', 'carries a valid token in a cookie', 5, inField(name => name === 'cookie')],
  ['token-in-x-auth-token', 'carries a valid token in X-Auth-Token', 4, inField(name => name === 'x-auth-token')],
  [
    'token-in-proxy-authorization',
    'carries a valid token in Proxy-Authorization',
    3,
    inField(name => name === 'proxy-authorization'),
  ],
  [
    'token-in-x-field',
    'carries a valid token in a field that begins with X-',
    3,
    inField(name => name.startsWith('x-')),
  ],
  ['token-in-path', 'carries a valid token in its path', 2, elsewhere(({ path }, token) => path.includes(token))],
  ['token-in-body', 'carries a valid token in its body', 3, elsewhere(({ body = '' }, token) => body.includes(token))],
  [
    'token-in-protocol',
    'carries a valid token in Sec-WebSocket-Protocol',
    1,
    inField(name => name === 'sec-websocket-protocol'),
  ],
])

/** Returns the valid tokens that a request almost carries, or carries in the wrong place. */
export function meant({ head, presented = '', token, body = '' }: Moment, watch: Watch): TokenLife[] {
  if (token !== undefined) return []
  const sent = [head.target, ...head.headers.map(([, value]) => value), body]
  return watch
    .valid()
    .filter(
      ({ text }) =>
        Object.values(LIKENESS).some(({ is }) => is(presented, text)) || sent.some(value => value.includes(text)),
    )
}
/** A revocation with such a token, which must be refused; its path holds none. */
export const REVOCATIONS_MEANT: readonly Standing[] = [
  ...LOOKALIKES,
  ...CARRIERS.filter(({ id }) => id !== 'token-in-path'),
].map(standing => ({
  ...standing,
  id: `revocation-${standing.id}`,
  that: `asks for a revocation and ${standing.that}`,
  is: (moment, watch) => isRevocation(moment.head) && !moment.isBare && standing.is(moment, watch),
}))

const ended = (is: (life: TokenLife) => boolean) => (moment: Moment) =>
  moment.token !== undefined && !moment.isValid && is(moment.token)
export const REVOKED: readonly Standing[] = rows([
  ['revoked', 'carries a revoked token', 10, ended(life => life.revokedMs !== undefined)],
])
export const EXPIRED: readonly Standing[] = rows([
  ['expired', 'carries an expired token', 10, ended(life => life.revokedMs === undefined)],
])

/** The wrong credentials of a logon, compared with the right ones. */
const wrong =
  (is: (given: { username: string; password: string }, right: { username: string; password: string }) => boolean) =>
  ({ body = '', credentials }: Moment, { subject: { username, password } }: Watch): boolean => {
    if (credentials !== 'wrong') return false
    const given = JSON.parse(Buffer.from(body, 'latin1').toString()) as { username: string; password: string }
    return is(given, { username, password })
  }
const password = (is: (given: string, right: string) => boolean) =>
  wrong((given, right) => given.username === right.username && is(given.password, right.password))
const username = (is: (given: string, right: string) => boolean) =>
  wrong((given, right) => given.password === right.password && is(given.username, right.username))
const hash = (name: string, text: string) => createHash(name).update(text).digest('hex')

/** The wrong credentials for which a fault issues a token. */
export const WRONG: readonly Standing[] = rows([
  [
    'password-cut',
    'has the beginning of the password',
    4,
    password((given, right) => given !== '' && right.startsWith(given)),
  ],
  [
    'password-cut-by-one',
    'has the password without its last character',
    3,
    password((given, right) => given === right.slice(0, -1)),
  ],
  [
    'password-prolonged',
    'has the password with more behind it',
    4,
    password((given, right) => given.startsWith(right)),
  ],
  ['password-in-front', 'has the password with more before it', 2, password((given, right) => given.endsWith(right))],
  [
    'password-other-case',
    'has the password in another case',
    4,
    password((given, right) => given.toLowerCase() === right.toLowerCase()),
  ],
  ['password-empty', 'has an empty password', 4, password(given => given === '')],
  [
    'password-with-space',
    'has the password with white space around it',
    3,
    password((given, right) => given.trim() === right),
  ],
  [
    'password-right-to-the-8th',
    'has a password of which the first eight characters are right',
    3,
    password((given, right) => given.slice(0, 8) === right.slice(0, 8)),
  ],
  [
    'password-cut-by-nul',
    'has the password with a NUL behind it',
    2,
    password((given, right) => given.startsWith(`${right}\0`)),
  ],
  [
    'password-is-username',
    'has the username as its password',
    3,
    wrong((given, right) => given.username === right.username && given.password === right.username),
  ],
  [
    'password-of-same-length',
    'has a wrong password of the right length',
    3,
    password((given, right) => given.length === right.length),
  ],
  ['password-a-wildcard', 'has a wildcard as its password', 2, password(given => /^[*%.?_+]+$/.test(given))],
  [
    'password-of-a-query',
    'has a query language in its password',
    3,
    password(given => /'|\$ne|\$gt|--|\bor\b/i.test(given)),
  ],
  [
    'password-in-base64',
    'has the password in base64',
    2,
    password((given, right) => given.replace(/=+$/, '') === Buffer.from(right).toString('base64').replace(/=+$/, '')),
  ],
  [
    'password-hashed',
    'has the hash of the password',
    2,
    password((given, right) => ['md5', 'sha1', 'sha256'].some(name => hash(name, right) === given.toLowerCase())),
  ],
  [
    'password-percent-encoded',
    'has the password percent-encoded',
    2,
    password((given, right) => given.includes('%') && decoded(given) === right),
  ],
  [
    'password-one-changed',
    'has the password with one other character',
    3,
    password((given, right) => given.length === right.length && differences(given, right) === 1),
  ],
  ['password-long', 'has a password of more than 72 characters', 2, password(given => given.length > 72)],
  [
    'password-reversed',
    'has the password backwards',
    1,
    password((given, right) => [...given].reverse().join('') === right),
  ],
  ['username-unknown', 'has an unknown username with the right password', 4, username(() => true)],
  ['username-empty', 'has an empty username with the right password', 3, username(given => given === '')],
  [
    'username-cut',
    'has the beginning of the username',
    2,
    username((given, right) => given !== '' && right.startsWith(given)),
  ],
  [
    'username-prolonged',
    'has the username with more behind it',
    3,
    username((given, right) => given.startsWith(right)),
  ],
  ['username-a-wildcard', 'has a wildcard as its username', 2, username(given => /^[*%.?_+]+$/.test(given))],
  ['both-empty', 'has both empty', 3, wrong(given => given.username === '' && given.password === '')],
  [
    'both-swapped',
    'has username and password swapped',
    3,
    wrong((given, right) => given.username === right.password && given.password === right.username),
  ],
  ['both-the-same', 'has the same text as username and password', 2, wrong(given => given.username === given.password)],
  ['any-wrong-password', 'has a wrong password', 4, password(() => true)],
])

const malformed =
  (is: (body: string, value: Json | undefined, right: { username: string; password: string }) => boolean) =>
  ({ body = '', credentials }: Moment, { subject }: Watch): boolean => {
    const text = Buffer.from(body, 'latin1').toString()
    return credentials === 'malformed' && is(text, parseJson(text), subject)
  }
const member = (
  name: string,
  is: (value: Json | undefined, right: { username: string; password: string }) => boolean,
) => malformed((_, value, right) => value !== undefined && isObject(value) && is(value[name], right))
const holdsBoth = (body: string, right: { username: string; password: string }) =>
  body.includes(right.username) && body.includes(right.password)

/** The bodies that are no logon, for which a fault issues a token. */
export const MALFORMED: readonly Standing[] = rows([
  ['password-in-array', 'has the password in an array', 4, member('password', value => Array.isArray(value))],
  [
    'password-in-object',
    'has an object as its password',
    3,
    member('password', value => value !== undefined && isObject(value)),
  ],
  ['password-null', 'has null as its password', 3, member('password', value => value === null)],
  ['password-true', 'has true as its password', 3, member('password', value => value === true)],
  ['password-a-number', 'has a number as its password', 3, member('password', value => typeof value === 'number')],
  ['password-missing', 'has no password', 4, member('password', value => value === undefined)],
  ['username-missing', 'has no username', 3, member('username', value => value === undefined)],
  ['username-in-array', 'has the username in an array', 2, member('username', value => Array.isArray(value))],
  ['username-null', 'has null as its username', 2, member('username', value => value === null)],
  [
    'logon-in-array',
    'has its members in an array',
    2,
    malformed((body, value, right) => Array.isArray(value) && holdsBoth(body, right)),
  ],
  [
    'form-encoded',
    'has its members as an HTML form sends them',
    4,
    malformed((body, _, right) => /^[^{[]*username=/.test(body) && body.includes(right.username)),
  ],
  [
    'json-with-a-tail',
    'has more behind its JSON',
    2,
    malformed((body, value, right) => value === undefined && /^\s*\{.*\}\s*\S/s.test(body) && holdsBoth(body, right)),
  ],
  [
    'json-broken-off',
    'has JSON that breaks off',
    3,
    malformed((body, value, right) => value === undefined && /^\s*\{[^}]*$/.test(body) && holdsBoth(body, right)),
  ],
  [
    'json-in-single-quotes',
    'has JSON in single quotes',
    2,
    malformed((body, value, right) => value === undefined && body.includes("'") && holdsBoth(body, right)),
  ],
  [
    'names-in-other-case',
    'names its members in another case',
    3,
    malformed(
      (body, _, right) =>
        /"(username|password)"/i.test(body) &&
        !(/"username"/.test(body) && /"password"/.test(body)) &&
        holdsBoth(body, right),
    ),
  ],
  ['empty-body', 'has an empty body', 3, malformed(body => body === '')],
  ['json-string', 'has a JSON string as its body', 1, malformed((_, value) => typeof value === 'string')],
])

const isUse = ({ isValid, isBare, head }: Moment) => isValid && !isBare && !isLogon(head) && !isRevocation(head)

const plain = (table: Row[]) => rows(table, false)
/** A good request that is neither a logon nor a revocation. */
export const USE = plain([['use', 'carries a valid token', 1, isUse]])
/** A logon with the right credentials. */
export const RIGHT = plain([
  ['logon', 'is a logon with the right credentials', 1, ({ credentials }) => credentials === 'right'],
])
/** A logon that is refused. */
export const REFUSED_LOGON = plain([
  ['refused-logon', 'is a refused logon', 1, moment => kindOf(moment) === 'refused logon'],
])
/** A revocation of a valid token. */
export const REVOCATION = plain([
  ['revocation', 'revokes a valid token', 1, ({ head, isValid, isBare }) => isRevocation(head) && isValid && !isBare],
])
/** A revocation without a valid token. */
export const REFUSED_REVOCATION = plain([
  [
    'refused-revocation',
    'asks for a revocation without a valid token',
    1,
    m => isRevocation(m.head) && !m.isValid && !m.isBare,
  ],
])
/** A request that is refused for its token, or the lack of one. */
export const REFUSAL = plain([
  ['refusal', 'is refused for its token', 1, m => kindOf(m) === 'refusal' && !isRevocation(m.head)],
])
/** A request that is refused since its token has ended. */
export const DEAD = plain([
  ['refused-dead', 'is refused since its token has ended', 1, m => kindOf(m) === 'refusal' && m.token !== undefined],
])
/** A request without Host that would be served with one. */
export const BARE = rows([['no-host', 'has no Host and a valid token', 1, ({ isBare, isValid }) => isBare && isValid]])
/** A logon without Host. */
export const BARE_LOGON = rows([
  ['logon-no-host', 'is a logon without Host', 1, ({ isBare, head }) => isBare && isLogon(head)],
])
/** A revocation without Host. */
export const BARE_REVOCATION = rows([
  [
    'revocation-no-host',
    'is a revocation without Host',
    1,
    ({ isBare, isValid, head }) => isBare && isValid && isRevocation(head),
  ],
])
