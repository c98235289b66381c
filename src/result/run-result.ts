/** The result of one run, as a whole. */
import type { ConfigurationRecord } from '../settings/record.js'
import type { Dialect, Facts } from './dialect-record.js'
import type { ExchangeRecord } from './exchange-record.js'
import type { Exploration } from './exploration-record.js'
import type { Plan } from './plan-record.js'
import type { Count, Milliseconds, NonEmptyText, SuiteRecord, UtcTime } from './quantities.js'
import type { Doubt, RequirementRecord } from './requirement-record.js'
import type { OutcomeCounts, SpecRecord } from './spec-record.js'

/** The version of this format. Raised when a reader of the old one would be misled. */
export const RESULT_SCHEMA_VERSION = 1

/**
 * What a run says of its target; the exit codes follow from it. `nonconformant`: the Core broke the reference; `incomplete`: not
 * everything could be judged; `untestable`: nothing could; `pending`: nothing failed yet, and some specs wait.
 */
export type Verdict = 'conformant' | 'nonconformant' | 'incomplete' | 'untestable' | 'pending'

/** The Core that was tested. */
export interface TargetRecord {
  /**
   * Base URL without credentials.
   * @pattern ^https?://[^\s/?#\u0040]+(/[^\s?#]*)?$
   */
  url: string
  /** `mock` for the embedded mock Core, `core` for any other. */
  kind: 'core' | 'mock'
  /** How its users call it, such as `staging`; absent when they did not say (`--label`). */
  label?: NonEmptyText
  /** The firmware that it runs, as the user says, such as `4.2.1`; absent when not said (`--firmware`). */
  firmware?: NonEmptyText
  /**
   * SHA-256 of the certificate it presented, as upper-case pairs with colons; absent when no TLS came about.
   * @pattern ^[0-9A-F]{2}(:[0-9A-F]{2}){31}$
   */
  certificateFingerprint?: string
}

/** A span of time in which to come back with `resume`. */
export interface Visit {
  /** Not before this. */
  fromAt: UtcTime
  /** Not after this; null: however late. */
  untilAt: UtcTime | null
}

/** The tokens of a run. */
export interface TokenCounts {
  /** Tokens issued to this run. */
  issued: Count
  /** How many of them may still be live on the Core. */
  left: Count
}

/** Something that happened to a Core during the run, and spoiled specs: one cause, told once. */
export interface RunEvent {
  /** What kind of event, in a word or two, such as `tokens stopped working`. */
  kind: NonEmptyText
  /** What happened, in one sentence, with its times: `all 14 tokens stopped working between 3.2 s and 3.4 s`. */
  text: NonEmptyText
  /** When it began, since the start of the run, on the clock of the run. */
  fromMs: Milliseconds
  /** When it ended, since the start of the run, on the clock of the run. */
  untilMs: Milliseconds
  /** The ids of the specs that it spoiled, in the order of the run. */
  specs: NonEmptyText[]
}

/**
 * Everything a run of core-conformance found out about a Core, and the only thing its reports are made from. Secrets are
 * redacted. Numbers named …Ms are milliseconds, strings named …At are ISO 8601 in UTC.
 * @title Run result
 */
export interface RunResult {
  /** The version of this format. Raised when a reader of the old one would be misled. */
  schemaVersion: typeof RESULT_SCHEMA_VERSION
  /** The suite that ran: its version and the SHA-256 of its spec set. */
  suite: SuiteRecord
  /** The Core that was tested. */
  target: TargetRecord
  /** When the run started. */
  startedAt: UtcTime
  /** Wall time of the whole run. */
  durationMs: Milliseconds
  /** `virtual`: the clock of a mock Core was advanced instead of waiting. */
  time: 'real' | 'virtual'
  /** The configuration in force, without secrets. */
  configuration: ConfigurationRecord
  /** The plan that the run started with; the Core may have had room for fewer tokens. */
  plan: Plan
  /** How this Core says what the reference leaves open, as the survey found it. */
  dialect: Dialect
  /** What the reference leaves open and this Core was seen to do; sorted by name. */
  facts: Facts
  /** What the run says of its target. */
  verdict: Verdict
  /** Why this verdict, in one sentence. */
  reason: NonEmptyText
  /** What to do next; present when the run could not test the target as wanted. */
  advice?: NonEmptyText
  /** How many specs were selected, and how many had each outcome. */
  counts: OutcomeCounts
  /**
   * When to come back with `resume`, so that every window is met: once in each of these spans of time (no end: however late).
   * Present where specs are pending.
   */
  visits?: Visit[]
  /** Tokens issued to this run, and how many of them may still be live on the Core. */
  tokens: TokenCounts
  /** Logons that were not answered with a token; accounts may lock after too many. */
  refusedLogons: Count
  /** What the reader should know beside the outcomes, for example what a quick run left out. */
  notices: NonEmptyText[]
  /** The exchanges of the survey and of the cleaning up. */
  survey: ExchangeRecord[]
  /**
   * Every statement of the reference, in the order of the ledger, also what no selected spec tests. Absent in results of
   * before it was kept, of which one knows only what their specs name.
   */
  requirements?: RequirementRecord[]
  /**
   * What speaks against requirements and bears no verdict, such as a path that answers alike with a token and without one. A
   * requirement that is named here, and met by its specs, is in doubt. Absent for nothing.
   */
  doubts?: Doubt[]
  /** What happened to the Core during the run, in the order of time; absent for nothing. */
  events?: RunEvent[]
  /** What exploring came to; absent where nobody asked for it. */
  exploration?: Exploration
  /** Every selected spec with its outcome: by area in file order, then in the order of the file. */
  specs: SpecRecord[]
}
