/**
 * What a request is, as rows: what it carries in place of a valid token, the wrong credentials of a logon, or what became of it.
 * A fault concerns such requests. Over 250 lines, since it is one table.
 */
import { createHash } from 'node:crypto'
import { isObject, type Json, parseJson } from '../../json.js'
import { headerValues } from '../../messages.js'
import { isLogon, isRevocation } from '../tools.js'
import { inWords, kindOf, type Moment, type TokenLife } from './moment.js'
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

type Row = [words: string, is: Standing['is']]

function rows(table: Row[], isTrigger = true): Standing[] {
  return table.map(([words, is]) => ({ ...inWords(words), isTrigger, is }))
}

const authorization = ({ head }: Moment) => headerValues(head.headers, 'authorization')
export const NONE: readonly Standing[] = rows([
  ['no-token 9: carries no Authorization header', moment => authorization(moment).length === 0],
  [
    'no-token-in-authorization 4: has an Authorization header without a token',
    m => authorization(m).some(value => /^(bearer)?\s*$/i.test(value)),
  ],
  [
    'basic-scheme 3: has an Authorization header of the scheme Basic',
    (m, watch) => authorization(m).some(value => /^basic /i.test(value) && !holdsToken(value, watch)),
  ],
  [
    'basic-credentials 2: has the right username and password in the scheme Basic',
    (m, { subject: { username, password } }) =>
      authorization(m)[0] === `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
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
  !LIKENESS.some(([, is]) => watch.tokens.some(({ text }) => is(moment.presented ?? '', text)))
export const UNKNOWN: readonly Standing[] = rows([
  ['never-issued 5: carries a token that was never issued', unknown(() => true)],
  [
    'never-issued-hex 3: carries 64 hexadecimal digits that were never issued',
    unknown(text => /^[0-9a-f]{64}$/.test(text)),
  ],
  [
    'one-character-repeated 3: carries one character again and again as its token',
    unknown(text => /^(.)\1+$/.test(text)),
  ],
  ['short-token 3: carries a token of up to eight characters', unknown(text => text.length <= 8)],
  [
    'token-over-64 2: carries a token of more than 64 characters that was never issued',
    unknown(text => text.length > 64),
  ],
  ['token-over-256 2: carries a token of more than 256 characters', unknown(text => text.length > 256)],
  ['null-as-token 2: carries the word null as its token', unknown(text => text === 'null')],
  ['word-as-token 3: carries a word as its token', unknown(text => /^[a-z]+$/i.test(text))],
  ['not-hex 2: carries a token that is not hexadecimal', unknown(text => /[^0-9a-f]/i.test(text))],
  ['token-with-dots 3: carries a token of three parts with dots', unknown(text => /^[^.]+\.[^.]*\.[^.]*$/.test(text))],
  ['digits-as-token 2: carries a number as its token', unknown(text => /^\d+$/.test(text))],
])

/** The ways in which a text may be like a token. */
const LIKENESS: readonly [words: string, is: (text: string, token: string) => boolean][] = [
  ['prolonged 4: with more behind it', (text, token) => text !== token && text.startsWith(token)],
  ['put-in-front 3: with more before it', (text, token) => text !== token && text.endsWith(token)],
  ['cut-by-one 4: without its last character', (text, token) => text === token.slice(0, -1)],
  [
    'first-half 3: of which only the first half is right',
    (text, token) => isOther(text, token) && text.startsWith(token.slice(0, token.length >> 1)),
  ],
  [
    'second-half 2: of which only the second half is right',
    (text, token) => isOther(text, token) && text.endsWith(token.slice(token.length >> 1)),
  ],
  [
    'cut-short 3: of which only the beginning is there',
    (text, token) => text.length >= 8 && text.length < token.length && token.startsWith(text),
  ],
  ['last-changed 4: with another last character', (text, token) => isChangedAt(text, token, token.length - 1)],
  ['first-changed 3: with another first character', (text, token) => isChangedAt(text, token, 0)],
  [
    'one-changed 2: with one other character',
    (text, token) => text.length === token.length && differences(text, token) === 1,
  ],
  ['17th-changed 2: with another 17th character', (text, token) => isChangedAt(text, token, 16)],
  [
    'first-8 2: of which only the first eight characters are right',
    (text, token) => isOther(text, token) && text.startsWith(token.slice(0, 8)),
  ],
  ['padded 2: with equals signs behind it', (text, token) => /^(.+?)=+$/.exec(text)?.[1] === token],
  ['dotted 2: with a dot behind it', (text, token) => text.startsWith(`${token}.`)],
  ['upper-case 4: in another case', (text, token) => text !== token && text.toLowerCase() === token.toLowerCase()],
]

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function isOther(text: string, token: string): boolean {
  return text.length === token.length && text !== token
}

function differences(text: string, token: string): number {
  return [...token].filter((character, index) => text[index] !== character).length
}

function isChangedAt(text: string, token: string, index: number): boolean {
  return text.length === token.length && text[index] !== token[index] && differences(text, token) === 1
}

export const LOOKALIKES: readonly Standing[] = rows(
  LIKENESS.map(
    ([words, is]): Row => [
      `token-${words.replace(': ', ': carries a valid token ')}`,
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
  ['token-in-query 5: carries a valid token in its query', elsewhere(({ query = '' }, token) => query.includes(token))],
  [
    'token-in-access_token 3: carries a valid token as access_token in its query',
    elsewhere(({ query = '' }, token) => query.includes(`access_token=${token}`)),
  ],
  ['token-in-cookie 5: carries a valid token in a cookie', inField(name => name === 'cookie')],
  ['token-in-x-auth-token 4: carries a valid token in X-Auth-Token', inField(name => name === 'x-auth-token')],
  [
    'token-in-proxy-authorization 3: carries a valid token in Proxy-Authorization',
    inField(name => name === 'proxy-authorization'),
  ],
  ['token-in-x-field 3: carries a valid token in a field that begins with X-', inField(name => name.startsWith('x-'))],
  [
    'token-beside-unknown 3: carries a valid token in X-API-Key or a cookie, and one that was never issued in Authorization',
    (m, w) => m.presented !== undefined && inField(name => ['x-api-key', 'cookie'].includes(name))(m, w),
  ],
  ['token-in-path 2: carries a valid token in its path', elsewhere(({ path }, token) => path.includes(token))],
  ['token-in-body 3: carries a valid token in its body', elsewhere(({ body = '' }, token) => body.includes(token))],
  [
    'token-in-protocol 1: carries a valid token in Sec-WebSocket-Protocol',
    inField(name => name === 'sec-websocket-protocol'),
  ],
])

/** A valid token in the Authorization header, but not of the scheme Bearer. */
const inScheme = (is: (value: string, token: string) => boolean) =>
  elsewhere((moment, token) => authorization(moment).some(value => is(value, token)))
export const SCHEMES: readonly Standing[] = rows([
  ['token-as-basic 3: carries a valid token of the scheme Basic', inScheme((v, token) => isOf(v, 'basic', token))],
  ['token-of-any-scheme 3: carries a valid token of another scheme', inScheme((v, t) => isOf(v, '(?!bearer )\\S+', t))],
  ['bare-token 3: carries a valid token without a scheme', inScheme((value, token) => value === token)],
  ['unspaced-token 2: carries a valid token right after Bearer', inScheme((value, t) => value === `Bearer${t}`)],
])

function isOf(value: string, scheme: string, token: string): boolean {
  return value.endsWith(` ${token}`) && new RegExp(`^${scheme} `, 'i').test(value)
}

/** Returns the valid tokens that a request almost carries, or carries in the wrong place. */
export function meant({ head, presented = '', token, body = '' }: Moment, watch: Watch): TokenLife[] {
  if (token !== undefined) return []
  const sent = [head.target, ...head.headers.map(([, value]) => value), body]
  return watch
    .valid()
    .filter(({ text }) => LIKENESS.some(([, is]) => is(presented, text)) || sent.some(value => value.includes(text)))
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
  ['revoked 10: carries a revoked token', ended(life => life.revokedMs !== undefined)],
])
export const EXPIRED: readonly Standing[] = rows([
  ['expired 10: carries an expired token', ended(life => life.revokedMs === undefined)],
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
    'password-cut 4: has the beginning of the password',
    password((given, right) => given !== '' && right.startsWith(given)),
  ],
  [
    'password-cut-by-one 3: has the password without its last character',
    password((given, right) => given === right.slice(0, -1)),
  ],
  ['password-prolonged 4: has the password with more behind it', password((given, right) => given.startsWith(right))],
  ['password-in-front 2: has the password with more before it', password((given, right) => given.endsWith(right))],
  [
    'password-other-case 4: has the password in another case',
    password((given, right) => given.toLowerCase() === right.toLowerCase()),
  ],
  ['password-empty 4: has an empty password', password(given => given === '')],
  [
    'password-with-space 3: has the password with white space around it',
    password((given, right) => given.trim() === right),
  ],
  [
    'password-right-to-the-8th 3: has a password of which the first eight characters are right',
    password((given, right) => given.slice(0, 8) === right.slice(0, 8)),
  ],
  [
    'password-cut-by-nul 2: has the password with a NUL behind it',
    password((given, right) => given.startsWith(`${right}\0`)),
  ],
  [
    'password-is-username 3: has the username as its password',
    wrong((given, right) => given.username === right.username && given.password === right.username),
  ],
  [
    'password-of-same-length 3: has a wrong password of the right length',
    password((given, right) => given.length === right.length),
  ],
  ['password-a-wildcard 2: has a wildcard as its password', password(given => /^[*%.?_+]+$/.test(given))],
  [
    'password-of-a-query 3: has a query language in its password',
    password(given => /'|\$ne|\$gt|--|\bor\b/i.test(given)),
  ],
  [
    'password-in-base64 2: has the password in base64',
    password((given, right) => given.replace(/=+$/, '') === Buffer.from(right).toString('base64').replace(/=+$/, '')),
  ],
  [
    'password-hashed 2: has the hash of the password',
    password((given, right) => ['md5', 'sha1', 'sha256'].some(name => hash(name, right) === given.toLowerCase())),
  ],
  [
    'password-percent-encoded 2: has the password percent-encoded',
    password((given, right) => given.includes('%') && decoded(given) === right),
  ],
  [
    'password-one-changed 3: has the password with one other character',
    password((given, right) => given.length === right.length && differences(given, right) === 1),
  ],
  [
    'password-last-changed 3: has the password with another last character',
    password((given, right) => isChangedAt(given, right, right.length - 1)),
  ],
  [
    'password-anagram 2: has the characters of the password in another order',
    password((given, right) => [...given].sort().join('') === [...right].sort().join('')),
  ],
  [
    'password-in-wide-letters 1: has the password in wide letters',
    password((g, right) => g.normalize('NFKC') === right),
  ],
  [
    'password-cut-to-bytes 1: has a password of which the last 8 bits of each character are right',
    password((given, right) => Buffer.from(given, 'latin1').toString('latin1') === right),
  ],
  [
    'password-and-256-more 1: has the password with 256 characters behind it',
    password((given, right) => given.length === right.length + 256 && given.startsWith(right)),
  ],
  ['password-long 2: has a password of more than 72 characters', password(given => given.length > 72)],
  [
    'password-reversed 1: has the password backwards',
    password((given, right) => [...given].reverse().join('') === right),
  ],
  ['username-unknown 4: has an unknown username with the right password', username(() => true)],
  ['username-empty 3: has an empty username with the right password', username(given => given === '')],
  [
    'username-cut 2: has the beginning of the username',
    username((given, right) => given !== '' && right.startsWith(given)),
  ],
  ['username-prolonged 3: has the username with more behind it', username((given, right) => given.startsWith(right))],
  ['username-a-wildcard 2: has a wildcard as its username', username(given => /^[*%.?_+]+$/.test(given))],
  ['both-empty 3: has both empty', wrong(given => given.username === '' && given.password === '')],
  [
    'both-swapped 3: has username and password swapped',
    wrong((given, right) => given.username === right.password && given.password === right.username),
  ],
  ['both-the-same 2: has the same text as username and password', wrong(given => given.username === given.password)],
  ['any-wrong-password 4: has a wrong password', password(() => true)],
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
  [
    'password-in-array 4: has the password in an array',
    member('password', (value, right) => Array.isArray(value) && value[0] === right.password),
  ],
  [
    'password-in-object 3: has an object as its password',
    member('password', value => value !== undefined && isObject(value)),
  ],
  ['password-null 3: has null as its password', member('password', value => value === null)],
  ['password-true 3: has true as its password', member('password', value => value === true)],
  ['password-a-number 3: has a number as its password', member('password', value => typeof value === 'number')],
  ['password-zero 2: has 0 as its password', member('password', value => value === 0)],
  ['password-missing 4: has no password', member('password', value => value === undefined)],
  ['username-missing 3: has no username', member('username', value => value === undefined)],
  [
    'username-in-array 2: has the username in an array',
    member('username', (value, right) => Array.isArray(value) && value[0] === right.username),
  ],
  ['username-null 2: has null as its username', member('username', value => value === null)],
  [
    'logon-in-array 2: has its members in an array',
    malformed((body, value, right) => Array.isArray(value) && holdsBoth(body, right)),
  ],
  [
    'form-encoded 4: has its members as an HTML form sends them',
    malformed((body, _, right) => /^[^{[]*username=/.test(body) && body.includes(right.username)),
  ],
  [
    'json-with-a-tail 2: has more behind its JSON',
    malformed((body, value, right) => value === undefined && /^\s*\{.*\}\s*\S/s.test(body) && holdsBoth(body, right)),
  ],
  [
    'json-broken-off 3: has JSON that breaks off',
    malformed((body, value, right) => value === undefined && /^\s*\{[^}]*$/.test(body) && holdsBoth(body, right)),
  ],
  [
    'json-in-single-quotes 2: has JSON in single quotes',
    malformed((body, value, right) => value === undefined && body.includes("'") && holdsBoth(body, right)),
  ],
  [
    'names-in-other-case 3: names its members in another case',
    malformed(
      (body, _, right) =>
        /"(username|password)"/i.test(body) &&
        !(/"username"/.test(body) && /"password"/.test(body)) &&
        holdsBoth(body, right),
    ),
  ],
  [
    'empty-object 2: has an empty object as its body',
    malformed((_, v) => v !== undefined && isObject(v) && !Object.keys(v)[0]),
  ],
  [
    'pairs-in-no-json 2: has no JSON, but the right username and password in quotes',
    malformed((body, _, { username, password }) => {
      const text = body.replace(/\s*:\s*/g, ':')
      return text.includes(`"username":"${username}"`) && text.includes(`"password":"${password}"`)
    }),
  ],
  ['empty-body 3: has an empty body', malformed(body => body === '')],
  ['json-string 1: has a JSON string as its body', malformed((_, value) => typeof value === 'string')],
])

const isUse = ({ isValid, isBare, head }: Moment) => isValid && !isBare && !isLogon(head) && !isRevocation(head)

const plain = (table: Row[]) => rows(table, false)
/** A good request that is neither a logon nor a revocation. */
export const USE = plain([['use 1: carries a valid token', isUse]])
/** A logon with the right credentials. */
export const RIGHT = plain([
  ['logon 1: is a logon with the right credentials', ({ credentials }) => credentials === 'right'],
])
/** A logon that is refused. */
export const REFUSED_LOGON = plain([
  ['refused-logon 1: is a refused logon', moment => kindOf(moment) === 'refused logon'],
])
/** A revocation of a valid token. */
export const REVOCATION = plain([
  ['revocation 1: revokes a valid token', ({ head, isValid, isBare }) => isRevocation(head) && isValid && !isBare],
])
/** A revocation without a valid token. */
export const REFUSED_REVOCATION = plain([
  [
    'refused-revocation 1: asks for a revocation without a valid token',
    m => isRevocation(m.head) && !m.isValid && !m.isBare,
  ],
])
/** A request that is refused for its token, or the lack of one. */
export const REFUSAL = plain([
  ['refusal 1: is refused for its token', m => kindOf(m) === 'refusal' && !isRevocation(m.head)],
])
/** A request that is refused since its token has ended. */
export const DEAD = plain([
  ['refused-dead 1: is refused since its token has ended', m => kindOf(m) === 'refusal' && m.token !== undefined],
])
/** A request without Host that would be served with one. */
export const BARE = rows([['no-host 1: has no Host and a valid token', ({ isBare, isValid }) => isBare && isValid]])
/** A logon without Host. */
export const BARE_LOGON = rows([
  ['logon-no-host 1: is a logon without Host', ({ isBare, head }) => isBare && isLogon(head)],
])
/** A revocation without Host. */
export const BARE_REVOCATION = rows([
  [
    'revocation-no-host 1: is a revocation without Host',
    ({ isBare, isValid, head }) => isBare && isValid && isRevocation(head),
  ],
])
