/** What a result says of the plan of a run. */
import type { Count, Milliseconds, NonEmptyText } from './quantities.js'

/** What a run was going to do with its time. */
export interface Plan {
  /** How many specs there are to run. */
  specs: Count
  /** How long the waits take side by side: the critical path. */
  durationMs: Milliseconds
  /** How long they would take if there were no limit to the tokens held. */
  unlimitedMs: Milliseconds
  /** How long they would take one after another. */
  oneByOneMs: Milliseconds
  /** How many tokens it holds at a time, at the most. */
  tokens: Count
  /** The tokens of the specs that wait, in the order of their starts. */
  lanes: Lane[]
}

/** One token of a plan, from its logon to its last use. Times count from the start of the run. */
export interface Lane {
  /** The ids of the specs that it serves. */
  specs: NonEmptyText[]
  /** Its name in the specs. */
  token: NonEmptyText
  /** When it is issued. */
  fromMs: Milliseconds
  /** When it is last sent. */
  toMs: Milliseconds
  /** What happens to it, in order. */
  events: LaneEvent[]
}

/** Something that happens to a token of a plan. */
export interface LaneEvent {
  /** When, since the start of the run. */
  atMs: Milliseconds
  /** `used` keeps it alive, `checked` expects it to be rejected, `revoked` ends it. */
  kind: 'issued' | 'used' | 'checked' | 'revoked'
}
