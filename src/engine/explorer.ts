/** What goes on beside the specs of a run: the interface of whoever explores, so that the engine knows nothing of how. */
import type { Exploration } from '../result.js'
import type { Spec } from '../suite/spec.js'
import type { RunContext } from './context.js'
import type { SpecEnd } from './spec-end.js'

/** Whoever explores a Core beside the specs of a run. */
export interface Explorer {
  /**
   * Explores until there is nothing more to do, or no time. It is a task of the schedule, holds no more tokens than it was
   * given, gives each of them back, and does not throw for anything that the Core does.
   */
  explore(means: ExploreMeans): Promise<void>
  /** What came of it; undefined as long as it was not asked to explore. */
  readonly exploration: Exploration | undefined
  /** Notes why it was not asked to. */
  leftOut(reason: string): void
}

/** What an {@link Explorer} works with. */
export interface ExploreMeans {
  context: RunContext
  signal: AbortSignal
  /** Aborted when no spec waits any more; absent: none does. */
  over?: AbortSignal
  /** How many tokens it may hold at a time. */
  tokens: number
  /** How many logons may be refused on its behalf. */
  wrongLogons: number
  /** When the waits of the specs will have ended, on the clock of the run. */
  endsMs: number
  /** Whether time passes by leaps, so that nobody has to be spared and nobody waits. */
  isVirtual: boolean
  /** Keeps what it does apart from what specs look at. */
  quiet: Stillness
  /** The ids of the specs of the run. */
  taken: ReadonlySet<string>
  /** The ids of the requirements that specs of the run have failed. */
  broken: ReadonlySet<string>
  /** Told of each finding: a spec that fails. */
  found(spec: Spec, end: SpecEnd): void
  /** Told of all that was explored by now, after each sequence. */
  explored(exploration: Exploration): void
}

/** See `Quiet`. */
export interface Stillness {
  enter(stretch: 'stirs'): Promise<void>
  leave(): void
}

/** Begins the id of whatever the explorer runs that is no spec of the suite: what it spends is not spent anew by `resume`. */
export const EXPLORED = 'explored-'
