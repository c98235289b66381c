/**
 * What a request is, as rows: what it carries in place of a valid token, the wrong credentials of a logon, or what became of it.
 * A fault concerns such requests. Over 250 lines, since it is one table.
 */
import { createHash } from 'node:crypto'
import { decoded } from '../../../ground/decoded.js'
import { isFields, parseJson } from '../../../ground/json.js'
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

/** Rows whose tests are made in one way. */
function each<T>(made: (is: T) => Standing['is'], table: [words: string, is: NoInfer<T>][]): Row[] {
  return table.map(([words, is]) => [words, made(is)])
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
export const UNKNOWN: readonly Standing[] = rows(
  each(unknown, [
    ['never-issued 5: carries a token that was never issued', () => true],
    ['never-issued-hex 3: carries 64 hexadecimal digits that were never issued', it => /^[0-9a-f]{64}$/.test(it)],
    ['one-character-repeated 3: carries one character again and again as its token', it => /^(.)\1+$/.test(it)],
    ['short-token 3: carries a token of up to eight characters', it => it.length <= 8],
    ['token-over-64 2: carries a token of more than 64 characters that was never issued', it => it.length > 64],
    ['token-over-256 2: carries a token of more than 256 characters', it => it.length > 256],
    ['null-as-token 2: carries the word null as its token', it => it === 'null'],
    ['word-as-token 3: carries a word as its token', it => /^[a-z]+$/i.test(it)],
    ['not-hex 2: carries a token that is not hexadecimal', it => /[^0-9a-f]/i.test(it)],
    ['token-with-dots 3: carries a token of three parts with dots', it => /^[^.]+\.[^.]*\.[^.]*$/.test(it)],
    ['digits-as-token 2: carries a number as its token', it => /^\d+$/.test(it)],
  ]),
)

/** The ways in which a text may be like a token. */
const LIKENESS: readonly [words: string, is: (text: string, token: string) => boolean][] = [
  ['prolonged 4: with more behind it', (it, token) => it !== token && it.startsWith(token)],
  ['put-in-front 3: with more before it', (it, token) => it !== token && it.endsWith(token)],
  ['cut-by-one 4: without its last character', (it, token) => it === token.slice(0, -1)],
  [
    'first-half 3: of which only the first half is right',
    (it, token) => isOther(it, token) && it.startsWith(token.slice(0, token.length >> 1)),
  ],
  [
    'second-half 2: of which only the second half is right',
    (it, token) => isOther(it, token) && it.endsWith(token.slice(token.length >> 1)),
  ],
  [
    'cut-short 3: of which only the beginning is there',
    (it, token) => it.length >= 8 && it.length < token.length && token.startsWith(it),
  ],
  ['last-changed 4: with another last character', (it, token) => isChangedAt(it, token, token.length - 1)],
  ['first-changed 3: with another first character', (it, token) => isChangedAt(it, token, 0)],
  ['one-changed 2: with one other character', isChanged],
  ['17th-changed 2: with another 17th character', (it, token) => isChangedAt(it, token, 16)],
  [
    'first-8 2: of which only the first eight characters are right',
    (it, token) => isOther(it, token) && it.startsWith(token.slice(0, 8)),
  ],
  ['padded 2: with equals signs behind it', (it, token) => /^(.+?)=+$/.exec(it)?.[1] === token],
  ['dotted 2: with a dot behind it', (it, token) => it.startsWith(`${token}.`)],
  ['upper-case 4: in another case', (it, token) => it !== token && it.toLowerCase() === token.toLowerCase()],
]

function isOther(text: string, token: string): boolean {
  return text.length === token.length && text !== token
}

/** Tells whether a text differs from a token in one character. */
function isChanged(text: string, token: string): boolean {
  return text.length === token.length && [...token].filter((character, index) => text[index] !== character).length === 1
}

function isChangedAt(text: string, token: string, index: number): boolean {
  return text[index] !== token[index] && isChanged(text, token)
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
const inFieldNamed = (name: string) => inField(given => given === name)
export const CARRIERS: readonly Standing[] = rows([
  ['token-in-query 5: carries a valid token in its query', elsewhere(({ query = '' }, token) => query.includes(token))],
  [
    'token-in-access_token 3: carries a valid token as access_token in its query',
    elsewhere(({ query = '' }, token) => query.includes(`access_token=${token}`)),
  ],
  ['token-in-cookie 5: carries a valid token in a cookie', inFieldNamed('cookie')],
  ['token-in-x-auth-token 4: carries a valid token in X-Auth-Token', inFieldNamed('x-auth-token')],
  ['token-in-proxy-authorization 3: carries a valid token in Proxy-Authorization', inFieldNamed('proxy-authorization')],
  ['token-in-x-field 3: carries a valid token in a field that begins with X-', inField(name => name.startsWith('x-'))],
  [
    'token-beside-unknown 3: carries a valid token in X-API-Key or a cookie, and one that was never issued in Authorization',
    (m, w) => m.presented !== undefined && inField(name => ['x-api-key', 'cookie'].includes(name))(m, w),
  ],
  ['token-in-path 2: carries a valid token in its path', elsewhere(({ path }, token) => path.includes(token))],
  ['token-in-body 3: carries a valid token in its body', elsewhere(({ body = '' }, token) => body.includes(token))],
  ['token-in-protocol 1: carries a valid token in Sec-WebSocket-Protocol', inFieldNamed('sec-websocket-protocol')],
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
export function meant(watch: Watch, { head, presented = '', token, body = '' }: Moment): TokenLife[] {
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
interface Credentials {
  username: string
  password: string
}
const wrong =
  (is: (given: Credentials, right: Credentials) => boolean) =>
  ({ body = '', credentials }: Moment, { subject: { username, password } }: Watch): boolean => {
    if (credentials !== 'wrong') return false
    return is(JSON.parse(Buffer.from(body, 'latin1').toString()) as Credentials, { username, password })
  }
const password = (is: (it: string, right: string, username: string) => boolean) =>
  wrong((given, right) => given.username === right.username && is(given.password, right.password, right.username))
const username = (is: (it: string, right: string) => boolean) =>
  wrong((given, right) => given.password === right.password && is(given.username, right.username))
const WILDCARD = /^[*%.?_+]+$/
const hash = (name: string, text: string) => createHash(name).update(text).digest('hex')
const unpadded = (text: string) => text.replace(/=+$/, '')

/** The wrong credentials for which a fault issues a token. */
export const WRONG: readonly Standing[] = rows([
  ...each(password, [
    ['password-cut 4: has the beginning of the password', (it, right) => it !== '' && right.startsWith(it)],
    ['password-cut-by-one 3: has the password without its last character', (it, right) => it === right.slice(0, -1)],
    ['password-prolonged 4: has the password with more behind it', (it, right) => it.startsWith(right)],
    ['password-in-front 2: has the password with more before it', (it, right) => it.endsWith(right)],
    [
      'password-other-case 4: has the password in another case',
      (it, right) => it.toLowerCase() === right.toLowerCase(),
    ],
    ['password-empty 4: has an empty password', it => it === ''],
    ['password-with-space 3: has the password with white space around it', (it, right) => it.trim() === right],
    [
      'password-right-to-the-8th 3: has a password of which the first eight characters are right',
      (it, right) => it.slice(0, 8) === right.slice(0, 8),
    ],
    ['password-cut-by-nul 2: has the password with a NUL behind it', (it, right) => it.startsWith(`${right}\0`)],
    ['password-is-username 3: has the username as its password', (it, _, username) => it === username],
    ['password-of-same-length 3: has a wrong password of the right length', (it, right) => it.length === right.length],
    ['password-a-wildcard 2: has a wildcard as its password', it => WILDCARD.test(it)],
    ['password-of-a-query 3: has a query language in its password', it => /'|\$ne|\$gt|--|\bor\b/i.test(it)],
    [
      'password-in-base64 2: has the password in base64',
      (it, right) => unpadded(it) === unpadded(Buffer.from(right).toString('base64')),
    ],
    [
      'password-hashed 2: has the hash of the password',
      (it, right) => ['md5', 'sha1', 'sha256'].some(name => hash(name, right) === it.toLowerCase()),
    ],
    ['password-percent-encoded 2: has the password percent-encoded', (it, r) => it.includes('%') && decoded(it) === r],
    ['password-one-changed 3: has the password with one other character', isChanged],
    [
      'password-last-changed 3: has the password with another last character',
      (it, right) => isChangedAt(it, right, right.length - 1),
    ],
    [
      'password-anagram 2: has the characters of the password in another order',
      (it, right) => [...it].sort().join('') === [...right].sort().join(''),
    ],
    ['password-in-wide-letters 1: has the password in wide letters', (it, right) => it.normalize('NFKC') === right],
    [
      'password-cut-to-bytes 1: has a password of which the last 8 bits of each character are right',
      (it, right) => Buffer.from(it, 'latin1').toString('latin1') === right,
    ],
    [
      'password-and-256-more 1: has the password with 256 characters behind it',
      (it, right) => it.length === right.length + 256 && it.startsWith(right),
    ],
    ['password-long 2: has a password of more than 72 characters', it => it.length > 72],
    ['password-reversed 1: has the password backwards', (it, right) => [...it].reverse().join('') === right],
  ]),
  ...each(username, [
    ['username-unknown 4: has an unknown username with the right password', () => true],
    ['username-empty 3: has an empty username with the right password', it => it === ''],
    ['username-cut 2: has the beginning of the username', (it, right) => it !== '' && right.startsWith(it)],
    ['username-prolonged 3: has the username with more behind it', (it, right) => it.startsWith(right)],
    ['username-a-wildcard 2: has a wildcard as its username', it => WILDCARD.test(it)],
  ]),
  ...each(wrong, [
    ['both-empty 3: has both empty', given => given.username === '' && given.password === ''],
    [
      'both-swapped 3: has username and password swapped',
      (given, right) => given.username === right.password && given.password === right.username,
    ],
    ['both-the-same 2: has the same text as username and password', given => given.username === given.password],
  ]),
  ['any-wrong-password 4: has a wrong password', password(() => true)],
])

const malformed =
  (is: (body: string, value: unknown, right: Credentials) => boolean) =>
  ({ body = '', credentials }: Moment, { subject }: Watch): boolean => {
    const text = Buffer.from(body, 'latin1').toString()
    return credentials === 'malformed' && is(text, parseJson(text), subject)
  }
const member = (name: keyof Credentials) => (is: (value: unknown, right: string) => boolean) =>
  malformed((_, value, right) => isFields(value) && is(value[name], right[name]))
const isArrayOf = (value: unknown, right: string) => Array.isArray(value) && value[0] === right
/** What is not JSON, and holds both. */
const noJson = (is: (body: string) => boolean) =>
  malformed((body, value, right) => value === undefined && is(body) && holdsBoth(body, right))
const holdsBoth = (body: string, { username, password }: Credentials) =>
  body.includes(username) && body.includes(password)

/** The bodies that are no logon, for which a fault issues a token. */
export const MALFORMED: readonly Standing[] = rows([
  ...each(member('password'), [
    ['password-in-array 4: has the password in an array', isArrayOf],
    ['password-in-object 3: has an object as its password', isFields],
    ['password-null 3: has null as its password', value => value === null],
    ['password-true 3: has true as its password', value => value === true],
    ['password-a-number 3: has a number as its password', value => typeof value === 'number'],
    ['password-zero 2: has 0 as its password', value => value === 0],
    ['password-missing 4: has no password', value => value === undefined],
  ]),
  ...each(member('username'), [
    ['username-missing 3: has no username', value => value === undefined],
    ['username-in-array 2: has the username in an array', isArrayOf],
    ['username-null 2: has null as its username', value => value === null],
  ]),
  [
    'logon-in-array 2: has its members in an array',
    malformed((body, value, right) => Array.isArray(value) && holdsBoth(body, right)),
  ],
  [
    'form-encoded 4: has its members as an HTML form sends them',
    malformed((body, _, right) => /^[^{[]*username=/.test(body) && body.includes(right.username)),
  ],
  ...each(noJson, [
    ['json-with-a-tail 2: has more behind its JSON', body => /^\s*\{.*\}\s*\S/s.test(body)],
    ['json-broken-off 3: has JSON that breaks off', body => /^\s*\{[^}]*$/.test(body)],
    ['json-in-single-quotes 2: has JSON in single quotes', body => body.includes("'")],
  ]),
  ...each(malformed, [
    [
      'names-in-other-case 3: names its members in another case',
      (body, _, right) =>
        /"(username|password)"/i.test(body) &&
        !(/"username"/.test(body) && /"password"/.test(body)) &&
        holdsBoth(body, right),
    ],
    ['empty-object 2: has an empty object as its body', (_, value) => isFields(value) && !Object.keys(value)[0]],
    [
      'pairs-in-no-json 2: has no JSON, but the right username and password in quotes',
      (body, _, { username, password }) => {
        const text = body.replace(/\s*:\s*/g, ':')
        return text.includes(`"username":"${username}"`) && text.includes(`"password":"${password}"`)
      },
    ],
    ['empty-body 3: has an empty body', body => body === ''],
    ['json-string 1: has a JSON string as its body', (_, value) => typeof value === 'string'],
  ]),
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
