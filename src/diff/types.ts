/**
 * What changed between the runs of a suite: all that `core-conformance diff` found, and the only thing that its reports are
 * made from. It is written as `reports/diff.json`; its JSON Schema is `contracts/diff.schema.json`.
 */
import type { Fact, Verdict } from '../result.js'

/** The version of this format. Raised when a reader of the old one would be misled. */
export const DIFF_SCHEMA_VERSION = 1

/** What a change means for clients, the worst first. `breaking`: some that worked will not; `risky`: some may not. */
export const CONSEQUENCES = ['breaking', 'risky', 'harmless'] as const
/** See {@link CONSEQUENCES}. */
export type Consequence = (typeof CONSEQUENCES)[number]

/**
 * What sort of thing changed: a spec fails that passed (`failure`) or the reverse (`mended`); a fact; a header or a field of a
 * body; the measured idle lifetime, in milliseconds; the certificate.
 */
export type ChangeKind = 'failure' | 'mended' | 'fact' | 'header' | 'field' | 'lifetime' | 'certificate'

/** One thing that changed. */
export interface Change {
  kind: ChangeKind
  /** The id of the spec, or the name of the fact. */
  subject: string
  /**
   * The part of it: the header, or the field as in `[].name`; of a spec its title; of a lifetime `as configured`, where it is
   * that at the least.
   */
  part?: string
  /** Null: it was not there. */
  was: Fact | null
  /** Null: it is not there any more. */
  is: Fact | null
  /** The statements of the reference that a spec accuses, or accused before it was mended. */
  requirements?: string[]
  /** What a spec that fails now means for clients, by what it saw; absent where nobody wrote it down. */
  meaning?: string
}

/** A change with its consequence for clients. */
export interface Difference extends Change {
  consequence: Consequence
  /** The id of the rule that says so. */
  rule: string
  /** The rule in one sentence. */
  why: string
}

/** Something that could not be compared. */
export interface NotCompared {
  kind: 'spec' | 'fact'
  /** The id of the spec, or the first part of the names of the facts. */
  subject: string
  why: string
}

/** One run, as a heading shows it. */
export interface RunHead {
  /** The firmware, else what the Core is called, else the file. */
  name: string
  /** The file, as the user named it. */
  file: string
  url: string
  startedAt: string
  verdict: Verdict
  reason: string
  suiteVersion: string
}

/** Two runs, one after the other. */
export interface Comparison {
  /** Indexes into `runs`. */
  from: number
  to: number
  /** By consequence, the worst first, then in the order of kinds and names. */
  differences: Difference[]
  counts: Record<Consequence, number>
  /** The ids of the specs that fail in both. */
  stillFailing: string[]
  /** How many specs were judged in both. */
  compared: number
  /** Why the runs are not quite alike, in sentences. */
  notices: string[]
  notCompared: NotCompared[]
}

/** The specs of one requirement in one run. `none`: there are no such specs; `not judged`: none of them was. */
export interface Cell {
  state: 'failed' | 'in doubt' | 'known failure' | 'passed' | 'observed' | 'not judged' | 'none'
  /** How many of its specs were judged, and how many there are. */
  judged: number
  total: number
  /** The ids of those that failed, known or not. */
  failed: string[]
}

/** One requirement, through all runs. */
export interface Row {
  requirement: string
  text: string
  /** What breaks for a client where it is not met; absent where nobody wrote it down. */
  consequence?: string
  /** One for each run. */
  cells: Cell[]
}

/** What changed between runs, oldest first. */
export interface Diff {
  schemaVersion: typeof DIFF_SCHEMA_VERSION
  runs: RunHead[]
  /** Each run with the one before it. */
  comparisons: Comparison[]
  /** Every requirement in every run, sorted by id. */
  matrix: Row[]
}
