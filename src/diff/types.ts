/**
 * What changed between the runs of a suite: all that `core-conformance diff` found, and the only thing that its reports are
 * made from. It is written as `reports/diff.json`. Its JSON Schema, `contracts/diff.schema.json`, is made of these types by
 * `npm run types`.
 */
import type { Count, Fact, NonEmptyText, Verdict } from '../result.js'

/** The version of this format. Raised when a reader of the old one would be misled. */
export const DIFF_SCHEMA_VERSION = 1

/** The consequences of a change for clients, the worst first; see {@link Consequence}. */
export const CONSEQUENCES = ['breaking', 'risky', 'harmless'] as const
/** What a change means for clients. `breaking`: some that worked will not; `risky`: some may not. */
export type Consequence = (typeof CONSEQUENCES)[number]

/**
 * What sort of thing changed: a spec fails that passed (`failure`) or the reverse (`mended`); a fact; a header or a field of a
 * body; the measured idle lifetime, in milliseconds; the certificate.
 */
export type ChangeKind = 'failure' | 'mended' | 'fact' | 'header' | 'field' | 'lifetime' | 'certificate'

/** One thing that changed. */
export interface Change {
  /** What sort of thing. */
  kind: ChangeKind
  /** The id of the spec, or the name of the fact. */
  subject: NonEmptyText
  /**
   * The part of it: the header, or the field as in `[].name`; of a spec its title; of a lifetime `as configured`, where it is
   * that at the least.
   */
  part?: string
  /** As it was; null: it was not there. */
  was: Fact | null
  /** As it is; null: it is not there any more. */
  is: Fact | null
  /** The statements of the reference that a spec accuses, or accused before it was mended. */
  requirements?: NonEmptyText[]
  /** What a spec that fails now means for clients, by what it saw; absent where nobody wrote it down. */
  meaning?: NonEmptyText
}

/** A change with its consequence for clients. */
export interface Difference extends Change {
  /** What it means for clients. */
  consequence: Consequence
  /** The id of the rule that says so. */
  rule: NonEmptyText
  /** The rule in one sentence. */
  why: NonEmptyText
}

/** Something that could not be compared. */
export interface NotCompared {
  /** A spec, or a group of facts. */
  kind: 'spec' | 'fact'
  /** The id of the spec, or the first part of the names of the facts. */
  subject: NonEmptyText
  /** Why not. */
  why: NonEmptyText
}

/** One run, as a heading shows it. */
export interface RunHead {
  /** What the Core is called, with its firmware, else the file. */
  name: NonEmptyText
  /** The file, as the user named it. */
  file: NonEmptyText
  /** Base URL without credentials. */
  url: NonEmptyText
  /** When the run started, ISO 8601 in UTC. */
  startedAt: NonEmptyText
  /** What the run says of its target. */
  verdict: Verdict
  /** Why this verdict, in one sentence. */
  reason: NonEmptyText
  /** The version of the suite that ran. */
  suiteVersion: NonEmptyText
}

/** How many differences have each consequence. */
export interface ConsequenceCounts {
  /** Some clients that worked will not. */
  breaking: Count
  /** Some clients may not work. */
  risky: Count
  /** No client is concerned. */
  harmless: Count
}

/** Two runs, one after the other. */
export interface Comparison {
  /** Index of the earlier run in `runs`. */
  from: Count
  /** Index of the later run in `runs`. */
  to: Count
  /** By consequence, the worst first, then in the order of kinds and names. */
  differences: Difference[]
  /** How many of them have each consequence. */
  counts: ConsequenceCounts
  /** The ids of the specs that fail in both. */
  stillFailing: NonEmptyText[]
  /** How many specs were judged in both. */
  compared: Count
  /** Why the runs are not quite alike, in sentences. */
  notices: NonEmptyText[]
  /** What could not be compared. */
  notCompared: NotCompared[]
}

/** The specs of one requirement in one run. */
export interface Cell {
  /** What they say of it. `none`: there are no such specs; `not judged`: none of them was. */
  state: 'failed' | 'in doubt' | 'known failure' | 'passed' | 'observed' | 'not judged' | 'none'
  /** How many of its specs were judged. */
  judged: Count
  /** How many specs it has. */
  total: Count
  /** The ids of those that failed, known or not. */
  failed: NonEmptyText[]
}

/** One requirement, through all runs. */
export interface Row {
  /** Its id. */
  requirement: NonEmptyText
  /** The statement. */
  text: NonEmptyText
  /** What breaks for a client where it is not met; absent where nobody wrote it down. */
  consequence?: NonEmptyText
  /** One for each run. */
  cells: Cell[]
}

/**
 * What changed between runs of core-conformance, and what it means for clients. Redacted as the results were.
 * @title Differences between runs
 */
export interface Diff {
  /** The version of this format. Raised when a reader of the old one would be misled. */
  schemaVersion: typeof DIFF_SCHEMA_VERSION
  /**
   * The runs, the oldest first.
   * @minItems 2
   */
  runs: RunHead[]
  /**
   * Each run with the one before it.
   * @minItems 1
   */
  comparisons: Comparison[]
  /** Every requirement in every run, sorted by id. */
  matrix: Row[]
}
