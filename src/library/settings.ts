/** Checks the settings of a run in a program: those of `core-conformance run`, with names that fit a program. */

import { type RunConfig, runConfig } from '../commands/one-core/config.js'
import {
  BASELINE,
  CONTROL_KEY,
  OF_A_RUN,
  OF_A_TARGET,
  PASSWORD,
  PIN,
  RUN,
  TARGET,
} from '../commands/shared/declared.js'
import { Settings } from '../config/settings.js'
import { ConfigError } from '../ground/config-error.js'
import { numbered } from '../ground/count.js'
import type { InProgram, Kind } from '../settings/kinds.js'
import type { Setting } from '../settings/setting.js'
import { hint } from '../suite/problem.js'

/** A span of time: milliseconds, or a text with its unit such as `90s`, `5m` or `1h`. */
export type Time = number | string

type Giving<D> = D extends { takes: Kind<infer T> & { inProgram: infer P } }
  ? P extends 'time'
    ? Time
    : P extends 'list'
      ? readonly string[]
      : P extends 'text'
        ? Extract<T, string> extends never
          ? string
          : Extract<T, string>
        : Exclude<T, null>
  : never

const SETTINGS = {
  /** The base URL of the Core, such as `https://10.0.0.5`. Absent: an embedded mock Core, in a process of its own. */
  target: TARGET,
  ...OF_A_RUN,
  /** A file of facts that must stay the same: a `result.json`, or names and values. */
  pin: PIN,
  /** A file of known failures (YAML). */
  baseline: BASELINE,
}

/** Settings of a run. Each means the same as its flag of `core-conformance run`. All are optional. */
export type RunSettings = { -readonly [K in keyof typeof SETTINGS]?: Giving<(typeof SETTINGS)[K]> } & {
  /** The password of the user; needed with `target`, unless access control is off. It is hidden in the result. */
  password?: string
  /** The key of the control endpoint; needed with `controlUrl`. */
  controlKey?: string
}

const KINDS: Record<InProgram, { is: (value: unknown) => boolean; must: string }> = {
  text: { is: value => typeof value === 'string' && value !== '', must: 'a text that is not empty' },
  time: { is: value => ['string', 'number'].includes(typeof value), must: 'milliseconds, or a text such as 90s' },
  number: { is: value => typeof value === 'number', must: 'a number' },
  switch: { is: value => typeof value === 'boolean', must: 'true or false' },
  // Commas separate the parts of a list, on the command line and here.
  list: { is: isList, must: 'a list of texts, none of them empty or with a comma' },
}

/** The settings by their names in a program. */
export const DECLARED: Readonly<Record<string, Setting>> = SETTINGS
/** Secrets: the variable by name. */
const SECRETS: Readonly<Record<string, string>> = { password: PASSWORD.env, controlKey: CONTROL_KEY.env }

/** The names of all settings of a run. */
export const RUN_SETTINGS: readonly string[] = [...Object.keys(DECLARED), ...Object.keys(SECRETS)]

/**
 * Makes the configuration of a run from the settings of a program.
 * @throws ConfigError for the first setting that is unknown or wrong; the message uses the names of {@link RunSettings}
 */
export function configOf(settings: RunSettings): RunConfig {
  if (typeof settings !== 'object' || settings === null) throw new ConfigError('the settings of a run are an object')
  const flags = new Map<string, string>()
  const secrets: Record<string, string> = {}
  for (const [name, value] of Object.entries(settings)) {
    if (!RUN_SETTINGS.includes(name)) throw new ConfigError(`a run has no setting '${name}'${hint(name, RUN_SETTINGS)}`)
    if (value === undefined) continue
    const { flag, takes } = DECLARED[name] ?? {}
    const { is, must } = KINDS[takes?.inProgram ?? 'text']
    if (!is(value)) throw new ConfigError(`${name} must be ${must}`)
    const env = SECRETS[name]
    if (env !== undefined) secrets[env] = String(value)
    // An empty list means the same as no list, and false the same as no switch.
    else if (flag !== undefined && value !== false && !(Array.isArray(value) && value.length === 0))
      flags.set(flag, textOf(value, takes?.inProgram))
  }
  refuseIncomplete(settings)
  const called = (flag: string) => Object.keys(DECLARED).find(name => DECLARED[name]?.flag === flag) ?? flag
  const config = runConfig(Settings.of(RUN, flags, secrets, called))
  if (config.target && config.configuration.accessControl === 'on') {
    if (config.username === undefined) throw new ConfigError('username is missing: who is to log on to the Core?')
    if (config.password === undefined)
      throw new ConfigError('password is missing: a Core with access control needs one')
  }
  return config
}

/** Refuses a setting without the one that it needs. The command line has its own check, whose messages name flags. */
function refuseIncomplete(settings: RunSettings): void {
  const given: Readonly<Record<string, unknown>> = { ...settings }
  const names = [...Object.keys(OF_A_TARGET), ...Object.keys(SECRETS)]
  const stray = names.filter(name => given[name] !== undefined && given[name] !== false)
  if (settings.target === undefined && stray.length > 0) {
    const those = numbered(stray.length, 'that', 'them')
    throw new ConfigError(
      `${stray.join(', ')} without a target: give the base URL of the Core as target, or leave ${those} out to run against the embedded mock Core`,
    )
  }
  if (settings.controlUrl !== undefined && settings.controlKey === undefined)
    throw new ConfigError('controlKey is missing: controlUrl needs the key of that control endpoint')
}

/** Writes a value as on the command line. */
function textOf(value: unknown, kind: InProgram | undefined): string {
  if (kind === 'time' && typeof value === 'number') return `${value}ms`
  return Array.isArray(value) ? value.join(',') : String(value)
}

function isList(value: unknown): boolean {
  return (
    Array.isArray(value) && value.every(part => typeof part === 'string' && part.trim() !== '' && !part.includes(','))
  )
}
