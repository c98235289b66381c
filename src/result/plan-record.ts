/** The part of a result about the plan of the run. */
import type { Count, Milliseconds, NonEmptyText } from './quantities.js'

/** How a run planned its time. */
export interface Plan {
  /** How many specs the run has. */
  specs: Count
  /** How long the waits take side by side: the critical path. */
  durationMs: Milliseconds
  /** How long the waits would take without a limit on tokens held at a time. */
  unlimitedMs: Milliseconds
  /** How long the waits would take one after another. */
  oneByOneMs: Milliseconds
  /** The largest number of tokens held at a time. */
  tokens: Count
  /** What the run asks of a Core that does nothing odd, without the survey. */
  price: Price
  /** The tokens of the specs that wait, in the order in which they are issued. */
  lanes: Lane[]
}

/** What a plan asks of a Core: about so many. */
export interface Price {
  /** Requests of every kind, logons included. */
  requests: Count
  /** Logons, those that should be refused included. */
  logons: Count
}

/** One token of a plan, from its logon to its last use. Times count from the start of the run. */
export interface Lane {
  /** The ids of the specs that use the token. */
  specs: NonEmptyText[]
  /** The name of the token in the specs. */
  token: NonEmptyText
  /** When the token is issued. */
  fromMs: Milliseconds
  /** When the token is last sent. */
  toMs: Milliseconds
  /** The events of the token, in the order of time. */
  events: LaneEvent[]
}

/** One event of a token in a plan. */
export interface LaneEvent {
  /** When it happens, since the start of the run. */
  atMs: Milliseconds
  /**
   * `issued`: a logon issues the token; `used`: a use keeps it alive; `checked`: its rejection is expected; `revoked`: it
   * ends.
   */
  kind: 'issued' | 'used' | 'checked' | 'revoked'
}
