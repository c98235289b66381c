/** The result of one run, as a whole. */
import type { ConfigurationRecord } from '../settings/record.js'
import type { Dialect, Facts } from './dialect-record.js'
import type { ExchangeRecord } from './exchange-record.js'
import type { Exploration } from './exploration-record.js'
import type { History } from './history-record.js'
import type { Plan } from './plan-record.js'
import type { Count, Milliseconds, NonEmptyText, SuiteRecord, UtcTime } from './quantities.js'
import type { Doubt, RequirementRecord } from './requirement-record.js'
import type { OutcomeCounts, SpecRecord } from './spec-record.js'

/** The version of this format. It is raised when a change would mislead a reader of the old format. */
export const RESULT_SCHEMA_VERSION = 2

/**
 * The verdict of a run; it decides the exit code. `conformant`: the Core kept the reference; `nonconformant`: the Core broke
 * it; `drifted`: no spec failed, but a pinned fact changed; `stale baseline`: no spec failed, but the list of known failures is
 * out of date; `incomplete`: some specs could not be judged; `untestable`: none could; `pending`: no spec failed yet, and some wait.
 */
export type Verdict =
  | 'conformant'
  | 'nonconformant'
  | 'drifted'
  | 'stale baseline'
  | 'incomplete'
  | 'untestable'
  | 'pending'

/** The Core that was tested. */
export interface TargetRecord {
  /**
   * Base URL without credentials.
   * @pattern ^https?://[^\s/?#\u0040]+(/[^\s?#]*)?$
   */
  url: string
  /** `mock` for the embedded mock Core, `core` for any other. */
  kind: 'core' | 'mock'
  /** The user's label for the Core, such as `staging`; absent when not given (`--label`). */
  label?: NonEmptyText
  /** The firmware of the Core, as the user says, such as `4.2.1`; absent when not given (`--firmware`). */
  firmware?: NonEmptyText
  /**
   * SHA-256 of the certificate that the Core presented, as upper-case pairs with colons; absent without a TLS connection.
   * @pattern ^[0-9A-F]{2}(:[0-9A-F]{2}){31}$
   */
  certificateFingerprint?: string
  /** How the user named the Core; absent for a mock Core. */
  flags?: TargetFlags
}

/**
 * How the user named a Core and said whom to trust: the values by the flags that say the same again. It holds what a command line
 * said, and the name of a target of the configuration file; whatever comes from the environment is still there. No secret is a flag.
 */
export interface TargetFlags {
  /** The name of the target in the configuration file; absent where its URL was given. */
  target?: NonEmptyText
  /** The configuration file, where the command line named one for that target. */
  config?: NonEmptyText
  /** The user who logs on. */
  username?: NonEmptyText
  /** The file of the certificates to trust. */
  'ca-file'?: NonEmptyText
  /** The fingerprint of the certificate to trust, as it was written. */
  fingerprint?: NonEmptyText
  /** Present where no certificate was to be verified. */
  insecure?: true
}

/** A span of time in which to come back with `resume`. */
export interface Visit {
  /** Earliest time to come back. */
  fromAt: UtcTime
  /** Latest time to come back; null: no limit. */
  untilAt: UtcTime | null
}

/** The tokens of a run. */
export interface TokenCounts {
  /** How many tokens the Core issued to this run. */
  issued: Count
  /** How many of these tokens may still be valid on the Core. */
  left: Count
}

/** An event on the Core during the run that spoiled specs. One cause is one event. */
export interface RunEvent {
  /** The kind of event, in a few words, such as `tokens stopped working`. */
  kind: NonEmptyText
  /** The event in one sentence, with its times: `all 14 tokens stopped working between 3.2 s and 3.4 s`. */
  text: NonEmptyText
  /** When the event began, since the start of the run, on the clock of the run. */
  fromMs: Milliseconds
  /** When the event ended, since the start of the run, on the clock of the run. */
  untilMs: Milliseconds
  /** The ids of the specs that the event spoiled, in the order of the run. */
  specs: NonEmptyText[]
}

/**
 * Everything that a run of core-conformance found out about a Core. Reports are made from nothing else. Secrets are redacted.
 * Numbers named …Ms are milliseconds, strings named …At are ISO 8601 in UTC.
 * @title Run result
 */
export interface RunResult {
  /** The version of this format. It is raised when a change would mislead a reader of the old format. */
  schemaVersion: typeof RESULT_SCHEMA_VERSION
  /** The suite that ran: its version and the SHA-256 of its spec set. */
  suite: SuiteRecord
  /** The Core that was tested. */
  target: TargetRecord
  /** When the run started. */
  startedAt: UtcTime
  /** Wall time of the whole run. */
  durationMs: Milliseconds
  /** `real`: the run waited; `virtual`: the run advanced the clock of a mock Core instead of waiting. */
  time: 'real' | 'virtual'
  /** The configuration in force, without secrets. */
  configuration: ConfigurationRecord
  /** The plan that the run started with. The Core may have allowed fewer tokens at a time. */
  plan: Plan
  /** How this Core does what the reference leaves open, as the survey found it. */
  dialect: Dialect
  /** What this Core was seen to do where the reference leaves it open, sorted by name. */
  facts: Facts
  /** The verdict of the run. */
  verdict: Verdict
  /** Why this verdict, in one sentence. */
  reason: NonEmptyText
  /** What to do next; present when the run could not test the target as wanted. */
  advice?: NonEmptyText
  /** How many specs were selected, and how many had each outcome. */
  counts: OutcomeCounts
  /**
   * When to come back with `resume`, so that no window is missed: once in each of these spans of time. Present where specs are
   * pending.
   */
  visits?: Visit[]
  /** How many tokens the Core issued to this run, and how many may still be valid. */
  tokens: TokenCounts
  /** How many logons were refused. Accounts may lock after too many. */
  refusedLogons: Count
  /** Sentences that a reader of the outcomes should know, for example what a quick run left out. */
  notices: NonEmptyText[]
  /** The exchanges of the survey and of the revocations at the end. */
  survey: ExchangeRecord[]
  /** Every requirement, in the order of the ledger, also those that no selected spec tests. */
  requirements: RequirementRecord[]
  /**
   * Evidence against requirements that is too weak for a verdict, such as a path that answers alike with a token and without
   * one. A requirement that is named here, and met by its specs, is in doubt. Absent for none.
   */
  doubts?: Doubt[]
  /** The events on the Core that spoiled specs, in the order of time; absent for none. */
  events?: RunEvent[]
  /** The result of exploring; absent where the user did not ask for it. */
  exploration?: Exploration
  /** The folder of the reports, as the user named it. The commands in reports name it. Absent where a program ran the suite. */
  out?: NonEmptyText
  /** The files beside this one that the user's own reporters made; absent for none. */
  ownFiles?: NonEmptyText[]
  /** Every selected spec with its outcome, by area in the order of the files, then in the order of each file. */
  specs: SpecRecord[]
  /**
   * What exchanges have in common: paths, bodies, header fields and lists of them, requests, responses. Where an exchange has a whole
   * number in place of such a value, it is the index here, from 0; a value here may name others in the same way. A variation
   * is a list of indexes, whose texts make it with `, ` between them. In the file only: a program gets each exchange whole.
   */
  shared?: unknown[]
  /** Every request of the run, in the order of the answers, to be judged anew by `report`; present with `--keep-history`. */
  history?: History
}
