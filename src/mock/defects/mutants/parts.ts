/**
 * The parts of a fault by their names: a kind of request and the triggers. A named defect may also have, beside the rows of
 * mutants, a part that is not so (`!kept-connection`), and what {@link testOf} reads.
 */
import { TLSSocket } from 'node:tls'
import { LOGON_PATH } from '../../routes.js'
import { isLogon, isRevocation } from '../tools.js'
import { carriedBy, kindOf } from './moment.js'
import { type Is, testOf } from './numbers.js'
import * as standings from './standings.js'
import { TRIGGERS, type Trigger } from './triggers.js'

/** A part of a fault, as far as a fault needs it. */
export type Part = Pick<Trigger, 'id' | 'is'> & Partial<Trigger>

/** Kinds of requests of named defects only. */
const KINDS: Record<string, Is> = {
  bare: ({ isBare }) => isBare,
  /** A use or a revocation that the device would take: after a revocation that it refused, or ignored, too. */
  good: (moment, { subject: { tokens } }) =>
    moment.token !== undefined &&
    tokens.state(moment.token.record) === 'issued' &&
    !moment.isBare &&
    !isLogon(moment.head),
  revoking: ({ head }) => isRevocation(head),
  refused: moment => kindOf(moment) === 'refusal',
  granted: ({ isGranted }) => isGranted,
  wrong: ({ credentials }) => credentials === 'wrong',
  tokenless: moment => carriedBy(moment) === 'nothing',
  'logon-path': ({ path }) => path === LOGON_PATH,
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

/** Kinds of connections that no mutant has. */
const NAMED: Part = {
  id: 'named-in-tls',
  is: ({ head: { connection } }) => connection instanceof TLSSocket && typeof connection.servername === 'string',
  needsTls: true,
}

const PARTS = new Map<string, Part>([
  [NAMED.id, NAMED],
  ...Object.entries(KINDS).map(([id, is]): [string, Part] => [id, { id, is }]),
  ...[...TRIGGERS, ...Object.values(standings).flatMap(list => (Array.isArray(list) ? list : []))].map(
    (part): [string, Part] => [part.id, part],
  ),
])

/** Finds a part by its name; undefined where that is no name of one. */
export function partOf(name: string): Part | undefined {
  if (name.startsWith('!')) {
    const part = partOf(name.slice(1))
    return part && { id: name, is: (moment, watch) => !part.is(moment, watch) }
  }
  const is = testOf(name)
  return PARTS.get(name) ?? (is && { id: name, is })
}
