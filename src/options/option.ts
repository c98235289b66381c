/** One flag: its environment twin, what it takes, and what it means. The help texts and the parser are made from these. */
export interface Option {
  flag: string
  /** The environment variable that means the same. */
  env: string
  /** How the help calls its value; absent for a switch. */
  value?: string
  about: string
  /** Whether it may be given more than once, or with commas. */
  list?: boolean
  /** The names that it takes, which the help lists below the options. */
  names?: { title: string; rows: readonly { name: string; about: string }[] }
}

/** A command with its flags and the variables that have no flag, since argv is no place for secrets. */
export interface Command {
  /** One word, or two: `contracts verify`. */
  name: string
  about: string
  options: Option[]
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
