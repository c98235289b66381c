import { type Spec, tokensHeld, waits } from '../../suite/spec.js'
import { LITTLE_ROOM, notRun } from '../spec-end.js'
import { SpecRun } from '../spec-run.js'
import type { PhaseContext } from './phase.js'

/**
 * Runs the specs whose steps come between the phases of the run, the last at its end. They prepare before any other spec, and
 * hold no token and no connection meanwhile. So they see what the whole run does to a token that was revoked at its beginning.
 * On a Core with a short lifetime it has expired by the end, which hides that. Those that wait hold a token meanwhile, which is
 * the last one at the end; they are left out where others need the room.
 */
export class Late {
  private readonly runs: SpecRun[] = []
  /** Gives back what those hold that wait. */
  private readonly holding = new Map<SpecRun, () => void>()

  constructor(private readonly phase: PhaseContext) {}

  /** Runs the steps that prepare, with nothing else under way. */
  async begin(specs: readonly Spec[]): Promise<void> {
    const { context, budget } = this.phase
    await context.schedule.task(async () => {
      for (const spec of specs) {
        const run = new SpecRun(spec, context)
        this.runs.push(run)
        if (waits(spec)) await this.hold(run)
        else await budget.hold(tokensHeld(spec), () => run.prepare())
        run.giveConnections()
      }
    })
  }

  /** Prepares a spec that waits, and holds its tokens from then on. */
  private async hold(run: SpecRun): Promise<void> {
    const { budget } = this.phase
    budget.shrunk = () => this.giveUp()
    await new Promise<void>((begun, failed) => {
      const held = budget.hold(tokensHeld(run.spec), async () => {
        await run.prepare()
        begun()
        await new Promise<void>(release => this.holding.set(run, release))
      })
      held.catch(failed)
    })
  }

  /** Leaves out those that wait. */
  private giveUp(): void {
    const { context, ended } = this.phase
    for (const [run, release] of [...this.holding]) {
      this.holding.delete(run)
      this.runs.splice(this.runs.indexOf(run), 1)
      const left = context.schedule.task(async () => {
        await run.end()
        ended(run.spec, notRun(run.spec, 'skipped', LITTLE_ROOM))
      })
      // Whoever sends next hears of an error too.
      left.catch(() => {}).finally(release)
    }
  }

  /** Runs the next step, but for the last, with nothing else under way. Call it between two phases. */
  async next(): Promise<void> {
    const { schedule } = this.phase.context
    await schedule.task(async () => {
      for (const run of this.runs) await run.runOne()
    })
  }

  /** Runs the steps that are left, with nothing else under way, and reports the outcomes. */
  async end(): Promise<void> {
    const { context, ended } = this.phase
    await context.schedule.task(async () => {
      for (const run of this.runs) {
        if (context.schedule.isDetached) ended(run.spec, run.leave('comes after all other specs'))
        else {
          await run.judge()
          ended(run.spec, await run.end())
        }
        this.holding.get(run)?.()
      }
    })
  }
}
