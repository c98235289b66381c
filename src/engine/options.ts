import type { Target } from '../core/target.js'
import type { ConfigurationRecord, Facts, Plan, RunResult, SpecRecord } from '../result.js'
import type { Spec, Suite } from '../suite/spec.js'
import type { Clock } from './clock.js'
import type { Explorer } from './explorer.js'
import type { Journal, Resumed } from './journal.js'
import type { Wait } from './schedule.js'

/** Everything that a run needs; it reads nothing else. */
export interface RunOptions {
  suite: Suite
  /** The specs of the suite to run, in the order of the report. */
  specs: Spec[]
  target: Target
  /** `mock` for the embedded mock Core. */
  targetKind: RunResult['target']['kind']
  configuration: ConfigurationRecord
  /** Where the token stands in the logon response, when the user says so: a field name or JSON Pointer. */
  tokenField?: string
  clock: Clock
  /** Ends the run early, with all tokens given back. */
  signal: AbortSignal
  listener?: RunListener
  suiteVersion: string
  /** Writes down what another process needs to finish this run. */
  journal?: Journal
  /** Explores the Core while specs wait; absent: nobody does. */
  explorer?: Explorer
  /** What an earlier process left of this run. */
  resumed?: Resumed
  /** What the user is told to do with a run that is not finished. */
  toFinish?: string
  /** What the user knows of this Core beforehand, brought to bear on the outcomes before they are counted. */
  revise?: (specs: SpecRecord[], facts: Facts) => SpecRecord[]
  /**
   * Leaves what waits to another process, when there is nothing else to do and the next wait is longer than this; the tokens
   * stay live. Absent: the run stays to its end.
   */
  detachAfterMs?: number
}

/** Somebody who is told how a run goes. */
export interface RunListener {
  /** The Core has changed the plan: it has room for so many tokens only. May be called more than once. */
  replanned?(plan: Pick<Plan, 'durationMs' | 'tokens'>): void
  /** Called often. Times are on the clock of the run. */
  active?(activity: Activity): void
}

/** What a run is doing. */
export interface Activity {
  done: number
  failed: number
  total: number
  /** When all waits will have ended. */
  endsMs: number
  /** The earliest end first. */
  waits: readonly Wait[]
}
