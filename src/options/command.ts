import type { Setting } from '../settings/setting.js'

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
