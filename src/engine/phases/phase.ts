import { count } from '../../ground/count.js'
import type { RunResult } from '../../result.js'
import { type Spec, tokensHeld } from '../../suite/spec.js'
import type { TokenBudget } from '../budget.js'
import type { RunContext } from '../context.js'
import type { Journal } from '../journal.js'
import { notRun, type SpecEnd } from '../spec-end.js'

/** The things that the phases of a run share. */
export interface PhaseContext {
  context: RunContext
  sessions: RunResult['dialect']['sessions']
  /** Limits the tokens held at a time; becomes smaller when the Core shows less room. */
  budget: TokenBudget
  signal: AbortSignal
  /** Whether this process stays while specs wait, and leaves no wait to another one. */
  stays: boolean
  journal: Journal | undefined
  /** Called with every outcome. The last one of a spec counts. */
  ended: (spec: Spec, end: SpecEnd) => void
}

/** One try of a spec. */
export interface Attempt {
  spec: Spec
  end: SpecEnd
}

/**
 * Returns the form of a spec that there is room for: the whole spec, or the one with a single bystander.
 * @param isConfirming whether the spec runs once more, to see the same again
 * @returns undefined where there is room for neither
 */
export function formFor(spec: Spec, { budget, sessions }: PhaseContext, isConfirming = false): Spec | undefined {
  // Where the tokens of a user depend on each other, a second token shows nothing about the request.
  if (sessions === 'newest' || sessions === 'same') return spec.narrow ?? spec
  const whole = (isConfirming && spec.confirming) || spec
  return [whole, spec.narrow].find(form => form !== undefined && budget.fits(tokensHeld(form)))
}

/** Returns the end of a spec of which no form fits (see {@link formFor}), with the room that there was. */
export function noRoom(spec: Spec, { capacity }: TokenBudget): SpecEnd {
  const needed = count(tokensHeld(spec.narrow ?? spec), 'token')
  return { ...notRun(spec, 'skipped', `needs ${needed} at a time; there is room for ${capacity}`), room: capacity }
}
