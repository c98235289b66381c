/** The interface between a run and its explorer. It keeps the engine free of how exploring works. */
import type { Exploration } from '../result.js'
import type { Spec } from '../suite/spec.js'
import type { RunContext } from './context.js'
import type { Quiet } from './phases/quiet.js'
import type { SpecEnd } from './spec-end.js'

/** Explores a Core beside the specs of a run. */
export interface Explorer {
  /**
   * Explores until nothing is left to do, or time is over. It runs as a task of the schedule, holds at most the allowed
   * number of tokens and gives each of them back. It does not throw for anything that the Core does.
   */
  explore(means: ExploreMeans): Promise<void>
  /** Result of exploring; undefined as long as it has not begun. */
  readonly exploration: Exploration | undefined
  /** Notes why the run does not explore. */
  leftOut(reason: string): void
}

/** What goes on while it explores. */
export interface Meanwhile {
  /** Aborted when no spec waits any more; absent: no spec waits. */
  over?: AbortSignal
  /** When the waits of the specs end, on the clock of the run. */
  endsMs: number
  /** Keeps its requests apart from the looks of specs. */
  quiet: Stillness
}

/** What the run gives it. */
export interface RunMeans {
  /** Most refused logons that it may cause. */
  wrongLogons: number
  /** Whether the clock leaps: then nobody waits, and the Core need not be spared. */
  isVirtual: boolean
  /** The ids of the specs of the run. */
  taken: ReadonlySet<string>
  /** The ids of the requirements that specs of the run failed. */
  broken: ReadonlySet<string>
  /** Called with each finding: a spec that fails. */
  found(spec: Spec, end: SpecEnd): void
  /** Called after each sequence with the exploration so far. */
  explored(exploration: Exploration): void
}

/** Means of an {@link Explorer}. */
export interface ExploreMeans extends Meanwhile, RunMeans {
  context: RunContext
  /** Most tokens that it may hold at a time. */
  tokens: number
}

/** Keeps requests apart from the looks of specs. */
export type Stillness = Pick<Quiet, 'enter' | 'leave'>

/** Prefix of the ids of the explorer's own sequences. `resume` does not refund the refused logons that they spent. */
export const EXPLORED = 'explored-'
