/**
 * The configuration as results record it. Its type is made from the declarations, and so are its values, comparisons
 * and texts.
 */
import { CONFIGURATION, type Recorded } from './configuration.js'
import type { ExploreSetting } from './exploring.js'
import type { Declared, ValueOf } from './setting.js'

type Settings = typeof CONFIGURATION
type Key<N extends keyof Settings> = Settings[N]['takes'] extends { inProgram: 'time' } ? `${N}Ms` : N

/** The configuration of a run, without secrets; see {@link recordKey}. */
export type ConfigurationRecord = {
  -readonly [N in keyof Settings as Key<N>]: Exclude<ValueOf<Settings[N]>, undefined>
} & {
  /** The setting that the lifetime comes from, such as `--idle-lifetime`; absent: the reference. */
  idleLifetimeFrom?: string
}

/** The declarations, in the order of the help. */
export const RECORDED: readonly Declared<Recorded<unknown>>[] = Object.values(CONFIGURATION)

/** Returns the key of a setting in a record: its flag as a name in a program; a time in milliseconds ends with `Ms`. */
export function recordKey({ flag, takes }: Recorded<unknown>): string {
  const name = flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  return takes.inProgram === 'time' ? `${name}Ms` : name
}

/** Returns the value of a setting in a record. */
export function recordedValue(record: ConfigurationRecord, setting: Recorded<unknown>): unknown {
  return (record as Readonly<Record<string, unknown>>)[recordKey(setting)]
}

/** Makes a record. By default, a full run of all specs explores while they wait, and any other run does not. */
export function recordOf(read: (setting: Declared<Recorded<unknown>>) => unknown): ConfigurationRecord {
  const values = Object.fromEntries(RECORDED.map(setting => [recordKey(setting), read(setting)]))
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
