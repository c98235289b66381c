import type { Spec } from '../../suite/spec.js'
import { toUnits } from '../plan/units.js'
import type { Attempt, PhaseContext } from './phase.js'
import { allSettled } from './together.js'
import { UnitRunner } from './unit-runner.js'

/**
 * Runs specs that wait for more than a lifetime, and then only look at their tokens, beside all others: where a lifetime is short, the
 * others take about as long. What does not pass here shows nothing, since others send what may end its tokens: it runs once more with
 * those that wait.
 */
export class Early {
  private readonly ends: Promise<Attempt[]>[] = []

  constructor(private readonly phase: PhaseContext) {}

  /** Begins them, with nothing else under way. */
  async begin(specs: readonly Spec[]): Promise<void> {
    const runner = new UnitRunner(this.phase)
    for (const unit of toUnits([...specs], this.phase.context.parts)) {
      const { begun, ended } = runner.start(unit)
      this.ends.push(ended)
      await begun
    }
  }

  /**
   * Waits for all of them, and reports those of these specs that passed, or cannot run any more.
   * @returns those of these specs that have to run once more
   */
  async end(specs: readonly Spec[]): Promise<Spec[]> {
    const { context, ended } = this.phase
    const attempts = (await allSettled(this.ends)).flat().filter(({ spec }) => specs.includes(spec))
    const isOver = context.signal.aborted || context.schedule.isDetached
    const again = attempts.filter(({ end }) => !isOver && end.record.outcome !== 'passed')
    for (const attempt of attempts) if (!again.includes(attempt)) ended(attempt.spec, attempt.end)
    return again.map(({ spec }) => spec)
  }
}
