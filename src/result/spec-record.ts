/** The part of a result about specs and their steps. */
import type { Fact } from './dialect-record.js'
import type { ExchangeRecord } from './exchange-record.js'
import type { AtLeastOne, Count, Milliseconds, NonEmptyText } from './quantities.js'
import type { CoverageRecord, Level, RequirementRef, RowsRecord } from './requirement-record.js'

/** The outcomes of a spec, in the order in which they are counted; see {@link Outcome}. */
export const OUTCOMES = [
  'passed',
  'failed',
  'unexpected pass',
  'known failure',
  'observed',
  'skipped',
  'blocked',
  'inconclusive',
  'pending',
] as const
/**
 * The outcome of one spec. `failed`: the Core broke the reference; `known failure`: the spec failed, as the baseline says;
 * `unexpected pass`: the spec passed, though the baseline says that it fails; `observed`: what was seen is recorded;
 * `skipped`: the spec did not run; `blocked`: its prerequisite failed; `inconclusive`: what was seen does
 * not decide it, since a window of time was missed or the failure could not be confirmed; `pending`: the spec waits, and the run was detached.
 */
export type Outcome = (typeof OUTCOMES)[number]

/** How many specs were selected, and how many had each outcome. */
export interface OutcomeCounts {
  /** Specs that were selected: the sum of the other counts. */
  selected: Count
  /** Specs that passed. */
  passed: Count
  /** Specs that the Core failed. */
  failed: Count
  /** Specs that passed, though the baseline says that they fail. */
  'unexpected pass': Count
  /** Specs that failed, as the baseline says. */
  'known failure': Count
  /** Specs about what the reference leaves open. What was seen is recorded. */
  observed: Count
  /** Specs that did not run. */
  skipped: Count
  /** Specs whose prerequisite failed. */
  blocked: Count
  /** Specs that what was seen does not decide: a window of time was missed, or a failure could not be confirmed. */
  inconclusive: Count
  /** Specs that wait because the run was detached. */
  pending: Count
}

/**
 * The two bounds of the time for which a token was unused, in milliseconds. A Core times idleness from when it received a
 * request. That moment lies between our send and our receive, so the true gap lies between the two bounds.
 */
export interface Gap {
  /** From the answer to the last use of the token until this request was sent. */
  shortestMs: number
  /** From the sending of the last use of the token until this request was answered. */
  longestMs: number
}

/**
 * One step of a spec, with its outcome.
 * @keywords {
 *   "dependentRequired": { "got": ["expected"] },
 *   "if": { "properties": { "outcome": { "enum": ["ok", "miss"] } }, "required": ["outcome", "expected"] },
 *   "then": { "required": ["got"] }
 * }
 */
export interface StepRecord {
  /** The step as a sentence, for example `GET /api/v0/cores/self/users with token a`. */
  text: NonEmptyText
  /**
   * `given`: the step prepares; `check`: the step judges, and its miss fails the spec; `control`: the step makes sure that a
   * check means something, and its miss blocks the spec.
   */
  kind: 'given' | 'check' | 'control'
  /** The outcome of the step. `missed window`: the machine was late; `not run`: an earlier step ended the spec. */
  outcome: 'ok' | 'miss' | 'missed window' | 'not run'
  /** The expectation; absent when the step has none. */
  expected?: NonEmptyText
  /** The answer in words; present when there was an expectation and the step ran. */
  got?: string
  /** How long the token had been unused; present where the spec waits and the answer depends on the wait. */
  gap?: Gap
  /** Whether the token was accepted; present with `gap`. */
  isAlive?: boolean
  /** What the rows of the step covered; present where it ranges over several families. */
  covered?: CoverageRecord
  /** These rows; present as `covered`. */
  rows?: RowsRecord
  /**
   * The ids of the requirements that a miss of this step accuses; absent for none.
   * @minItems 1
   */
  requirements?: NonEmptyText[]
  /**
   * What was seen, in words, such as `a revoked token is still accepted`; present where the step missed and tests a
   * requirement.
   */
  seen?: NonEmptyText
  /** What the miss means for clients, in one sentence; absent where the suite does not say it. */
  consequence?: NonEmptyText
  /** Indexes into the `exchanges` of the spec. */
  exchanges: Count[]
  /**
   * Those of them that were not answered as expected, or that decided nothing; the others are controls and further looks. Absent where
   * the step held or sent nothing, and where no single answer shows the miss.
   * @minItems 1
   */
  missed?: Count[]
}

/** A step of a spec that becomes an interaction in the contracts of client teams. */
export interface InteractionRecord {
  /** The name that selects the interaction; unique in the suite, for example `users-revoked-token`. */
  name: NonEmptyText
  /** The request of the client, in the words of the contract. */
  description: NonEmptyText
  /** The state that the Core must be in beforehand: a provider state of contracts. */
  state: NonEmptyText
  /** Index into the `steps` of the spec. Not all of them may have run. */
  step: Count
}

/** The entry of a baseline for a spec that is known to fail. */
export interface KnownFailure {
  /** Why the failure is accepted for now. */
  reason: NonEmptyText
  /** The id of the requirement that the known failure accuses; absent in an entry that accepts any failure. */
  requirement?: NonEmptyText
  /** What was seen, in words, with the answers; another failure of the spec is not known. Absent as `requirement`. */
  seen?: NonEmptyText
  /** The URL where the failure is tracked. */
  issue?: NonEmptyText
  /** The firmware with the failure, as a range of semantic versions; absent: any. */
  firmware?: NonEmptyText
  /** The last day on which the failure is accepted, `YYYY-MM-DD` in UTC; absent: no end. */
  expires?: NonEmptyText
}

/** A fact that must not change. */
export interface Pin {
  /** The name of the fact. */
  fact: NonEmptyText
  /** The pinned value. */
  was: Fact
  /** The value that this run saw; null where the run did not observe the fact. */
  is: Fact | null
}

/**
 * One spec with its outcome. Pinned facts and expired baseline entries are recorded like specs.
 * @keywords {
 *   "if": { "properties": { "outcome": { "const": "passed" } }, "required": ["outcome"] },
 *   "then": { "properties": { "message": false } },
 *   "else": { "required": ["message"] },
 *   "allOf": [
 *     {
 *       "if": {
 *         "properties": { "outcome": { "enum": ["failed", "unexpected pass", "known failure"] } },
 *         "required": ["outcome"]
 *       },
 *       "then": { "properties": { "level": { "const": "must" } } }
 *     },
 *     {
 *       "if": { "properties": { "outcome": { "const": "observed" } }, "required": ["outcome"] },
 *       "then": { "properties": { "level": { "const": "observe" } } }
 *     }
 *   ]
 * }
 */
export interface SpecRecord {
  /** Stable id of the spec. */
  id: NonEmptyText
  /** The area: the spec file's name for what it covers, for example `revocation`. */
  area: NonEmptyText
  /** The statement about a Core that the spec tests. */
  title: NonEmptyText
  /** The gravest level of its requirements. */
  level: Level
  /** The requirements that the spec tests. */
  requirements: RequirementRef[]
  /** The spec file, relative to the suite or as the user gave it. */
  file: NonEmptyText
  /** The 1-based line of the spec in that file. */
  line: AtLeastOne
  /** Present where the file is the user's own (`--specs`), not one of the suite. */
  isOwn?: true
  /**
   * The steps that go into contracts if the spec passes; absent for none.
   * @minItems 1
   */
  interactions?: InteractionRecord[]
  /** The outcome of the spec. */
  outcome: Outcome
  /** Why the spec has this outcome, in one sentence; present for every outcome but `passed`. */
  message?: NonEmptyText
  /** Why the first try was inconclusive; present where there was a second try. All other fields are about the second. */
  firstTry?: NonEmptyText
  /**
   * Present where the Core accepted a request that it had to refuse, and refused the same request when it was sent again. If
   * the API also accepts requests without a token, such a spec accuses nobody.
   */
  seenOnce?: true
  /** The baseline entry of the spec; present where there is one for this firmware, and the spec failed or passed. */
  known?: KnownFailure
  /** The pinned fact. A record with a pin is no spec, and says nothing about the reference. */
  pin?: Pin
  /** When the spec began, since the start of the run, on the clock of the run. */
  atMs: Milliseconds
  /** How long the spec took, on the clock of the run. */
  durationMs: Milliseconds
  /** The steps, in order. */
  steps: StepRecord[]
  /** The exchanges, in the order sent. */
  exchanges: ExchangeRecord[]
}
