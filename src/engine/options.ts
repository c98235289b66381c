import type { Connect } from '../core/connect.js'
import type { Courtesy } from '../core/courtesy.js'
import type { Target } from '../core/target.js'
import type { ConfigurationRecord, Facts, RunResult, SpecRecord } from '../result.js'
import type { Spec, Suite } from '../suite/spec.js'
import type { Clock } from './clock.js'
import type { RunContext, Verify } from './context.js'
import type { TimeRange } from './estimate.js'
import type { Explorer } from './explorer.js'
import type { Journal, Resumed } from './journal.js'
import type { Wait } from './schedule.js'

/** A run as the engine takes it, from its specs to its end: it reads nothing else. */
export interface RunOptions {
  suite: Suite
  /** The selected specs, in the order of the report. */
  specs: Spec[]
  target: Target
  /** `mock` for the embedded mock Core. */
  targetKind: RunResult['target']['kind']
  configuration: ConfigurationRecord
  /** Makes the connections to the target; absent: over the network. */
  connect?: Connect | undefined
  /** Most bytes kept of a body; absent: enough for every spec of ours. */
  bodyCapBytes?: number | undefined
  /** Judges the steps that contracts describe; absent where no spec has one. */
  verify?: Verify | undefined
  /** Has the Core to itself once it is surveyed, in place of specs. Every token is given back after it. */
  host?: ((context: RunContext) => Promise<void>) | undefined
  /** The place of the token in the logon response, where the user gives it: a field name or JSON Pointer. */
  tokenField?: string | undefined
  clock: Clock
  /** Ends the run early, with all tokens given back; absent: nobody does. */
  signal?: AbortSignal | undefined
  listener?: RunListener | undefined
  /** Writes down what another process needs to finish this run. */
  journal?: Journal | undefined
  /** Explores the Core while specs wait; absent: the run does not explore. */
  explorer?: Explorer | undefined
  /** The state that an earlier process left of this run. */
  resumed?: Resumed | undefined
  /** What its user can do, in the words of a command; absent: it has no flags. */
  advice?: Advice | undefined
  /** Applies the baseline and the pins of this Core to the outcomes before they are counted. */
  revise?: ((specs: SpecRecord[], facts: Facts) => SpecRecord[]) | undefined
  /** Who goes first where this process runs other Cores too; absent: it runs this one alone. */
  courtesy?: Courtesy | undefined
  /**
   * Detaches the run when it has nothing to do and the next wait is longer than this, in milliseconds. Another process
   * finishes it, and its tokens stay live. Absent: the run stays to its end.
   */
  detachAfterMs?: number | undefined
}

/** What the user of a command can do. */
export interface Advice {
  /** How to finish a run that is not finished. */
  toFinish?: string
  /** How to have more of the Core judged. */
  toJudgeMore?: string
  /** The flag that sets the patience. */
  patience: string
}

/** Listens to the progress of a run. */
export interface RunListener {
  /** The Core has less room for tokens than planned, which changed the plan. May be called more than once. */
  replanned?(plan: { durationMs: number; tokens: number }): void
  /**
   * The survey has shown how fast the Core answers, also a logon, and so about how long the requests before the waits take.
   * `perSecond`: how many requests a second it takes, where it limits them.
   */
  estimated?(estimate: { leftMs: TimeRange; answerMs: number; logonMs: number; perSecond?: number }): void
  /** Called often. Times are on the clock of the run. */
  active?(activity: Activity): void
}

/** What a run is doing at a moment. */
export interface Activity {
  done: number
  failed: number
  total: number
  /** When all waits end, on the clock of the run; NaN until they are planned, which is when they begin. */
  endsMs: number
  /** The waits, the earliest end first. */
  waits: readonly Wait[]
  /** How many requests were sent, and about how many will be before the waits; absent where nobody knows, or waits began. */
  requests?: { sent: number; expected: number }
  /** How long the run takes from now on, its waits included; absent where nobody knows, or `endsMs` says it. */
  leftMs?: TimeRange
}
