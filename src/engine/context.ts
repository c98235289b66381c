import type { AnswerBook } from '../core/answers.js'
import type { Pace } from '../core/connections.js'
import type { Session } from '../core/session.js'
import type { Dialect } from '../result.js'
import type { Spec } from '../suite/spec.js'
import type { RequestParts } from './requests.js'
import type { Schedule } from './schedule.js'
import type { ShapeBook } from './shape-book.js'
import type { Lifetime } from './window.js'

/** How many rows a run sends: so that each value stands in one, or each pair of values; and by which seed. */
export interface Covering {
  strength: 'values' | 'pairs'
  seed: number
}

/** The things that all specs of a run share. */
export interface RunContext {
  parts: RequestParts
  session: Session
  schedule: Schedule
  answers: AnswerBook
  /** Findings of the survey. Later findings of the run are added. */
  dialect: Dialect
  lifetime: Lifetime
  /** Names of the variations that were left out so far, by family. The specs that wait may have time for some of them. */
  unsent: Map<string, readonly string[]>
  /** Which variations of requests the Core takes. */
  shapes: ShapeBook
  /** How many rows a step over several families sends, and which. */
  covering: Covering
  /** Returns how many refused logons a spec has to leave to others, and to those who confirm and explore. */
  refusalsKept: (spec: Spec) => number
  /** How long an answer takes on the average, in milliseconds, as the survey saw it. */
  answerMs: number
  /** How many specs may run side by side that else run alone; see {@link lanesOn}. */
  lanes: number
  /** Most connections that a spec has at a time where it can do with one. */
  connectionsEach: number
  /** How fast specs may send; absent: as fast as they can. */
  pace?: Pace
}
