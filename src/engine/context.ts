import type { AnswerBook } from '../core/answers.js'
import type { Pace } from '../core/connections.js'
import type { Exchange, WireRequest } from '../core/exchange.js'
import type { Session } from '../core/session.js'
import type { Token } from '../core/token.js'
import type { Dialect } from '../result.js'
import type { Spec } from '../suite/spec.js'
import type { Variables } from '../suite/variables.js'
import type { Covering } from './plan/cover.js'
import type { RequestParts } from './requests.js'
import type { Schedule } from './schedule.js'
import type { ShapeBook } from './shape-book.js'
import type { StepResult } from './step-result.js'
import type { Lifetime } from './window.js'

/** The things that all specs of a run share. */
export interface RunContext {
  parts: RequestParts
  session: Session
  schedule: Schedule
  /** Aborted when the run ends early. */
  signal: AbortSignal
  answers: AnswerBook
  /** Findings of the survey. Later findings of the run are added. */
  dialect: Dialect
  lifetime: Lifetime
  /** Names of the variations that were left out so far, by family. The specs that wait may have time for some of them. */
  unsent: Map<string, readonly string[]>
  /** Which variations of requests the Core takes. */
  shapes: ShapeBook
  /** How many rows a step over several families sends, and which. */
  covering: Pick<Covering, 'strength' | 'seed'>
  /** Returns how many refused logons a spec has to leave to others, and to those who confirm and explore. */
  refusalsKept: (spec: Spec) => number
  /** Returns how many more refused logons specs may spread: a quarter of them is the explorer's, where there is one. */
  spreadLeft: () => number
  /** How long an answer takes on the average, in milliseconds, as the survey saw it. */
  answerMs: number
  /** How many specs may run side by side that else run alone; see {@link lanesOn}. */
  lanes: number
  /** Most connections that a spec has at a time where it can do with one. */
  connectionsEach: number
  /** How fast specs may send; absent: as fast as they can. */
  pace?: Pace
  /** Judges the steps of contracts; absent where there are none. */
  verify?: Verify | undefined
}

/** Makes the request of a step that a contract describes, has it sent, and judges the answer. @throws NotSent; Interrupted */
export type Verify = (spec: Spec, means: VerifyMeans) => Promise<StepResult>

/** What a {@link Verify} works with. */
export interface VerifyMeans {
  /** The value of the token of the step; undefined where it has none. */
  value: string | undefined
  /** That token; undefined where the Core did not issue it. */
  token: Token | undefined
  variables: Variables
  /** Sends a request as any step does, with its limits and retries. */
  send(request: WireRequest): Promise<Exchange>
  /** Hides every secret that the run knows. */
  redact(text: string): string
}
