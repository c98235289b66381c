/** The part of a result about everything the reference leaves open: the dialect and the facts. */
import type { AtLeastOne, Count, Milliseconds, NonEmptyText, Status } from './quantities.js'

/** The place of the token in the logon response, and its form. */
export interface TokenPlace {
  /**
   * The place of the token: a JSON Pointer (RFC 6901) into the body of the logon response; `header:` and the name of a header
   * in lower case; or `cookie:` and the name of a cookie that the response sets.
   * @pattern ^((/([^/~]|~[01])*)*|header:[^A-Z:]+|cookie:[^=;\s]+)$
   */
  pointer: string
  /** The number of characters of the token. */
  length: AtLeastOne
  /** The kind of its characters, for example `hex (lower case)`. */
  alphabet: NonEmptyText
}

/** How this Core does what the reference leaves open, as the survey found it. Null: not found out. */
export interface Dialect {
  /** The place of the token in the logon response. */
  token: TokenPlace | null
  /** The status of a successful logon. */
  logonStatus: Status | null
  /** The status of the answer to the probe with a fresh token. */
  acceptedStatus: Status | null
  /** The status of the answer to the probe without a token. */
  rejectedStatus: Status | null
  /** The status of the answer to the probe with a token that was never issued. */
  unknownTokenStatus: Status | null
  /**
   * The signs by which its refusals are told from its acceptance, in the words of `--refused`, such as `status=401`; null where
   * there was no survey.
   */
  refused: NonEmptyText[] | null
  /** Whether the Core answers HTTP/1.0 with Host as it answers HTTP/1.1; null when no selected spec needs to know. */
  http10: boolean | null
  /**
   * How many tokens a user may hold. `many`: several; `newest`: a logon ends the earlier tokens; `same`: every logon gives the
   * same token; null when the second logon of the survey gave no token.
   */
  sessions: 'many' | 'newest' | 'same' | null
  /** The measured idle lifetime; null when it was not measured (`--measure-lifetime`). */
  lifetime: MeasuredLifetime | null
  /** How long a fresh token was refused; null where it was accepted at once. */
  warmUp: WarmUp | null
  /** On how many connections a valid token was accepted; null where on all. */
  backEnds: BackEnds | null
  /** How fast the Core answered the survey; null where there was no survey. */
  latency: Latency | null
}

/** The delay until the survey's first token was accepted. By the reference a token is valid at once. */
export interface WarmUp {
  /** How many requests with the token were refused before one was accepted. */
  refused: Count
  /** Time from the answer to the logon until the first accepted request was sent. */
  afterMs: Milliseconds
}

/** A valid token that is accepted at some times and refused at others. */
export interface BackEnds {
  /** On how many new connections the token was accepted. */
  accepted: Count
  /** How many new connections were tried. */
  of: Count
  /**
   * What the answer depends on. `connection`: all answers on one connection are the same, as with several back ends that do not
   * share tokens; `request`: the answers differ on one connection, too.
   */
  by: 'connection' | 'request'
}

/** How long the Core took to answer the survey. */
export interface Latency {
  /** A request on a new connection, from connecting to the whole answer: the median of several. */
  freshMs: Milliseconds
  /** A request on an open connection. */
  keptMs: Milliseconds
  /** The logon, from sending it to the whole answer. */
  logonMs: Milliseconds
  /** The slowest exchange of the survey, logons included, from sending to the whole answer. */
  slowestMs: Milliseconds
}

/** The two bounds between which an unused token expires. */
export interface MeasuredLifetime {
  /** Longest time after which an unused token was still valid; null when none was. */
  aliveMs: Milliseconds | null
  /** Shortest time after which a token had expired; null when none had. Less than `aliveMs` where lifetimes vary by token. */
  expiredMs: Milliseconds | null
}

/** One fact: a status, the value of a header, a shape. */
export type Fact = string | number | boolean

/** The observed facts, by names that stay the same between firmware releases: statuses, header values, shapes. */
export type Facts = Record<string, Fact>
