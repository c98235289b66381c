/** What a result says of a spec, and of its steps. */
import type { Fact } from './dialect-record.js'
import type { ExchangeRecord } from './exchange-record.js'
import type { AtLeastOne, Count, Milliseconds, NonEmptyText } from './quantities.js'
import type { Level, RequirementRef } from './requirement-record.js'

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
 * What became of one spec. Only `failed` accuses the Core. `known failure`: it failed, as the baseline says; `unexpected pass`:
 * it passed, though the baseline says that it fails; `blocked`: its prerequisite failed; `inconclusive`: a time window was
 * missed; `pending`: it waits, and the run was detached.
 */
export type Outcome = (typeof OUTCOMES)[number]

/**
 * How many specs were selected, and how many had each outcome. Results of before there were baselines lack `unexpected pass`
 * and `known failure`.
 * @required ["selected", "passed", "failed", "observed", "skipped", "blocked", "inconclusive", "pending"]
 */
export interface OutcomeCounts {
  /** Specs selected, the sum of the others. */
  selected: Count
  /** Specs that passed. */
  passed: Count
  /** Specs that the Core failed. */
  failed: Count
  /** Specs that passed, though the baseline says that they fail. */
  'unexpected pass': Count
  /** Specs that failed, as the baseline says. */
  'known failure': Count
  /** Specs on what the reference leaves open: what was seen is recorded. */
  observed: Count
  /** Specs that did not run. */
  skipped: Count
  /** Specs whose prerequisite failed. */
  blocked: Count
  /** Specs whose time window was missed. */
  inconclusive: Count
  /** Specs that wait, since the run was detached. */
  pending: Count
}

/**
 * The two readings of how long a token was unused, in milliseconds. A Core times idleness from when it received a request, and
 * that lies between our send and our receive; so the true gap lies between these two.
 */
export interface Gap {
  /** From the answer to its last use to the sending of this request. */
  shortestMs: number
  /** From the sending of its last use to the answer to this request. */
  longestMs: number
}

/**
 * One step of a spec, as it went.
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
   * `given` steps prepare; `check` steps judge, and a miss of one fails the spec; `control` steps stand between them, and a miss
   * of one blocks it. (In results of before controls were told apart, these are `check`.)
   */
  kind: 'given' | 'check' | 'control'
  /** `not run`: an earlier step ended the spec. */
  outcome: 'ok' | 'miss' | 'missed window' | 'not run'
  /** What was expected; absent when the step expects nothing. */
  expected?: NonEmptyText
  /** What came; present when there was an expectation and the step ran. */
  got?: string
  /** How long its token had been unused; present where the spec waits and the answer depends on it. */
  gap?: Gap
  /** Whether its token was accepted; present with `gap`. */
  isAlive?: boolean
  /**
   * The ids of the requirements that a miss of it accuses; absent for none.
   * @minItems 1
   */
  requirements?: NonEmptyText[]
  /** What was seen, in words, such as `a revoked token is still accepted`; present where it missed and tests something. */
  seen?: NonEmptyText
  /** What that means for clients, in one sentence; absent where nobody wrote it down. */
  consequence?: NonEmptyText
  /** Indexes into the `exchanges` of the spec. */
  exchanges: Count[]
}

/** A step of a spec that client teams get as an interaction of their contracts. */
export interface InteractionRecord {
  /** What it is chosen by; unique in the suite, for example `users-revoked-token`. */
  name: NonEmptyText
  /** What the client does, as contracts say it. */
  description: NonEmptyText
  /** What the Core is to be in beforehand: a provider state of contracts. */
  state: NonEmptyText
  /** Index into the `steps` of the spec, of which some may not have run. */
  step: Count
}

/** What a baseline says of a spec that is known to fail. */
export interface KnownFailure {
  /** Why that is accepted for now. */
  reason: NonEmptyText
  /** Where it is tracked: a URL. */
  issue?: NonEmptyText
  /** The firmware that it is known of, as a range of semantic versions; absent: any. */
  firmware?: NonEmptyText
  /** The last day on which it is accepted, `YYYY-MM-DD` in UTC; absent: no end. */
  expires?: NonEmptyText
}

/** A fact that was to stay as it was. */
export interface Pin {
  /** Its name in the facts. */
  fact: NonEmptyText
  /** As it was pinned. */
  was: Fact
  /** As this run saw it; null where it did not. */
  is: Fact | null
}

/**
 * One spec with its outcome, or a pinned fact as if it were one.
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
  /** What the spec says of a Core. */
  title: NonEmptyText
  /** The gravest level of its requirements. */
  level: Level
  /** The statements of the reference that it tests. */
  requirements: RequirementRef[]
  /** The spec file, relative to the suite or as the user gave it. */
  file: NonEmptyText
  /** The 1-based line of the spec in that file. */
  line: AtLeastOne
  /** Present where that file is the user's own (`--specs`), and not one of the suite. */
  isOwn?: true
  /**
   * What of it goes into contracts if it passes; absent for none.
   * @minItems 1
   */
  interactions?: InteractionRecord[]
  /** What became of it. */
  outcome: Outcome
  /** Why, in one sentence; present for every outcome but `passed`. */
  message?: NonEmptyText
  /** What made the first try inconclusive; present where there was a second, which all the rest tells of. */
  firstTry?: NonEmptyText
  /**
   * Present where a request was let in that was to be refused, and when it was sent once more, it was refused. Where the
   * API lets requests in that hold no token at all, such a spec accuses nobody.
   */
  seenOnce?: true
  /** What the baseline says of it; present where it says something of this firmware, and the spec failed or passed. */
  known?: KnownFailure
  /** The fact that it pins; such a record is no spec, and says nothing of the reference. */
  pin?: Pin
  /** When it began, since the start of the run, on the clock of the run. */
  atMs: Milliseconds
  /** How long it took, on the clock of the run. */
  durationMs: Milliseconds
  /** Its steps, in order. */
  steps: StepRecord[]
  /** Its exchanges, in the order sent. */
  exchanges: ExchangeRecord[]
}
