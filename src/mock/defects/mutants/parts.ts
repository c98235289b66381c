/**
 * The parts of a fault by their names: a kind of request and the triggers. A named defect may also have, beside the rows of
 * mutants, a part that is not so (`!kept-connection`), a number (`live>=3`, `logon-count%3=2`), and the requests that came right
 * before, the latest last (`[use:own logon*2]`).
 */
import { LOGON_PATH } from '../../routes.js'
import { isLogon, isRevocation } from '../tools.js'
import { carriedBy, kindOf, type Moment, type Past, type TokenLife } from './moment.js'
import * as standings from './standings.js'
import { TRIGGERS, type Trigger } from './triggers.js'
import type { Watch } from './watch.js'

/** A part of a fault, as far as a fault needs it. */
export type Part = Pick<Trigger, 'id' | 'is'> & Partial<Trigger>

const carries =
  (...kinds: string[]) =>
  (moment: Moment) =>
    kinds.includes(carriedBy(moment))
/** Kinds of requests of named defects only. */
const KINDS: Record<string, Trigger['is']> = {
  bare: ({ isBare }) => isBare,
  request: ({ isBare }) => !isBare,
  /** A use or a revocation that the device would take: after a revocation that it refused, or ignored, too. */
  good: (moment, { subject: { tokens } }) =>
    moment.token !== undefined &&
    tokens.state(moment.token.record) === 'issued' &&
    !moment.isBare &&
    !isLogon(moment.head),
  revoking: ({ head }) => isRevocation(head),
  invalid: moment => !moment.isValid && !moment.isBare,
  refused: moment => kindOf(moment) === 'refusal',
  wrong: ({ credentials }) => credentials === 'wrong',
  valid: carries('valid'),
  unknown: carries('unknown'),
  dead: carries('revoked', 'expired'),
  tokenless: carries('nothing'),
  'logon-path': ({ path }) => path === LOGON_PATH,
  'token-half-right': (moment, watch) =>
    ['token-first-half', 'token-second-half'].some(id =>
      standings.LOOKALIKES.some(s => s.id === id && s.is(moment, watch)),
    ),
  'well-formed': ({ presented = '' }, { subject }) => {
    const { alphabet, length, prefix = '', suffix = '' } = subject.tokens.parts.format
    const random = presented.slice(prefix.length, prefix.length + length)
    const isRandom = random.length === length && [...random].every(char => alphabet.includes(char))
    return isRandom && presented === `${prefix}${random}${suffix}`
  },
  'names-user': ({ body }, { subject }) => body?.includes(`"${subject.username}"`) === true,
  'names-password': ({ body }, { subject }) => body?.includes(`"${subject.password}"`) === true,
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
}
const PARTS = new Map<string, Part>([
  ...Object.entries(KINDS).map(([id, is]): [string, Part] => [id, { id, is }]),
  ...[...TRIGGERS, ...Object.values(standings).flatMap(list => (Array.isArray(list) ? list : []))].map(
    (part): [string, Part] => [part.id, part],
  ),
])

/** Numbers that named defects count. */
const NUMBERS: Record<string, (moment: Moment, watch: Watch, of: string) => number | undefined> = {
  live: (_, watch) => watch.valid().length,
  nth: ({ connection }) => connection.past.length + 1,
  connection: ({ connection }) => connection.number,
  headers: ({ head }) => head.headers.length,
  target: ({ head }) => head.target.length,
  uses: ({ token }) => token?.uses,
  looks: ({ token }) => token?.looks,
  /** Lifetimes since a use was noted. */
  idle: ({ nowMs, notedMs }, { subject }) => (nowMs - notedMs) / subject.idleLifetimeMs,
  /** Lifetimes and milliseconds since the end. */
  ended: (moment, watch) => endedMs(moment, watch) / watch.subject.idleLifetimeMs,
  'ended-ms': (moment, watch) => endedMs(moment, watch),
  deletes: ({ token }, { past }) => past.filter(each => each.token === token && each.method === 'DELETE').length,
  'revocations-since': ({ token }, { tokens }) =>
    tokens.filter(({ revokedAs = 0 }) => token?.revokedAs && revokedAs > token.revokedAs).length,
  'own-run': ({ token }, { past }) => runOf(past, each => each.kind === 'use' && each.token === token),
  /** Earlier uses of its token after half or a tenth of the lifetime. */
  'late-uses': (moment, watch) => usesAfter(0.5, moment, watch),
  'rested-uses': (moment, watch) => usesAfter(0.1, moment, watch),
  count: (_, { counts }, of) => [...counts].find(([kind]) => kind.replace(' ', '-') === of)?.[1] ?? 0,
  run: (_, { past }, of) => runOf(past, each => isOf(each, of)),
  here: ({ connection }, _, of) => connection.past.filter(each => isOf(each, of)).length,
}

function endedMs({ token, nowMs }: Moment, { subject }: Watch): number {
  return token === undefined ? Number.NaN : nowMs - (token.revokedMs ?? token.lastUsedMs + subject.idleLifetimeMs)
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

/** Tells whether an earlier request was of a kind: what became of it, why it was refused, or its method; several with dots. */
function isOf({ kind, carried, method }: Past, words: string): boolean {
  const isDead = carried === 'revoked' || carried === 'expired'
  const kinds = [kind.replace(' ', '-'), method, ...(kind === 'refusal' ? [carried, isDead && 'dead'] : [])]
  return words.split('.').every(word => kinds.includes(word))
}

/** Finds a part by its name; undefined where that is no name of one. */
export function partOf(name: string): Part | undefined {
  if (name.startsWith('!')) {
    const part = partOf(name.slice(1))
    return part && { id: name, is: (moment, watch) => !part.is(moment, watch) }
  }
  if (name.startsWith('[')) return { id: name, is: after(name.slice(1, -1)) }
  return PARTS.get(name) ?? numberOf(name)
}

function numberOf(name: string): Part | undefined {
  const [, of, sign, limit, rest = 0] = /^([a-z-]+)(>=|<|=|%)([\d.]+)(?:=(\d+))?$/.exec(name) ?? []
  if (of === undefined) return undefined
  const [, kind = '', count = ''] = /^(.+)-(count|run|here)$/.exec(of) ?? []
  const number = NUMBERS[of] ?? NUMBERS[count]
  if (number === undefined) return undefined
  const compare: Record<string, (value: number) => boolean> = {
    '>=': value => value >= Number(limit),
    '<': value => value < Number(limit),
    '=': value => value === Number(limit),
    '%': value => value % Number(limit) === Number(rest),
  }
  return { id: name, is: (moment, watch) => compare[sign ?? '']?.(number(moment, watch, kind) ?? Number.NaN) ?? false }
}

/** Tells whether certain requests came right before. Those with the same letter had the same token; `own` is that of the request. */
function after(words: string): Trigger['is'] {
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
