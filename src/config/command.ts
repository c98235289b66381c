import type { Kind } from '../settings/kind.js'
import { type Setting, variableOf } from '../settings/setting.js'

/** A command with its settings and the variables that have no flag, since argv is no place for secrets. */
export interface Command {
  /** One word, or two: `contracts verify`. */
  name: string
  about: string
  options: readonly Setting[]
  /** What it takes beside its options, by place or, `after --`, as it stands; absent: nothing. */
  operands?: Operands
  secrets: Secret[]
}

/** A variable that has no flag. */
export interface Secret {
  env: string
  about: string
}

/** The operands of a command. */
export interface Operands {
  /** How the help calls them, such as `FILE…`. */
  value: string
  about: string
  atLeast: number
  /** Absent: as many as there are. */
  atMost?: number
  /** Whether they only begin after `--`, since they may look like options. */
  afterDashes?: boolean
}

/** Where the configuration file is looked for when nothing names it. */
export const CONFIG_FILE = 'core-conformance.config.yaml'

/** Every environment variable that means something to one of these commands. */
export function variablesOf(commands: readonly Command[]): ReadonlySet<string> {
  return new Set(commands.flatMap(({ options, secrets }) => [...options, ...secrets].map(({ env }) => env)))
}

/** The variables by what somebody who knows only the flags would call them: `CORE_TARGET` for `CORE_URL`. */
export function variablesByFlag(commands: readonly Command[]): ReadonlyMap<string, string> {
  return new Map(optionsOf(commands).map(({ flag, env }) => [variableOf(flag), env]))
}

/** What each flag takes. */
export function kindsByFlag(commands: readonly Command[]): ReadonlyMap<string, Kind<unknown>> {
  return new Map(optionsOf(commands).map(({ flag, takes }) => [flag, takes]))
}

/** All options, the last command's first: in a map of flags, of those of one name the first command's is kept. */
function optionsOf(commands: readonly Command[]): Setting[] {
  return [...commands].reverse().flatMap(({ options }) => options)
}
