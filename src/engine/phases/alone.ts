import { reachesOthers, type Spec, type Suite, tokensHeld } from '../../suite/spec.js'
import { INTERRUPTED, type SpecEnd } from '../spec-end.js'
import { SpecRun } from '../spec-run.js'
import { fewerTokens } from './fewer-tokens.js'
import { keepsFewer } from './keeps-fewer.js'
import { type Attempt, formFor, noRoom, type PhaseContext } from './phase.js'

const NO_WAITS = { begins() {}, ends() {} }

/** Whether a spec runs alone: it may affect tokens beyond its own, and does not watch bystanders. */
export function runsAlone(spec: Spec, requests: Suite['requests']): boolean {
  return spec.isAlone === true || (spec.bystanders === undefined && reachesOthers(spec, requests))
}

/**
 * Runs specs one after another, with no tokens of other specs on the Core: specs that may affect tokens beyond their
 * own and do not watch bystanders, and specs whose outcome has to be confirmed.
 */
export class Alone {
  constructor(private readonly phase: PhaseContext) {}

  /** Runs these specs, one after another. */
  async run(specs: readonly Spec[]): Promise<Attempt[]> {
    const attempts = await this.inTurn(specs)
    const dead = attempts.filter(({ end }) => end.dead)
    if (!dead.length || !(await keepsFewer(this.phase))) return attempts
    const others = await this.inTurn(dead.map(({ spec }) => spec))
    return attempts.map(attempt => others.find(({ spec }) => spec === attempt.spec) ?? attempt)
  }

  private inTurn(specs: readonly Spec[]): Promise<Attempt[]> {
    return this.phase.context.schedule.task(async () => {
      const attempts: Attempt[] = []
      for (const spec of specs) attempts.push({ spec, end: await this.one(spec) })
      return attempts
    })
  }

  /**
   * Runs one spec to its end. Call it within a task.
   * @param firstTry message of the first try, where this is another
   * @param isConfirming whether the aim is to see again what the first try saw
   */
  async one(spec: Spec, firstTry?: string, isConfirming = false): Promise<SpecEnd> {
    const { budget, context, signal } = this.phase
    for (;;) {
      const form = formFor(spec, this.phase, isConfirming)
      if (!form) return noRoom(spec, budget)
      const { capacity } = budget
      const end = await budget.hold(tokensHeld(form), async () => {
        const run = new SpecRun(form, context, signal, NO_WAITS, { firstTry, isAlone: true })
        await run.prepare()
        await run.judge()
        return run.end()
      })
      if (!this.shrinks(end, capacity)) return end
    }
  }

  /** Makes the budget smaller where a spec met the Core's limit. @returns whether another try can help */
  private shrinks({ room, record }: SpecEnd, capacity: number): boolean {
    const { budget, journal } = this.phase
    if (room === undefined || record.message === INTERRUPTED) return false
    const next = fewerTokens(room, capacity)
    if (!budget.wouldShrink(next, capacity)) return false
    if (budget.shrink(next)) journal?.room(budget.capacity)
    return true
  }
}
