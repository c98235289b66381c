import type { Names, Setting } from '../settings/setting.js'

/** A command with its settings and its secrets. A secret is a variable without a flag: others can read argv. */
export interface Command {
  /** One word, or two: `contracts verify`. */
  name: string
  about: string
  options: readonly Setting[]
  /** Arguments that are no options; absent: the command takes none. */
  operands?: Operands
  secrets: readonly Secret[]
}

/** Declares a command by a table of its settings: `Settings.values` gives their values by the names in it. */
export function command<const T extends Readonly<Record<string, Setting>>>(
  declared: Omit<Command, 'options' | 'secrets'> & { settings: T; secrets?: readonly Secret[] },
) {
  return { secrets: [], ...declared, options: Object.values<Setting>(declared.settings) }
}

export interface Secret {
  env: string
  about: string
}

export interface Operands {
  /** Name of the operands in the help, such as `FILE…`. */
  value: string
  about: string
  atLeast: number
  /** Absent: any number. */
  atMost?: number
  /** Whether the operands stand after `--`, since they may look like options. */
  afterDashes?: boolean
  completes?: Names
}

export const CONFIG_FILE = 'core-conformance.config.yaml'

/** What names the embedded mock Core in the place of a target. A target of this name in the configuration file comes first. */
export const MOCK_TARGET = 'mock'

/** Flags that set the TLS trust of a Core. They exclude each other. */
export const TRUST_FLAGS = ['insecure', 'ca-file', 'fingerprint'] as const

/** Returns every environment variable that one of these commands reads. */
export function variablesOf(commands: readonly Command[]): ReadonlySet<string> {
  return new Set(commands.flatMap(({ options, secrets }) => [...options, ...secrets].map(({ env }) => env)))
}

/** Returns all options. Commands share flags: in the configuration file, a flag means the option of the first command. */
export function optionsOf(commands: readonly Command[]): readonly Setting[] {
  return commands.flatMap(({ options }) => options)
}
