import type { AnswerBook } from '../core/answers.js'
import type { Session } from '../core/session.js'
import type { RequestParts } from './requests.js'
import type { Schedule } from './schedule.js'
import type { Lifetime } from './window.js'

/** What every spec of a run shares. */
export interface RunContext {
  parts: RequestParts
  session: Session
  schedule: Schedule
  answers: AnswerBook
  lifetime: Lifetime
}
