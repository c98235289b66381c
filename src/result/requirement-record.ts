/** The part of a result about requirements. */
import type { Count, NonEmptyText } from './quantities.js'

/**
 * `must`: the reference states it, so a miss is a failure. `observe`: the reference leaves it open; it is recorded and never
 * fails.
 */
export type Level = 'must' | 'observe'

/** A number of things that were judged, of those that can be. */
export interface Covered {
  /** How many were judged. */
  judged: Count
  /** How many can stand in a request that this Core takes. */
  of: Count
}

/** How much of what requests may differ in was judged, of what this Core takes. */
export interface CoverageRecord {
  /** Variations: the values of all dimensions. */
  variations: Covered
  /** Pairs of variations in one request, of those dimensions that are paired. A quick run covers some of them by the way. */
  pairs: Covered
  /** Three of them in one request. No run aims at them all. Absent in results of earlier versions. */
  triples?: Covered
  /**
   * What would be next, each by the names of its variations: single ones that no judged request had, then pairs, the telling ones
   * first. Absent as `triples`.
   */
  next?: NonEmptyText[][]
}

/**
 * What a request may differ in from that of its step.
 * @shared true
 */
export interface VariationRecord {
  /** Its name, unique in the step. */
  name: NonEmptyText
  /** The parts of a request that it needs for itself: two that need the same cannot stand in one request. */
  needs: NonEmptyText[]
}

/**
 * Variations of which a request has one at most.
 * @shared true
 */
export interface DimensionRecord {
  /** The variations, the telling ones first. */
  variations: VariationRecord[]
  /** Present where pairs with those of other dimensions count. */
  isPaired?: true
}

/** What the requests of a step may differ in, and the requests that were judged. Runs add up by it. */
export interface RowsRecord {
  /** What a request may differ in, of each dimension once. */
  dimensions: DimensionRecord[]
  /** The judged requests: indexes of their variations, counted through all dimensions. */
  judged: Count[][]
  /** The variations that this Core does not take, by the same indexes. */
  untaken: Count[]
}

/** One statement of the reference, as a report shows it. */
export interface RequirementRef {
  /** Stable id, for example `REVOKE-1`. */
  id: NonEmptyText
  /** The statement, in our own words. */
  text: NonEmptyText
  /** The section of the reference that states it. */
  section: NonEmptyText
  /** What breaks for a client if the requirement is not met, in one sentence; absent where the ledger does not say it. */
  consequence?: NonEmptyText
}

/** The states of a requirement, gravest first; see {@link RequirementState}. */
export const REQUIREMENT_STATES = [
  'not met',
  'in doubt',
  'known failure',
  'met so far',
  'not tested',
  'met',
  'observed',
  'not testable',
] as const
/**
 * The state of a requirement after a run. `not met`: a step that tests it missed, and its spec failed; `in doubt`: there is
 * evidence against it, too weak for a verdict; `known failure`: not met, as the baseline says; `met so far`: some of its specs
 * have no outcome yet, or were not selected; `observed`: the reference leaves it open, and the run saw what this Core does;
 * `not testable`: no test over the wire can judge it.
 */
export type RequirementState = (typeof REQUIREMENT_STATES)[number]

/** A step that speaks against a requirement. */
export interface Evidence {
  /** The id of the spec. */
  spec: NonEmptyText
  /** Index into the `steps` of the spec. */
  step: Count
}

/** One requirement of the ledger, before a run. */
export interface LedgerEntry extends RequirementRef {
  /**
   * `must` and `observe` as for a spec; `excluded`: no test over the wire can judge it, and `reason` says why. Of a run with
   * access control off it is the level that the requirement has on such a Core.
   */
  level: Level | 'excluded'
  /** Why the requirement is excluded; of a run with access control off, why it has its level there. */
  reason?: NonEmptyText
  /** The ids of all specs of the suite that test the requirement, in the order of the suite, selected or not. */
  specs: NonEmptyText[]
}

/**
 * One requirement of the ledger, with the specs that test it. The `specs` of the result say which of them ran.
 * @keywords {
 *   "if": { "properties": { "level": { "const": "excluded" } }, "required": ["level"] },
 *   "then": { "required": ["reason"] }
 * }
 */
export interface RequirementRecord extends LedgerEntry {
  /** The state after the run. */
  state: RequirementState
  /** The steps that test the requirement and missed, in specs that failed, are known failures, or ended inconclusive. */
  evidence: Evidence[]
  /** What the rows of all steps that test the requirement covered, added up; absent for none. */
  covered?: CoverageRecord
}

/** Evidence against a requirement that is too weak for a verdict. */
export interface Doubt {
  /** The id of the requirement. */
  requirement: NonEmptyText
  /** What was seen, in one sentence. */
  text: NonEmptyText
}
