/** What `doctor` tells: one line for each thing that it looked at. */

/** `fine`; `note`: as it is, and worth knowing; `change`: a setting makes it right; `wrong`: no test from here; `unseen`: not looked at. */
export type Mark = 'fine' | 'note' | 'change' | 'wrong' | 'unseen'

/** One line. */
export interface Finding {
  mark: Mark
  /** What was looked at, in a word or two. */
  what: string
  /** What was seen, in one sentence without its end. */
  seen: string
  /** What to do; absent where there is nothing. */
  advice?: string
}

/** The settings of a Core that fit, by the names that they have in the configuration file. */
export type Fitting = Record<string, string | boolean | number>

/** All that was found of a Core. */
export interface Diagnosis {
  findings: Finding[]
  /** Whether somebody answers there at all. */
  isThere: boolean
  /** Whether a run would find all that it needs. */
  isTestable: boolean
  fitting: Fitting
}
