import { allSteps, type Spec, type Step, tokensHeld } from '../../suite/spec.js'
import { INTERRUPTED, notRun, type SpecEnd, SpecRun } from '../spec-run.js'
import { fewer } from './fewer.js'
import { type Attempt, formFor, noRoom, type PhaseContext } from './phase.js'

const NO_WAITS = { begins() {}, ends() {} }

interface Aside {
  spec: Spec
  run: SpecRun
  /** How many tokens of the budget it has. */
  tokens: number
}

/**
 * Runs specs one after another: those that send what may have effects beyond their own tokens, and those that are to be
 * confirmed.
 */
export class Alone {
  constructor(private readonly phase: PhaseContext) {}

  /**
   * Runs each spec while nothing else is under way. A spec that looks once more a moment later is set aside until then, and
   * the next begins; so the moment passes once for all, and not once for each. The price: a request may reach a token that a
   * spec set aside holds, or have its effect late. So where a token died, those are run once more that may have done it, each
   * with nobody else's token there.
   */
  async run(specs: readonly Spec[]): Promise<Attempt[]> {
    return this.phase.context.schedule.task(async () => {
      // Logons that are refused are few: what the others show decides how they are run.
      const costly = specs.filter(spec => this.refusesLogon(spec))
      const cheap = await this.inTurn(specs.filter(spec => !costly.includes(spec)))
      if (!cheap.some(({ end }) => end.dead)) return [...cheap, ...(await this.inTurn(costly))]
      const attempts = cheap
      for (const spec of costly) attempts.push({ spec, end: await this.strictly(spec) })
      return attempts
    })
  }

  /** Runs specs one after another; again, strictly, where a token died and its own spec was not what did it. */
  private async inTurn(specs: readonly Spec[]): Promise<Attempt[]> {
    const attempts: Attempt[] = []
    const aside: Aside[] = []
    for (const spec of specs) {
      await this.makeRoom(spec, aside, attempts)
      await this.begin(spec, aside, attempts)
    }
    while (aside.length) await this.finish(aside, attempts)
    const dead = attempts.filter(({ end }) => end.dead)
    const again = new Map<Spec, SpecEnd>()
    for (const { spec } of dead) again.set(spec, await this.strictly(spec))
    const strange = dead.filter(({ spec }) => !again.get(spec)?.dead)
    for (const { spec } of suspects(attempts, strange)) {
      if (!again.has(spec)) again.set(spec, await this.strictly(spec))
    }
    return attempts.map(({ spec, end }) => ({ spec, end: this.phase.signal.aborted ? end : (again.get(spec) ?? end) }))
  }

  private refusesLogon(spec: Spec): boolean {
    const { requests } = this.phase.context.parts
    const isLogon = (step: Step) => step.action === 'send' && requests.get(step.request)?.method === 'POST'
    return allSteps(spec).some(isLogon)
  }

  /** Runs one spec to its end, with nobody else's token there. To be called within a task. */
  async strictly(spec: Spec, firstTry?: string): Promise<SpecEnd> {
    for (;;) {
      const form = formFor(spec, this.phase)
      if (!form) return this.noRoom(spec)
      const { budget, context, signal } = this.phase
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

  /** Ends specs that were set aside until there are tokens for the next. */
  private async makeRoom(next: Spec, aside: Aside[], attempts: Attempt[]): Promise<void> {
    const held = () => aside.reduce((sum, { tokens }) => sum + tokens, 0)
    const form = formFor(next, this.phase)
    const wanted = form ? tokensHeld(form) : 0
    while (aside.length && held() + wanted > this.phase.budget.capacity) await this.finish(aside, attempts)
  }

  /** Runs a spec as far as it goes at once. */
  private async begin(spec: Spec, aside: Aside[], attempts: Attempt[]): Promise<void> {
    const form = formFor(spec, this.phase)
    if (!form) return void attempts.push({ spec, end: this.noRoom(spec) })
    const { context, signal, budget } = this.phase
    const { capacity } = budget
    const run = new SpecRun(form, context, signal, NO_WAITS)
    await run.prepare()
    if (await run.judgeAtOnce()) return void aside.push({ spec, run, tokens: tokensHeld(form) })
    const end = await run.end()
    if (!this.shrinks(end, capacity)) return void attempts.push({ spec, end })
    // The Core has room for fewer: what is held aside goes first.
    while (aside.length) await this.finish(aside, attempts)
    await this.begin(spec, aside, attempts)
  }

  /** Runs the spec that was set aside first to its end. */
  private async finish(aside: Aside[], attempts: Attempt[]): Promise<void> {
    const first = aside.shift()
    if (!first) return
    await first.run.judge()
    attempts.push({ spec: first.spec, end: await first.run.end() })
  }

  private noRoom(spec: Spec): SpecEnd {
    return notRun(spec, 'skipped', noRoom(spec, this.phase.budget))
  }

  /** Makes the budget smaller where a spec met the Core's limit. @returns whether it is worth another try */
  private shrinks({ room, record }: SpecEnd, capacity: number): boolean {
    const { budget, journal } = this.phase
    if (room === undefined || record.message === INTERRUPTED) return false
    const next = fewer(room, capacity)
    if (!budget.wouldShrink(next, capacity)) return false
    if (budget.shrink(next)) journal?.room(budget.capacity)
    return true
  }
}

/** Those that sent something in the time in which a token of another spec died. */
function suspects(attempts: readonly Attempt[], strange: readonly Attempt[]): Attempt[] {
  return attempts.filter(({ end: { record } }) =>
    strange.some(({ end: { dead } }) => {
      const untilMs = record.atMs + record.durationMs
      return dead !== undefined && record.atMs <= dead.deadMs && untilMs >= dead.aliveMs
    }),
  )
}
