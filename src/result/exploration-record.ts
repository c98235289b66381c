/** The part of a result about exploring: random sequences of requests, and the findings. */
import type { Count, NonEmptyText } from './quantities.js'

/** The result of exploring: sequences of requests, drawn from a seed, and judged by a model of the reference. */
export interface Exploration {
  /** The seed that the sequences were drawn from. */
  seed: Count
  /** Why nothing was explored, or why exploring ended early; absent where neither is so. */
  reason?: NonEmptyText
  /** How many sequences were run to their end. */
  sequences: Count
  /** How many sequences were cut short for a reason that says nothing about the Core. */
  cut: Count
  /** How many requests were sent, including those that confirmed and shrank findings. */
  requests: Count
  /** The transitions of the model that were walked, sorted. */
  transitions: Transition[]
  /**
   * How often a valid token was used again, by the tenth of its idle lifetime that had passed: ten numbers.
   * @minItems 10
   * @maxItems 10
   */
  ages: Count[]
  /** The contradictions to the reference, in the order in which they were found. */
  findings: FindingRecord[]
}

/** One transition of the model: an action on a token in a state, and how often it was seen. */
export interface Transition {
  /** The state of the token before the action; `none`: the action concerns no token. */
  from: 'none' | 'unknown' | 'issued' | 'doubt' | 'revoked' | 'expired'
  /** The action. */
  by: NonEmptyText
  /** How often it was walked. */
  times: Count
}

/** One contradiction to the reference. */
export interface FindingRecord {
  /**
   * The id of the finding's spec. A finding that fails the run has its spec among the specs of the result.
   * @pattern ^[a-z][a-z0-9-]*$
   */
  id: string
  /** The id of the requirement that is broken. */
  requirement: NonEmptyText
  /** What was seen, in words. */
  text: NonEmptyText
  /**
   * `confirmed`: the contradiction repeats; `certain`: it cannot be repeated at will, but no reading of the reference allows
   * it; `flaky`: it was hardly seen again, so it fails nothing.
   */
  state: 'confirmed' | 'certain' | 'flaky'
  /** How often the contradiction was seen. */
  seen: Count
  /** Number of tries, including the first. */
  tries: Count
  /** Whether every step is known to be needed; false where there was no time to shrink the sequence. */
  isShortest: boolean
  /** Number of steps when the contradiction was found. */
  foundWith: Count
  /** Number of steps after shrinking. */
  steps: Count
  /** The spec as a file of the suite, YAML. Nothing in it comes from the wire. */
  yaml: NonEmptyText
}
