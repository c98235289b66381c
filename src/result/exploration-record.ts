/** What a result says of the sequences that nobody wrote down. */
import type { Count, NonEmptyText } from './quantities.js'

/** What exploring came to: sequences that nobody wrote down, drawn from a seed and held against a model of the reference. */
export interface Exploration {
  /** What the sequences were drawn from. */
  seed: Count
  /** Why nothing was explored, or it ended before its time; absent where neither is so. */
  reason?: NonEmptyText
  /** How many sequences were run to their end. */
  sequences: Count
  /** How many sequences were cut short by what says nothing of the Core. */
  cut: Count
  /** How many requests were sent, those too that confirmed and shrank findings. */
  requests: Count
  /** The transitions of the model that were walked, sorted. */
  transitions: Transition[]
  /**
   * How often a valid token was used after so many tenths of its lifetime without use: ten numbers.
   * @minItems 10
   * @maxItems 10
   */
  ages: Count[]
  /** What contradicts the reference, in the order in which it was found. */
  findings: FindingRecord[]
}

/** What was done to a token in which state, and how often. */
export interface Transition {
  /** The state of the token that it is about; `none`: it is about none. */
  from: 'none' | 'unknown' | 'issued' | 'doubt' | 'revoked' | 'expired'
  /** What was done. */
  by: NonEmptyText
  /** How often. */
  times: Count
}

/** One contradiction to the reference. */
export interface FindingRecord {
  /**
   * The id of its spec, which stands among the specs where it was confirmed, or fails all the same.
   * @pattern ^[a-z][a-z0-9-]*$
   */
  id: string
  /** The id of the requirement that it breaks. */
  requirement: NonEmptyText
  /** What was seen, in words. */
  text: NonEmptyText
  /**
   * `confirmed`: it repeats; `certain`: it was seen, and cannot be repeated at will, but the reference leaves no room for it;
   * `flaky`: it was seen, and hardly again, which fails nothing.
   */
  state: 'confirmed' | 'certain' | 'flaky'
  /** How often it was seen. */
  seen: Count
  /** Of how many tries, the first among them. */
  tries: Count
  /** Whether each step was seen to be needed; false where there was no time for that. */
  isShortest: boolean
  /** How many steps it was found with. */
  foundWith: Count
  /** How many steps are left. */
  steps: Count
  /** The spec as a file of the suite, YAML. Nothing in it comes from the wire. */
  yaml: NonEmptyText
}
