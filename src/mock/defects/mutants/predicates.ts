/**
 * Reads what a request must be, in words: one of the names of {@link NAMED}; a number (`live>=3`, `logon-count%3=2`); a text
 * (`method=PUT`, `path~/%2f/i`, `query` alone where it only has to be there), or how it is like the right one (`password is
 * backwards`); or the requests that came right before, the latest last (`[use:own logon*2]`). `!` before it is what is not so; ` & `
 * stands between several. Over 250 lines, since it is one language: each table holds the words of a kind.
 */
import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { decoded } from '../../../ground/decoded.js'
import { isFields, parseJson } from '../../../ground/json.js'
import { headerValues } from '../../messages.js'
import { LOGON_PATH } from '../../routes.js'
import { isLogon, isRevocation } from '../tools.js'
import { carriedBy, kindOf, type Moment, type Past, type TokenLife } from './moment.js'
import type { Watch } from './watch.js'

/** Tells whether a request is so. */
export type Is = (moment: Moment, watch: Watch) => boolean

/** A test of the life of the token. */
const life = (is: (life: TokenLife, moment: Moment, watch: Watch) => boolean) => (moment: Moment, watch: Watch) =>
  moment.token !== undefined && is(moment.token, moment, watch)
const beside = (is: (other: Moment, moment: Moment) => boolean) => (moment: Moment) =>
  moment.beside.some(other => is(other, moment))
const isAt = (name: string) => (other: Moment) => other.head.method === name && other.path === LOGON_PATH
const isLogonPast = ({ kind }: Past) => kind === 'logon' || kind === 'refused logon'

/** What neither a number nor a text says. */
const NAMED: Record<string, Is> = {
  bare: ({ isBare }) => isBare,
  'logging-on': ({ head }) => isLogon(head),
  /** A use or a revocation that the device would take: after a revocation that it refused, or ignored, too. */
  good: (moment, { subject: { tokens } }) =>
    moment.token !== undefined &&
    tokens.state(moment.token.record) === 'issued' &&
    !moment.isBare &&
    !isLogon(moment.head),
  revoking: ({ head }) => isRevocation(head),
  granted: ({ isGranted }) => isGranted,
  unserved: ({ path }, { subject }) => !(path in subject.device.routes),
  'well-formed': ({ presented = '' }, { subject }) => {
    const { alphabet, length, prefix = '', suffix = '' } = subject.tokens.parts.format
    const random = presented.slice(prefix.length, prefix.length + length)
    const isRandom = random.length === length && [...random].every(char => alphabet.includes(char))
    return isRandom && presented === `${prefix}${random}${suffix}`
  },
  'prolonged-revoked': ({ presented, token }, { tokens }) =>
    token === undefined && tokens.some(({ text, revokedMs }) => revokedMs !== undefined && presented?.startsWith(text)),
  /** A valid token in the target or any header, where Authorization is missing. */
  'token-elsewhere': ({ presented, head }, watch) =>
    presented === undefined &&
    watch.valid().some(({ text }) => [head.target, ...head.headers.flat()].some(value => value.includes(text))),
  'revoked-since-logon': (_, { past }) =>
    past.find(({ kind }) => kind === 'logon' || kind === 'revocation')?.kind === 'revocation',
  'fourth-connection-in-a-row': ({ connection }, { past }) =>
    new Set([connection, ...past.slice(0, 3).map(({ on }) => on)]).size === 4,
  /** Carries the place of a valid token among all that were issued. */
  'place-of-token': ({ presented = '' }, watch) => {
    const life = /^[0-9]{1,4}$/.test(presented) ? watch.tokens[Number(presented)] : undefined
    return life !== undefined && watch.isValid(life)
  },
  /** The first without a token since one has expired. */
  'first-after-expiry': ({ nowMs }, { past, tokens, subject }) =>
    tokens.some(({ revokedMs, lastUsedMs }) => {
      const endMs = lastUsedMs + subject.idleLifetimeMs
      const beforeMs = past.find(({ carried }) => carried === 'nothing')?.atMs ?? Number.NEGATIVE_INFINITY
      return revokedMs === undefined && endMs <= nowMs && endMs > beforeMs
    }),
  /** Carries a token that is not like any that was issued. */
  unknown: ({ presented, token }, { tokens }) =>
    presented !== undefined && token === undefined && !tokens.some(({ text }) => isLike(presented, text)),
  'basic-scheme': ({ head }, { tokens }) =>
    headerValues(head.headers, 'authorization').some(value => {
      const decoded = Buffer.from(value.replace(/^\S+ /, ''), 'base64').toString('latin1')
      return /^basic /i.test(value) && !tokens.some(({ text }) => value.includes(text) || decoded.includes(text))
    }),
  'basic-credentials': ({ head }, { subject: { username, password } }) =>
    headerValues(head.headers, 'authorization')[0] ===
    `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
  'both-the-same': moment => {
    const { username, password } = wrongLogon(moment)
    return username !== undefined && username === password
  },
  'password-in-array': (moment, { subject }) => isArrayOf(memberOf(moment, 'password'), subject.password),
  'username-in-array': (moment, { subject }) => isArrayOf(memberOf(moment, 'username'), subject.username),
  pipelined: ({ head }) => head.isPipelined === true,
  'resumed-session': ({ head: { connection } }) => connection instanceof TLSSocket && connection.isSessionReused(),
  'old-tls': ({ head: { connection } }) => connection instanceof TLSSocket && connection.getProtocol() === 'TLSv1.2',
  'protocol-in-tls': ({ head: { connection } }) =>
    connection instanceof TLSSocket && typeof connection.alpnProtocol === 'string',
  'named-in-tls': ({ head: { connection } }) =>
    connection instanceof TLSSocket && typeof connection.servername === 'string',
  'after-token-here': ({ connection }) => connection.past[0]?.token !== undefined,
  'beside-logon': beside(isAt('POST')),
  'beside-revocation': beside(isAt('DELETE')),
  'beside-same-token': beside((other, { token }) => other.token === token),
  /** Of two back ends, which take turns. */
  'other-back-end': life((life, { connection }, watch) => watch.numberOf(life.bornOn) % 2 !== connection.number % 2),
  'older-connection': life((life, { connection }, watch) => connection.number < watch.numberOf(life.bornOn)),
  'issued-here': life((life, { head }) => life.bornOn === head.connection),
  'issued-elsewhere': life((life, { head }) => life.bornOn !== head.connection),
  'last-used-here': life((life, { head }) => life.lastOn === head.connection),
  'last-used-elsewhere': life((life, { head }) => life.lastOn !== head.connection),
  'logon-open': life(({ bornOn }) => !(bornOn as Socket).destroyed),
  'last-use-open': life(({ lastOn }) => !(lastOn as Socket).destroyed),
  'no-logon-since': life(
    ({ revokedMs, lastUsedMs }, _, { lastLogonMs, subject }) =>
      lastLogonMs < (revokedMs ?? lastUsedMs + subject.idleLifetimeMs),
  ),
  'revoked-elsewhere': life(({ revokedOn }, { head }) => revokedOn !== undefined && revokedOn !== head.connection),
  'sent-before': (moment, { past }) => past.some(({ body }) => body !== undefined && body === moment.body),
  'sent-just-before': (moment, { past }) => past.find(isLogonPast)?.body === moment.body,
}

function isArrayOf(value: unknown, right: string): boolean {
  return Array.isArray(value) && value[0] === right
}

/** The credentials of a logon that are wrong; none of another request. */
function wrongLogon(moment: Moment): Partial<Record<string, string>> {
  return moment.credentials === 'wrong' ? JSON.parse(bodyOf(moment)) : {}
}

/** The body of a logon that is malformed. */
function malformedLogon(moment: Moment): string | undefined {
  return moment.credentials === 'malformed' ? bodyOf(moment) : undefined
}

function bodyOf({ body = '' }: Moment): string {
  return Buffer.from(body, 'latin1').toString()
}

/** A member of a malformed logon. */
function memberOf(moment: Moment, name: string): unknown {
  const value = parseJson(malformedLogon(moment) ?? '')
  return isFields(value) ? value[name] : undefined
}

/**
 * Texts of a request; `of` is what stands behind a colon: a member of the logon, or the names of header fields, with commas; `x-*` are
 * those that begin so.
 */
const TEXTS: Record<string, (moment: Moment, of: string) => string | readonly string[] | undefined> = {
  method: ({ head }) => head.method,
  target: ({ head }) => head.target,
  version: ({ head }) => head.httpVersion,
  path: ({ path }) => path,
  query: ({ query }) => query,
  body: ({ body }) => body,
  field: ({ head }, of) => head.headers.flatMap(([name, value]) => (isNamed(name.toLowerCase(), of) ? [value] : [])),
  /** With commas. */
  'field-names': ({ head }) => head.headers.map(([name]) => name).join(),
  presented: ({ presented }) => presented,
  token: ({ token }) => token?.text,
  carried: carriedBy,
  kind: kindOf,
  credentials: ({ credentials }) => credentials,
  'born-after': ({ token }) => token?.bornAfter,
  username: moment => wrongLogon(moment).username,
  password: moment => wrongLogon(moment).password,
  /** A malformed logon, also as JSON, and a member of it as JSON. */
  logon: malformedLogon,
  'logon-json': moment => JSON.stringify(parseJson(malformedLogon(moment) ?? '')),
  member: (moment, of) => JSON.stringify(memberOf(moment, of)),
}

function isNamed(name: string, of: string): boolean {
  return of.split(',').some(each => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each))
}

/** Tells whether a text is so, compared with the right one. */
type Relation = (text: string, right: string) => boolean

const isChangedAt = (text: string, right: string, index: number) =>
  text[index] !== right[index] && isChanged(text, right)
const isChanged: Relation = (text, right) =>
  text.length === right.length && [...right].filter((character, index) => text[index] !== character).length === 1
const isOther: Relation = (text, right) => text.length === right.length && text !== right
const hash = (name: string, text: string) => createHash(name).update(text).digest('hex')
const unpadded = (text: string) => text.replace(/=+$/, '')
const inOrder = (text: string) => [...text].sort().join('')

/** The ways in which a text may be like a token. */
const LIKENESS: Record<string, Relation> = {
  prolonged: (it, right) => it !== right && it.startsWith(right),
  'put-in-front': (it, right) => it !== right && it.endsWith(right),
  'cut-by-one': (it, right) => it === right.slice(0, -1),
  'first-half': (it, right) => isOther(it, right) && it.startsWith(right.slice(0, right.length >> 1)),
  'second-half': (it, right) => isOther(it, right) && it.endsWith(right.slice(right.length >> 1)),
  'cut-short': (it, right) => it.length >= 8 && it.length < right.length && right.startsWith(it),
  'last-changed': (it, right) => isChangedAt(it, right, right.length - 1),
  'first-changed': (it, right) => isChangedAt(it, right, 0),
  'one-changed': isChanged,
  '17th-changed': (it, right) => isChangedAt(it, right, 16),
  'first-8': (it, right) => isOther(it, right) && it.startsWith(right.slice(0, 8)),
  padded: (it, right) => /^(.+?)=+$/.exec(it)?.[1] === right,
  dotted: (it, right) => it.startsWith(`${right}.`),
  'other-case': (it, right) => it !== right && it.toLowerCase() === right.toLowerCase(),
}

/** Those, and the further ways in which credentials may be like the right ones. */
const RELATIONS: Record<string, Relation> = {
  ...LIKENESS,
  cut: (it, right) => it !== '' && right.startsWith(it),
  'with-space': (it, right) => it.trim() === right,
  'right-to-the-8th': (it, right) => it.slice(0, 8) === right.slice(0, 8),
  'as-long': (it, right) => it.length === right.length,
  'in-base64': (it, right) => unpadded(it) === unpadded(Buffer.from(right).toString('base64')),
  hashed: (it, right) => ['md5', 'sha1', 'sha256'].some(name => hash(name, right) === it.toLowerCase()),
  'percent-encoded': (it, right) => it.includes('%') && decoded(it) === right,
  'an-anagram': (it, right) => inOrder(it) === inOrder(right),
  'in-wide-letters': (it, right) => it.normalize('NFKC') === right,
  'right-in-8-bits': (it, right) => Buffer.from(it, 'latin1').toString('latin1') === right,
  backwards: (it, right) => [...it].reverse().join('') === right,
}

/** Tells whether a text is like a token in one of the ways of look-alikes. */
export function isLike(text: string, token: string): boolean {
  return Object.values(LIKENESS).some(is => is(text, token))
}

/** Times in lifetimes; with `-ms` behind the name, in milliseconds. */
const TIMES: Record<string, (moment: Moment, watch: Watch) => number | undefined> = {
  /** Since the device noted a use of the token, and since it was used by the reference. */
  idle: ({ nowMs, notedMs }) => nowMs - notedMs,
  unused: ({ idleMs }) => idleMs,
  age: ({ nowMs, token }) => token && nowMs - token.issuedMs,
  /** Since the token ended, and since a token was issued. */
  ended: ({ nowMs, token }, { subject }) =>
    token && nowMs - (token.revokedMs ?? token.lastUsedMs + subject.idleLifetimeMs),
  issued: ({ nowMs }, { lastLogonMs }) => nowMs - lastLogonMs,
  /** Without any request, and without one on the connection. */
  quiet: ({ nowMs, quietSinceMs }) => nowMs - quietSinceMs,
  rested: ({ nowMs, connection }) => nowMs - connection.lastMs,
  open: ({ nowMs, connection }) => nowMs - connection.openedMs,
}

/**
 * Other numbers; `of` is what stands before `-count`, `-run` (in a row), `-here` (on the connection) or both, or the header field
 * before `-fields` (how many) and `-at` (its place, from 0).
 */
const NUMBERS: Record<string, (moment: Moment, watch: Watch, of: string) => number | undefined> = {
  live: (_, watch) => watch.valid().length,
  nth: ({ connection }) => connection.past.length + 1,
  connection: ({ connection }) => connection.number,
  'open-connections': (_, watch) => watch.openConnections(),
  beside: ({ beside }) => beside.length,
  headers: ({ head }) => head.headers.length,
  'head-size': ({ head }) => head.headers.reduce((sum, [name, value]) => sum + `${name}: ${value}\r\n`.length, 0),
  'repeated-fields': moment => namesOf(moment).length - new Set(namesOf(moment)).size,
  'behind-authorization': moment => namesOf(moment).length - 1 - namesOf(moment).indexOf('authorization'),
  fields: ({ head }, _, of) => headerValues(head.headers, of).length,
  at: (moment, _, of) => namesOf(moment).indexOf(of),
  announced: ({ head }) => Number(headerValues(head.headers, 'content-length')[0] ?? 0),
  'head-pieces': ({ pieces }) => pieces.head,
  'body-pieces': ({ pieces }) => pieces.body,
  chunks: ({ pieces }) => pieces.chunks,
  target: ({ head }) => head.target.length,
  uses: ({ token }) => token?.uses,
  looks: ({ token }) => token?.looks,
  token: ({ token }) => token && (token.record.number ?? 0),
  'used-tokens': (_, { tokens }) => tokens.filter(({ uses }) => uses > 0).length,
  'newer-tokens': ({ token }, { tokens }) => token && tokens.length - 1 - tokens.indexOf(token),
  'place-among-valid': ({ token }, watch) => token && watch.valid().indexOf(token),
  'born-beside': ({ token }) => token?.bornBeside,
  deletes: ({ token }, { past }) => past.filter(each => each.token === token && each.method === 'DELETE').length,
  'revocations-since': ({ token }, { tokens }) =>
    tokens.filter(({ revokedAs = 0 }) => token?.revokedAs && revokedAs > token.revokedAs).length,
  'own-run': ({ token }, { past }) => runOf(past, each => each.kind === 'use' && each.token === token),
  'own-uses-here': ({ token, connection }) => token && usesIn(connection.past, each => each === token),
  'other-uses-here': ({ token, connection }) => usesIn(connection.past, each => each !== token),
  'unknown-tokens-here': ({ connection }) => connection.past.filter(({ carried }) => carried === 'unknown').length,
  'named-hosts-here': ({ connection }) => connection.past.filter(({ kind }) => kind !== 'bare').length,
  /** Earlier uses of its token after half or a tenth of the lifetime. */
  'late-uses': (moment, watch) => usesAfter(0.5, moment, watch),
  'rested-uses': (moment, watch) => usesAfter(0.1, moment, watch),
  count: (_, { counts }, of) => [...counts].find(([kind]) => kind.replace(' ', '-') === of)?.[1] ?? 0,
  run: (_, { past }, of) => runOf(past, each => isOf(each, of)),
  'run-here': ({ connection }, _, of) => runOf(connection.past, each => isOf(each, of)),
  here: ({ connection }, _, of) => connection.past.filter(each => isOf(each, of)).length,
}

function namesOf({ head }: Moment): string[] {
  return head.headers.map(([name]) => name.toLowerCase())
}

function usesIn(past: readonly Past[], isOne: (token: TokenLife) => boolean): number {
  return past.filter(({ kind, token }) => kind === 'use' && token !== undefined && isOne(token)).length
}

function usesAfter(lifetimes: number, { token }: Moment, { past, subject }: Watch): number {
  return past.filter(
    each => each.token === token && each.kind === 'use' && each.unnotedMs >= lifetimes * subject.idleLifetimeMs,
  ).length
}

function runOf(past: readonly Past[], is: (past: Past) => boolean): number {
  const end = past.findIndex(each => !is(each))
  return end < 0 ? past.length : end
}

/** Tells whether an earlier request was of a kind: what became of it, why it was refused, its status or method; several with dots. */
function isOf({ kind, carried, method, status }: Past, words: string): boolean {
  const isDead = carried === 'revoked' || carried === 'expired'
  const kinds = [
    kind.replace(' ', '-'),
    method,
    `${status}`,
    ...(kind === 'refusal' ? [carried, isDead && 'dead'] : []),
  ]
  return words.split('.').every(word => kinds.includes(word))
}

/** Makes a test of its words; undefined where they say none. */
export function testOf(words: string): Is | undefined {
  const several = words.split(' & ')
  if (several.length > 1) {
    const tests = several.map(knownTest)
    return (moment, watch) => tests.every(is => is(moment, watch))
  }
  if (words.startsWith('[')) return after(words.slice(1, -1))
  if (!words.startsWith('!')) return NAMED[words] ?? numberTest(words) ?? relationTest(words) ?? textTest(words)
  const is = testOf(words.slice(1))
  return is && ((moment, watch) => !is(moment, watch))
}

/** Makes a test of its words. @throws Error where they say none */
export function knownTest(words: string): Is {
  const is = testOf(words)
  if (is === undefined) throw new Error(`${words}: what is that?`)
  return is
}

function numberTest(words: string): Is | undefined {
  const [, name = '', sign = '', limit, rest = 0] = /^([\w-]+)(>=|>|<|=|%)([\d.]+)(?:=(\d+))?$/.exec(words) ?? []
  const number = numberOf(name)
  const compare: Record<string, (value: number) => boolean> = {
    '>=': value => value >= Number(limit),
    '>': value => value > Number(limit),
    '<': value => value < Number(limit),
    '=': value => value === Number(limit),
    '%': value => value % Number(limit) === Number(rest),
  }
  return number && ((moment, watch) => compare[sign]?.(number(moment, watch) ?? Number.NaN) ?? false)
}

function numberOf(name: string): ((moment: Moment, watch: Watch) => number | undefined) | undefined {
  const [, of = '', count = name] = /^(.+?)-(count|run-here|run|here|fields|at)$/.exec(name) ?? []
  const number = NUMBERS[name] ?? NUMBERS[count]
  if (number) return (moment, watch) => number(moment, watch, of)
  const [, time = '', ms] = /^(.+?)(-ms)?$/.exec(name) ?? []
  const timeMs = TIMES[time]
  if (ms) return timeMs
  return timeMs && ((moment, watch) => (timeMs(moment, watch) ?? Number.NaN) / watch.subject.idleLifetimeMs)
}

function relationTest(words: string): Is | undefined {
  const [, name = '', how = ''] = /^([a-z]+) is (\S+)$/.exec(words) ?? []
  const [textOf, is] = [TEXTS[name], RELATIONS[how]]
  if (!textOf || !is) return undefined
  return (moment, watch) => {
    const { username, password } = watch.subject
    const rights =
      name === 'presented' ? watch.valid().map(({ text }) => text) : [name === 'password' ? password : username]
    return [textOf(moment, '') ?? []].flat().some(text => rights.some(right => is(text, right)))
  }
}

/** `{token}` stands for any valid token, `{username}` and `{password}` for the right ones. */
function textTest(words: string): Is | undefined {
  const [, name = '', of = '', sign, wanted = ''] = /^([a-z-]+)(?::([a-z*,-]+))?(?:(!?=|~)(.*))?$/.exec(words) ?? []
  const textOf = TEXTS[name]
  const [, source = '', flags] = (sign === '~' && /^\/(.*)\/([a-z]*)$/.exec(wanted)) || []
  return (
    textOf &&
    ((moment, watch) => {
      const texts = [textOf(moment, of) ?? []].flat()
      if (sign === undefined) return texts.length > 0
      const tokens = wanted.includes('{token}') ? watch.valid().map(({ text }) => text) : ['']
      const { username, password } = watch.subject
      const isFound = tokens.some(token => {
        const fill = (text: string, write: (value: string) => string) =>
          text.replace(/\{(token|username|password)\}/g, (_, key: 'token') => write({ token, username, password }[key]))
        if (sign !== '~') return texts.includes(fill(wanted, String))
        const pattern = new RegExp(fill(source, escaped), flags)
        return texts.some(text => pattern.test(text))
      })
      return isFound !== (sign === '!=')
    })
  )
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

/** Tells whether certain requests came right before. Those with the same letter had the same token; `own` is that of the request. */
function after(words: string): Is {
  const steps = words.split(' ').flatMap(step => {
    const [one = '', times = 1] = step.split('*')
    return Array<string[]>(Number(times)).fill(one.split(':'))
  })
  steps.reverse()
  return ({ token }, { past }) => {
    const tokens = new Map<string, TokenLife | undefined>([['own', token]])
    return steps.every(([of = '', name], index) => {
      const each = past[index]
      if (each === undefined || !isOf(each, of)) return false
      if (name === undefined) return true
      if (!tokens.has(name) && ![...tokens.values()].includes(each.token)) tokens.set(name, each.token)
      return each.token !== undefined && tokens.get(name) === each.token
    })
  }
}
