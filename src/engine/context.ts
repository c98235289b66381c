import type { AnswerBook } from '../core/answers.js'
import type { Pace } from '../core/connections.js'
import type { Session } from '../core/session.js'
import type { Dialect } from '../result.js'
import type { RequestParts } from './requests.js'
import type { Schedule } from './schedule.js'
import type { Lifetime } from './window.js'

/** What every spec of a run shares. */
export interface RunContext {
  parts: RequestParts
  session: Session
  schedule: Schedule
  answers: AnswerBook
  /** What the survey found; what the run finds out about it later is added to it. */
  dialect: Dialect
  lifetime: Lifetime
  /** The names of the variations that found no place in the budget of refused logons, by their families: the waits have time for some. */
  unsent: Map<string, readonly string[]>
  /** How fast specs may send; absent: as fast as they can. */
  pace?: Pace
}
