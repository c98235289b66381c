import type { RunResult } from '../../result.js'
import type { Spec } from '../../suite/spec.js'
import type { TokenBudget } from '../budget.js'
import type { RunContext } from '../context.js'
import type { Journal } from '../journal.js'
import type { SpecEnd } from '../spec-run.js'

/** What the phases of a run share. */
export interface PhaseContext {
  context: RunContext
  sessions: RunResult['dialect']['sessions']
  /** How many tokens may be held at a time; becomes smaller when the Core is seen to have less room. */
  budget: TokenBudget
  signal: AbortSignal
  journal: Journal | undefined
  /** Told of every outcome; the last of a spec counts. */
  ended: (spec: Spec, end: SpecEnd) => void
}

/** One try of a spec. */
export interface Attempt {
  spec: Spec
  end: SpecEnd
}
