import { count } from '../../ground/count.js'
import type { RunEvent } from '../../result.js'
import { type Spec, tokensHeld } from '../../suite/spec.js'
import type { TokenBudget } from '../budget.js'
import type { RunContext } from '../context.js'
import type { Journal } from '../journal.js'
import { mayHaveExpired } from '../run-events.js'
import { notRun, type SpecEnd } from '../spec-end.js'
import { tokensKept } from '../token-capacity.js'

/** The things that the phases of a run share. */
export interface PhaseContext {
  context: RunContext
  /** Limits the tokens held at a time; becomes smaller when the Core shows less room. */
  budget: TokenBudget
  /** Whether this process stays while specs wait, and leaves no wait to another one. */
  stays: boolean
  journal: Journal | undefined
  /** Called with every outcome. The last one of a spec counts. */
  ended: (spec: Spec, end: SpecEnd) => void
  /** Returns those of failed attempts whose token died for another reason than they accuse the Core of, as far as the history tells. */
  doubted: (attempts: readonly Attempt[]) => Attempt[]
  /** Called when the end of all waits was planned, on the clock of the run, with the number of tokens at a time. */
  planned: (endsMs: number, tokens: number) => void
  /** Called with each event that concerned the Core as a whole. */
  happened: (event: RunEvent) => void
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
export function formFor(spec: Spec, { budget, context }: PhaseContext, isConfirming = false): Spec | undefined {
  const { sessions } = context.dialect
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

/**
 * Counts how many tokens the Core keeps where tokens died without reason, makes the budget fit, and runs their specs once more
 * where it keeps fewer than this run held: those may have been pushed out by newer ones. The reference does not say how many a
 * Core keeps.
 * @param dead those of the attempts with a token that died; one that was unused for its lifetime has its reason
 * @param again runs specs
 * @returns the attempts, the latest one of each spec
 */
export async function withRoom(
  { context, budget, journal }: PhaseContext,
  attempts: Attempt[],
  dead: readonly Attempt[],
  again: (specs: Spec[]) => Promise<Attempt[]>,
): Promise<Attempt[]> {
  if (!dead.some(({ end }) => end.dead && !mayHaveExpired(end.dead, context.lifetime))) return attempts
  // The count would cost specs that wait their tokens.
  if (context.dialect.sessions !== 'many' || context.signal.aborted || context.schedule.isDetached) return attempts
  const kept = await context.schedule.task(() => tokensKept(context, context.session.peak))
  if (kept === undefined) return attempts
  if (budget.shrink(kept.tokens)) journal?.room(kept.tokens)
  return latest(attempts, await again(dead.map(({ spec }) => spec)))
}

/** Returns attempts with those in place that followed. */
export function latest(attempts: readonly Attempt[], later: readonly Attempt[]): Attempt[] {
  return attempts.map(attempt => later.find(({ spec }) => spec === attempt.spec) ?? attempt)
}

/** Returns how many tokens to try next, when `capacity` were allowed and the Core had room for no more than `room`. */
export function fewerTokens(room: number, capacity: number): number {
  return Math.max(Math.min(room, capacity - 1), 1)
}
