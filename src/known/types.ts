/**
 * The formats of the files in which a user says what is known before a run: baselines and pins. `npm run types` makes their
 * JSON Schemas, `contracts/baseline.schema.json` and `contracts/pins.schema.json`, from these types. `@comment` says in words
 * what a pattern asks for.
 */
import type { Fact, KnownFailure } from '../result.js'

/** A spec that is known to fail. */
export interface BaselineEntry extends KnownFailure {
  /**
   * Why the failure is accepted for now.
   * @pattern \S
   * @comment something that can be read
   */
  reason: string
  /**
   * Where the failure is tracked.
   * @pattern ^https?://\S+$
   * @comment a URL, https://…
   */
  issue?: string
  /**
   * The firmware with the failure, as a range of semantic versions, such as '>=2.1 <2.4'; absent: any.
   * @pattern \S
   * @comment a range, such as '>=2.1 <2.4'
   */
  firmware?: string
  /**
   * The last day on which the failure is accepted, in UTC; absent: no end.
   * @pattern ^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$
   * @comment a day, such as 2027-01-31
   */
  expires?: string
}

/**
 * Specs that are known to fail, by id, each with the reason why the failure is accepted for now.
 * @title Baseline of core-conformance
 */
export type BaselineFile = Record<string, BaselineEntry>

/**
 * Facts that must not change, by their names in the facts of a run result.
 * @title Pins of core-conformance
 * @minProperties 1
 */
export type PinsFile = Record<string, Fact>
