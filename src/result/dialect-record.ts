/** What a result says of what the reference leaves open. */
import type { AtLeastOne, Count, Milliseconds, NonEmptyText, Status } from './quantities.js'

/** Where the token stands in the logon response, and what it looks like. */
export interface TokenPlace {
  /**
   * JSON Pointer (RFC 6901) into the body of the logon response; `header:` and the name of a header in lower case; or
   * `cookie:` and the name of a cookie that the response sets.
   * @pattern ^((/([^/~]|~[01])*)*|header:[^A-Z:]+|cookie:[^=;\s]+)$
   */
  pointer: string
  /** Characters of the token. */
  length: AtLeastOne
  /** What its characters are, for example `hex (lower case)`. */
  alphabet: NonEmptyText
}

/** How this Core says what the reference leaves open, as the survey found it. Null: not found out. */
export interface Dialect {
  /** Where the token stands in the logon response. */
  token: TokenPlace | null
  /** The status of a successful logon. */
  logonStatus: Status | null
  /** The status of the answer to the probe with a fresh token. */
  acceptedStatus: Status | null
  /** The status of the answer to the probe without a token. */
  rejectedStatus: Status | null
  /** The status of the answer to the probe with a token that was never issued. */
  unknownTokenStatus: Status | null
  /** Whether it answers HTTP/1.0 with Host as it answers HTTP/1.1; null when no selected spec needs to know. */
  http10: boolean | null
  /**
   * Whether a user may hold several tokens: `many`; `newest`: a logon ends the ones before; `same`: every logon gives the
   * same token; null when the second logon of the survey gave none.
   */
  sessions: 'many' | 'newest' | 'same' | null
  /** The idle lifetime as it was measured; null when it was not (`--measure-lifetime`). */
  lifetime: MeasuredLifetime | null
  /** What it took until a fresh token was accepted; null where it was at once; absent in results of before it was looked at. */
  warmUp?: WarmUp | null
  /** How a valid token was accepted on some connections or requests only; null where it was on all; absent as `warmUp`. */
  backEnds?: BackEnds | null
  /** How fast the Core answered the survey; null where it was not surveyed; absent as `warmUp`. */
  latency?: Latency | null
}

/** What it took until the token of the survey's logon was accepted, though the reference has it valid at once. */
export interface WarmUp {
  /** How many requests with it were refused before. */
  refused: Count
  /** How long after the answer to its logon the request was sent that was accepted first. */
  afterMs: Milliseconds
}

/** A valid token that is accepted now and refused then. */
export interface BackEnds {
  /** How many of the new connections it was accepted on. */
  accepted: Count
  /** How many new connections were tried. */
  of: Count
  /**
   * `connection`: on one connection every answer is the same, as with several back ends that do not share tokens;
   * `request`: the answers differ on one connection, too.
   */
  by: 'connection' | 'request'
}

/** How long the Core took, in the survey. */
export interface Latency {
  /** A request on a connection of its own, from connecting to the whole answer: the middle of several. */
  freshMs: Milliseconds
  /** A request on a connection that was open before. */
  keptMs: Milliseconds
  /** The logon, from sending it to the whole answer. */
  logonMs: Milliseconds
  /** The slowest exchange of the survey, logons too, from sending to the whole answer. */
  slowestMs: Milliseconds
}

/** What is known of how long an unused token lives: between these two. */
export interface MeasuredLifetime {
  /** It was still valid after so long; null when none was seen alive. */
  aliveMs: Milliseconds | null
  /** It had expired after so long; null when none was seen expired. Less than `aliveMs` when this varies from token to token. */
  expiredMs: Milliseconds | null
}

/** One fact: a status, the value of a header, a shape. */
export type Fact = string | number | boolean

/** What was observed, by names that stay the same between firmware releases: statuses, header values, shapes. */
export type Facts = Record<string, Fact>
