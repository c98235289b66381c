/**
 * The run result: everything a run found out, and the only thing that reports are made from.
 *
 * It is written as `reports/result.json`. Its JSON Schema, `contracts/result.schema.json`, is made of these types by
 * `npm run types`. Every string in it that came from the wire or from the user has been redacted before it got here. All
 * `…Ms` numbers are milliseconds; `…At` strings are ISO 8601 in UTC.
 */
export * from './result/dialect-record.js'
export * from './result/exchange-record.js'
export * from './result/exploration-record.js'
export * from './result/plan-record.js'
export * from './result/quantities.js'
export * from './result/requirement-record.js'
export * from './result/run-result.js'
export * from './result/spec-record.js'
export { PROFILES, type Profile } from './settings/configuration.js'
export type { ExploreSetting } from './settings/exploring.js'
export { type ConfigurationRecord, USUAL } from './settings/record.js'
