import { type Spec, tokensHeld } from '../../suite/spec.js'
import { inChains, takesOver } from '../plan/sharing.js'
import { INTERRUPTED, type SpecEnd } from '../spec-end.js'
import { SpecRun } from '../spec-run.js'
import { type Attempt, fewerTokens, formFor, noRoom, type PhaseContext, withRoom } from './phase.js'

/**
 * Runs specs one after another, with no tokens of other specs on the Core: specs that may affect tokens beyond their
 * own and do not watch bystanders, and specs whose outcome has to be confirmed.
 */
export class Alone {
  /** The spec before, where it left its first token to the next one. */
  private giver: SpecRun | undefined

  /** @param isBeside whether others run beside it, and need the connections that it could do without */
  constructor(
    readonly phase: PhaseContext,
    private readonly isBeside = false,
  ) {}

  /** Runs these specs, one after another. */
  async run(specs: readonly Spec[]): Promise<Attempt[]> {
    const attempts = await this.chain(specs)
    const dead = attempts.filter(({ end }) => end.dead)
    return withRoom(this.phase, attempts, dead, again => this.chain(again))
  }

  private get mayShare(): boolean {
    return this.phase.context.dialect.sessions === 'many'
  }

  private chain(specs: readonly Spec[]): Promise<Attempt[]> {
    const left = [...(this.mayShare ? inChains(specs) : specs)]
    return this.inTurn(() => left.shift())
  }

  /**
   * Runs specs one after another.
   * @param take returns the next of them, in the order of {@link inChains}; undefined where there are no more
   */
  inTurn(take: () => Spec | undefined): Promise<Attempt[]> {
    return this.phase.context.schedule.task(async () => {
      const attempts: Attempt[] = []
      let users: Attempt[] = []
      let next: Spec | undefined
      for (let spec = take(); spec; spec = next ?? take()) {
        const one = spec
        next = undefined
        if (!this.giver) users = []
        const isJoined = this.giver !== undefined
        const isKept = () => {
          next ??= take()
          return this.mayShare && takesOver(next, one)
        }
        const end = await this.one(one, { isKept })
        const attempt = { spec: one, end: isJoined ? { ...end, isJoined } : end }
        // What ended the token may have been a spec before.
        const { dead } = end
        if (dead) for (const user of users) user.end = { dead, ...user.end }
        attempts.push(attempt)
        users.push(attempt)
      }
      return attempts
    })
  }

  /**
   * Runs one spec to its end. Call it within a task.
   * @param how `firstTry`: message of the first try, where this is another; `isConfirming`: whether the aim is to see again what
   *   the first try saw; `isKept`: asked once it was judged, whether the next spec takes its first token over
   */
  async one(
    spec: Spec,
    {
      firstTry,
      isConfirming,
      isKept,
    }: { firstTry?: string | undefined; isConfirming?: boolean; isKept?: () => boolean } = {},
  ): Promise<SpecEnd> {
    const { budget, context } = this.phase
    let { giver } = this
    this.giver = undefined
    for (;;) {
      const form = formFor(spec, this.phase, isConfirming)
      if (!form) {
        await context.session.giveBack(giver?.left ? [giver.left] : [], [])
        return noRoom(spec, budget)
      }
      const { capacity } = budget
      const end = await budget.hold(tokensHeld(form), async () => {
        const run = new SpecRun(form, context, { firstTry, isAlone: true, isBeside: this.isBeside })
        run.keeper = () => run.keepAlive()
        if (giver) run.share(giver, 0)
        giver = undefined
        await run.prepare()
        await run.judge()
        const kept = isKept?.() ? run.left : undefined
        this.giver = kept && run
        return run.end(kept && [kept])
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
