/**
 * The kinds of values that the formats of this suite use. `npm run types` makes the schemas in `contracts/` from these types. A
 * comment becomes a description. A tag, such as `@minimum`, becomes the JSON Schema keyword of that name. `@keywords` holds
 * further keywords as JSON.
 */

/**
 * A number of things, or an index that counts from 0.
 * @asType integer
 * @minimum 0
 */
export type Count = number

/**
 * A duration, or a time since the start of the run, in milliseconds.
 * @minimum 0
 */
export type Milliseconds = number

/**
 * A number of things, at least one.
 * @asType integer
 * @minimum 1
 */
export type AtLeastOne = number

/**
 * A duration that is longer than zero, in milliseconds.
 * @exclusiveMinimum 0
 */
export type LongerThanZero = number

/**
 * A text that is not empty.
 * @minLength 1
 */
export type NonEmptyText = string

/**
 * A time, ISO 8601 in UTC.
 * @pattern ^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-6]\d\.\d{3}Z$
 */
export type UtcTime = string

/**
 * An HTTP status as it came, also one that HTTP does not define.
 * @asType integer
 * @minimum 0
 * @maximum 999
 */
export type Status = number

/** The suite that ran. Two runs with equal records ran the same specs. */
export interface SuiteRecord {
  /** The name of the suite. */
  name: 'core-conformance'
  /**
   * The version of the suite (Semantic Versioning).
   * @pattern ^\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$
   */
  version: string
  /**
   * SHA-256 of the set of specs that ran, in lower-case hex.
   * @pattern ^[0-9a-f]{64}$
   */
  specsDigest: string
}
