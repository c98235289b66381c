/** The findings of `doctor`: one line for each thing it looked at. */

/**
 * The kind of a finding. `fine`: nothing to do; `note`: worth knowing; `change`: a setting should change; `wrong`: no run is
 * possible; `unseen`: not looked at.
 */
export type Mark = 'fine' | 'note' | 'change' | 'wrong' | 'unseen'

/** One finding, shown as one line. */
export interface Finding {
  mark: Mark
  /** The thing looked at, in a word or two. */
  what: string
  /** What was seen, in one sentence without a full stop. */
  seen: string
  /** What to do; absent where there is nothing to do. */
  advice?: string
}

/** Makes a finding. */
export function found(mark: Mark, what: string, seen: string, advice?: string): Finding {
  return { mark, what, seen, ...(advice !== undefined && { advice }) }
}

/** The settings that fit a Core, by their names in the configuration file. */
export type Fitting = Record<string, string | boolean | number>

/** Everything that `doctor` found out about a Core. */
export interface Diagnosis {
  findings: Finding[]
  fitting: Fitting
  /** Whether a server answers at the address, trusted or not. */
  isThere: boolean
  /** Whether a run would find everything it needs. */
  isTestable: boolean
  /** The SHA-256 of a certificate that is not trusted, so that the user may compare it; absent where it is trusted. */
  uncompared?: string
}
