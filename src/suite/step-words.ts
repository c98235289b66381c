/**
 * The words that spec files and checked specs share: bodies, spans, expectations, tokens, provider states. Here so that
 * neither the types of the YAML nor those of specs import the other for them.
 */
import type { BodySchema } from './body-schema.js'

/** A request body: a text is sent as it is, anything else as JSON. */
export type Body = string | unknown[] | Record<string, unknown>

/** Connections that take the place of the kept one, and speak TLS in a way of their own. */
const TLS_WAYS = ['alpn', 'named', 'resumed', 'tls-1.2'] as const
export type TlsWay = (typeof TLS_WAYS)[number]
/** The connection that a request is sent on. */
export type ConnectionWay = 'kept' | 'new' | TlsWay

/** Whether a connection is one that speaks TLS in a way of its own. */
export function isTlsWay(connection: ConnectionWay | undefined): connection is TlsWay {
  return TLS_WAYS.some(each => each === connection)
}

/** A span of time: a fraction of the idle lifetime, just past the lifetime and its tolerance, or safely under both. */
export type Span = { fraction: number } | 'past lifetime' | 'within lifetime'

/** An expectation of a response. A number is a status; `body` is a JSON Schema that the body fits. */
export type Expectation =
  | 'accepted'
  | 'not accepted'
  | 'rejected'
  | 'expired'
  | 'either'
  | 'nothing issued'
  | 'issued'
  | 'revoked'
  | 'open'
  | number
  | { body: BodySchema }

/** Changes that turn a token into one that was never issued. */
export const CHANGES = [
  'first character',
  'one character',
  'last character',
  'shortened',
  'prolonged',
  'upper case',
  'lower case',
] as const
export type Change = (typeof CHANGES)[number]

/** A token by the name of its logon, or a token made from it; `unknown`: a never-issued token of the same shape. */
export interface TokenRef {
  name: string
  change?: Change
}

/** The provider states of the token that a request carries. */
export const TOKEN_STATES = [
  'a valid token',
  'a revoked token',
  'an expired token',
  'a token that was never issued',
] as const
/** Provider states: the state of a Core before an interaction of a contract. The verifier brings each about. */
export const STATES = [
  ...TOKEN_STATES,
  'no token',
  'right credentials',
  'wrong credentials',
  'an unknown user',
  'access control off',
] as const
export type State = (typeof STATES)[number]

/** The place of a value in a response: a JSON Pointer (RFC 6901) into the body, or `header:` and a name. */
export interface Saved {
  name: string
  at: string
  /** Present where the value is hidden from every output. */
  isSecret?: true
}

/** Header fields beside Host that a client adds to every request. Without them it is the request that the reference shows. */
export const OF_CLIENTS = ['User-Agent', 'Connection']

/** Name that stands for a never-issued token of the right shape. */
export const UNKNOWN_TOKEN = 'unknown'

/** Names that stand for tokens of the whole run, each with what they are. The step is sent with each of them. */
export const RUN_TOKENS = new Map([
  ['ended', 'the tokens that the run revoked last, first, or after most uses'],
  ['expired', 'the tokens that the run saw expire'],
])

/** Name that stands in `behind` for a request without a token, which is a good one where access control is off. */
export const ANYONE = 'anyone'
