/**
 * The configuration as results record it. Its type is made from the declarations, and so are its values, comparisons
 * and texts.
 */
import { CONFIGURATION, type Recorded } from './configuration.js'
import type { ExploreSetting } from './exploring.js'
import type { Schema } from './kinds.js'
import type { Declared, ValueOf } from './setting.js'

type Settings = typeof CONFIGURATION
type Each = Settings[keyof Settings]
type Values<S extends Each> = { [D in S as D['records']]: Exclude<ValueOf<D>, undefined> }

/** The configuration of a run, without secrets. Times are milliseconds; `configuration.ts` declares each key. */
export type ConfigurationRecord = Values<Each> & {
  /** The setting that the lifetime comes from, such as `--idle-lifetime`; absent: the reference. */
  idleLifetimeFrom?: string
}

/** The declarations, in the order of the help. */
export const RECORDED: readonly Declared<Recorded<unknown>>[] = Object.values(CONFIGURATION)

/** The schema of a record. A schema that contains it may add nothing but a description. */
export const RECORD_SCHEMA: Schema = {
  type: 'object',
  additionalProperties: false,
  required: RECORDED.map(({ records }) => records),
  properties: {
    ...Object.fromEntries(
      RECORDED.map(({ records, meaning, takes }) => [records, { description: meaning, ...takes.inResult }]),
    ),
    idleLifetimeFrom: {
      description: "Where the lifetime was set, such as by a flag. Absent: nowhere, so that it is the reference's.",
      type: 'string',
      minLength: 1,
    },
  },
}

/** Returns the value of a setting in a record. */
export function recordedValue(record: ConfigurationRecord, { records }: Recorded<unknown>): unknown {
  return (record as Readonly<Record<string, unknown>>)[records]
}

/**
 * Makes a record. By default, a full run of all specs explores while they wait, and any other run does not.
 * @param read returns the value of a setting
 */
export function recordOf(read: (setting: Declared<Recorded<unknown>>) => unknown): ConfigurationRecord {
  const values = Object.fromEntries(RECORDED.map(setting => [setting.records, read(setting)]))
  const record = values as unknown as ConfigurationRecord & { explore: ExploreSetting | undefined }
  const { profile, only, accessControl } = record
  const isWhole = profile === 'full' && only.length === 0 && accessControl === 'on'
  return { ...record, explore: record.explore ?? { requests: isWhole ? null : 0, durationMs: null } }
}

/** Defaults of a run: the reference's lifetime, the tolerance, and the path of the authenticated GET. */
export const USUAL = {
  idleLifetimeMs: CONFIGURATION.idleLifetime.usual,
  idleTolerance: CONFIGURATION.idleTolerance.usual,
  probePath: CONFIGURATION.probePath.usual,
} as const
