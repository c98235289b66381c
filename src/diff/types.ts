/**
 * The format of `reports/diff.json`: everything that `core-conformance diff` found. The reports of a diff are made from nothing
 * else. `npm run types` makes its JSON Schema, `contracts/diff.schema.json`, from these types.
 */
import type { Count, Fact, NonEmptyText, Verdict } from '../result.js'

/** The version of this format. It is raised when a change would mislead a reader of the old format. */
export const DIFF_SCHEMA_VERSION = 1

/** The consequences of a change for clients, worst first; see {@link Consequence}. */
export const CONSEQUENCES = ['breaking', 'risky', 'harmless'] as const
/** What a change means for clients. `breaking`: some clients stop working; `risky`: some may; `harmless`: none does. */
export type Consequence = (typeof CONSEQUENCES)[number]

/**
 * The kind of thing that changed. `failure`: a spec passed before and fails now; `fixed`: the reverse; `fact`: a fact;
 * `header`, `field`: a header or a field of an answer; `lifetime`: the measured idle lifetime, in milliseconds; `certificate`:
 * the certificate; `doubt`: a requirement was met and is in doubt now, or the reverse.
 */
export type ChangeKind = 'failure' | 'fixed' | 'doubt' | 'fact' | 'header' | 'field' | 'lifetime' | 'certificate'

/** One thing that changed. */
export interface Change {
  /** The kind of thing that changed. */
  kind: ChangeKind
  /** The id of the spec or of the requirement, or the name of the fact. */
  subject: NonEmptyText
  /**
   * The changed part: a header; a field as in `[].name`; the title of a spec; `as configured` for a lifetime that is no
   * shorter than the configured one; `seen` for a doubt about which the run itself saw something, which `is` says.
   */
  part?: string
  /** The value in the earlier run; null: it was not there. */
  was: Fact | null
  /** The value in the later run; null: it is not there any more. */
  is: Fact | null
  /** The ids of the requirements that the spec accuses, or accused before it was fixed. */
  requirements?: NonEmptyText[]
  /** What the failure means for clients, given what the spec saw; absent where the suite does not say it. */
  meaning?: NonEmptyText
}

/** A change with its consequence for clients. */
export interface Difference extends Change {
  /** What the change means for clients. */
  consequence: Consequence
  /** The id of the rule that gave the consequence. */
  rule: NonEmptyText
  /** Why the rule gives this consequence, in one sentence. */
  why: NonEmptyText
}

/** Something that could not be compared. */
export interface NotCompared {
  /** A spec, or a group of facts. */
  kind: 'spec' | 'fact'
  /** The id of the spec, or the first part of the facts' names. */
  subject: NonEmptyText
  /** Why it could not be compared, in words. */
  why: NonEmptyText
}

/** One run, as a heading shows it. */
export interface RunHead {
  /** The Core's label with its firmware, else the file. */
  name: NonEmptyText
  /** The path of the result, as the user wrote it. */
  file: NonEmptyText
  /** Base URL without credentials. */
  url: NonEmptyText
  /** When the run started, ISO 8601 in UTC. */
  startedAt: NonEmptyText
  /** The verdict of the run. */
  verdict: Verdict
  /** The verdict with its limits and doubts: `conformant, ACCESS-1 in doubt`. */
  verdictText: NonEmptyText
  /** Why this verdict, in one sentence. */
  reason: NonEmptyText
  /** The version of the suite that ran. */
  suiteVersion: NonEmptyText
}

/** How many differences have each consequence. */
export interface ConsequenceCounts {
  /** Differences after which some clients stop working. */
  breaking: Count
  /** Differences after which some clients may stop working. */
  risky: Count
  /** Differences that concern no client. */
  harmless: Count
}

/** Two runs, one after the other. */
export interface Comparison {
  /** Index of the earlier run in `runs`. */
  from: Count
  /** Index of the later run in `runs`. */
  to: Count
  /** The differences by consequence, worst first, then by kind and name. */
  differences: Difference[]
  /** How many differences have each consequence. */
  counts: ConsequenceCounts
  /** The ids of the specs that fail in both runs. */
  stillFailing: NonEmptyText[]
  /** How many specs were judged in both runs. */
  compared: Count
  /** Why the runs were not made under the same conditions, in sentences. */
  notices: NonEmptyText[]
  /** What could not be compared. */
  notCompared: NotCompared[]
}

/** One requirement in one run. */
export interface Cell {
  /** The state of the requirement. `none`: the run has no spec for it; `not judged`: none of its specs was judged. */
  state: 'failed' | 'in doubt' | 'known failure' | 'passed' | 'observed' | 'not judged' | 'none'
  /** How many specs of the requirement were judged. */
  judged: Count
  /** How many specs the requirement has in this run. */
  total: Count
  /** The ids of the specs that accuse the requirement, known failures too. */
  failed: NonEmptyText[]
}

/** One requirement, through all runs. */
export interface Row {
  /** The id of the requirement. */
  requirement: NonEmptyText
  /** The statement. */
  text: NonEmptyText
  /** What breaks for a client if the requirement is not met; absent where the ledger does not say it. */
  consequence?: NonEmptyText
  /** One cell for each run, in the order of the runs. */
  cells: Cell[]
}

/**
 * The changes between runs of core-conformance, and what they mean for clients. Secrets are redacted, as in the results.
 * @title Differences between runs
 */
export interface Diff {
  /** The version of this format. It is raised when a change would mislead a reader of the old format. */
  schemaVersion: typeof DIFF_SCHEMA_VERSION
  /**
   * The runs, the oldest first.
   * @minItems 2
   */
  runs: RunHead[]
  /**
   * Each run compared with the one before it.
   * @minItems 1
   */
  comparisons: Comparison[]
  /** Every requirement in every run, sorted by id. */
  matrix: Row[]
}
