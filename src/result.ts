/**
 * The run result: everything that a run found out. Reports are made from nothing else.
 *
 * The run writes it as `reports/result.json`. `npm run types` makes its JSON Schema, `contracts/result.schema.json`, from these
 * types. Every string from the wire or from the user is redacted before it gets here. `…Ms` numbers are milliseconds; `…At`
 * strings are ISO 8601 in UTC.
 */
export * from './result/dialect-record.js'
export * from './result/exchange-record.js'
export * from './result/exploration-record.js'
export * from './result/history-record.js'
export * from './result/plan-record.js'
export * from './result/quantities.js'
export * from './result/requirement-record.js'
export * from './result/run-result.js'
export * from './result/spec-record.js'
export { PROFILES, type Profile } from './settings/configuration.js'
export type { ExploreSetting } from './settings/exploring.js'
export { type ConfigurationRecord, USUAL } from './settings/record.js'
