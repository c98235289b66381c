/** What a result says of the statements of the reference. */
import type { Count, NonEmptyText } from './quantities.js'

/** `must`: the reference states it, a miss is a failure. `observe`: left open by the reference, recorded, never fails. */
export type Level = 'must' | 'observe'

/** One statement of the reference, as a report shows it. */
export interface RequirementRef {
  /** Stable id, for example `REVOKE-1`. */
  id: NonEmptyText
  /** The statement, in our own words. */
  text: NonEmptyText
  /** The section of the reference that it comes from. */
  section: NonEmptyText
  /** What breaks for a client where it is not met, in one sentence; absent where nobody wrote it down. */
  consequence?: NonEmptyText
}

/** The states of a requirement, the gravest first; see {@link RequirementState}. */
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
 * What a run says of a requirement. `not met`: a step that tests it missed, and its spec failed; `in doubt`: something speaks
 * against it that does not bear a verdict; `known failure`: not met, as the baseline says; `met so far`: some of its specs are
 * still open, or were not selected; `observed`: the reference leaves it open, and what this Core does was seen; `not testable`:
 * no test over the wire can tell.
 */
export type RequirementState = (typeof REQUIREMENT_STATES)[number]

/** A step that speaks against a requirement. */
export interface Evidence {
  /** The id of the spec. */
  spec: NonEmptyText
  /** Index into the `steps` of the spec. */
  step: Count
}

/**
 * One statement of the ledger, with what there is to test it: whether that ran is told by `specs` of the result.
 * @keywords {
 *   "if": { "properties": { "level": { "const": "excluded" } }, "required": ["level"] },
 *   "then": { "required": ["reason"] }
 * }
 */
export interface RequirementRecord extends RequirementRef {
  /** `must` and `observe` as of a spec; `excluded`: no test over the wire can tell, and `reason` says why. */
  level: Level | 'excluded'
  /** Why it is excluded. */
  reason?: NonEmptyText
  /** The ids of all specs of the suite that test it, in its order, also of those that were not selected. */
  specs: NonEmptyText[]
  /** What the run says of it; absent in results of before it was kept. */
  state?: RequirementState
  /** The steps that missed and test it, of specs that failed, known or not, or ended inconclusive; absent where `state` is. */
  evidence?: Evidence[]
}

/** Something that speaks against a requirement and bears no verdict. */
export interface Doubt {
  /** The id of the requirement. */
  requirement: NonEmptyText
  /** What was seen, in one sentence. */
  text: NonEmptyText
}
