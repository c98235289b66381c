/** Takes specs through a run. Over 250 lines, since the order of the phases, and what each leaves for the next, is decided in one place. */
import { allSteps, pauses, revokes, type Spec, tokensHeld, waits } from '../suite/spec.js'
import { TokenBudget } from './budget.js'
import type { Explorer, Meanwhile, RunMeans, Stillness } from './explorer.js'
import { Alone } from './phases/alone.js'
import { triedApart } from './phases/apart.js'
import { confirm, isToConfirm } from './phases/confirm.js'
import { Early } from './phases/early.js'
import { Late } from './phases/late.js'
import type { Attempt, PhaseContext } from './phases/phase.js'
import { Together } from './phases/together.js'
import { Waits, type WaitWork } from './phases/waits.js'
import { tokensWanted } from './plan/plan.js'
import { runsAlone } from './plan/sharing.js'
import { onlyWaitsForLong, toUnits } from './plan/units.js'
import { commonDeath, type Death, lossText, TOKENS_LOST } from './run-events.js'
import { INTERRUPTED } from './spec-end.js'
import { roomFor } from './token-capacity.js'

/** Settings of an {@link Execution}. */
export interface ExecutionOptions extends Omit<PhaseContext, 'budget'> {
  /** Most tokens that the user allows; null: as many as one lifetime needs. */
  maxTokens: number | null
  /** The room for tokens that an earlier process found. */
  room: number | undefined
  /** The explorer and its means; absent: the run does not explore. */
  exploring?: Exploring | undefined
}

/** The explorer, with what the phases do not know about it. */
export interface Exploring {
  explorer: Explorer
  /** Says why it should not explore; asked when it would begin. */
  obstacle: () => string | undefined
  means: () => RunMeans
}

/**
 * Takes specs through the phases of a run: alone, side by side, confirm, waits, late. So the outcome of no spec depends on
 * another.
 */
export class Execution {
  private readonly phase: PhaseContext
  private readonly alone: Alone
  readonly waits: Waits
  private isExplored = false
  private hasFailed = false
  /** Whether a token of a spec died that should have been alive. */
  hasLost = false
  private readonly exploring: Exploring | undefined
  private readonly maxTokens: number | null
  /** Specs that were left out, since there was no room for their tokens. */
  private readonly leftForRoom = new Set<Spec>()
  /** How tokens died in specs that were tried again for that reason. */
  private readonly deaths: Death[] = []

  constructor(
    { maxTokens, room, exploring, ...options }: ExecutionOptions,
    private readonly work: WaitWork,
  ) {
    const { context } = options
    const { sessions } = context.dialect
    const wanted = tokensWanted([...work.waiting.map(({ unit }) => unit), ...toUnits(work.specs, context.parts)])
    // Where tokens depend on each other, one spec at a time holds them, however many it needs.
    const isShared = sessions === 'newest' || sessions === 'same'
    const budget = new TokenBudget(isShared ? 1 : wanted, context.schedule)
    budget.shrink(Math.min(room ?? wanted, maxTokens ?? wanted))
    const ended: PhaseContext['ended'] = (spec, end) => {
      if (end.room === undefined) this.leftForRoom.delete(spec)
      else this.leftForRoom.add(spec)
      options.ended(spec, end)
    }
    this.phase = { ...options, budget, ended }
    this.alone = new Alone(this.phase)
    this.exploring = exploring
    this.maxTokens = maxTokens
    this.waits = new Waits(this.phase, exploring && ((held, means) => this.explore(held, means)))
  }

  /** Runs all specs. */
  async run(): Promise<void> {
    const { waiting, specs } = this.work
    // Units that wait since an earlier process go first: they have windows to meet.
    if (waiting.length) await this.waits.run({ waiting, specs: [] })
    const { parts } = this.phase.context
    const late = new Late(this.phase)
    const soon = specs.filter(spec => !waits(spec))
    // Specs that want no other token alive come before all that hold theirs for long.
    const settledAlone = await this.settle(await this.alone.run(soon.filter(({ isAlone }) => isAlone)), true)
    await late.begin(soon.filter(({ isLate }) => isLate))
    const short = soon.filter(({ isAlone, isLate }) => !isAlone && !isLate)
    const single = short.filter(spec => runsAlone(spec, parts.requests))
    const others = short.filter(spec => !single.includes(spec))
    // The specs that revoke go first. Where a token cannot be given back, the Core soon has no room for other specs.
    const revoking = others.filter(spec => !pauses(spec) && allSteps(spec).some(revokes))
    const settledFirst = await this.settle(await new Together(this.phase).run(revoking), false)
    await late.next()
    const slow = specs.filter(waits)
    const early = new Early(this.phase)
    // Where something ends the tokens of others, nothing may go on beside those that wait.
    const mayBegin = this.isRoomy(slow) && ![...settledAlone, ...settledFirst].some(isReach)
    const long = mayBegin ? slow.filter(spec => onlyWaitsForLong(spec, parts)) : []
    await early.begin(long)
    const isSlow = this.phase.context.lanes > 1
    const settledSingle = isSlow
      ? await this.settle(await new Together(this.phase).inLanes(single), false)
      : await this.settle(await this.alone.run(single), true)
    await late.next()
    const rest = others.filter(spec => !revoking.includes(spec))
    const settled = await this.settle(await new Together(this.phase).run(rest), false)
    await late.next()
    const reach = [...settledAlone, ...settledSingle, ...settled].filter(isReach).map(({ spec }) => spec)
    await this.moreRoom(slow)
    this.tellLoss()
    const lone = new Late(this.phase)
    const last = this.isRoomy(slow) ? slow.filter(({ isLate }) => isLate) : []
    const begun = reach.length > 0 ? [] : long
    const oldestHeld = () => lone.begin(last)
    const rested = slow.filter(spec => !last.includes(spec) && !begun.includes(spec))
    await this.waits.run({ waiting: [], specs: rested, oldestHeld }, reach)
    await this.waits.run({ waiting: [], specs: await early.end(begun) }, reach)
    // For a run in which no spec waits, or in which an earlier process finished those.
    const { schedule, signal } = this.phase.context
    const isOver = schedule.isDetached || signal.aborted
    if (!isOver) await this.explore(0, { endsMs: schedule.now(), quiet: NO_OTHERS })
    await late.end()
    await lone.end()
  }

  /** Whether there is room for the tokens of all specs that wait: then some may hold theirs from the beginning, or to the end, of the run. */
  private isRoomy(slow: Spec[]): boolean {
    const { budget, stays, context } = this.phase
    const isRoom = !budget.isShrunk && budget.capacity >= tokensWanted(toUnits(slow, context.parts))
    return stays && context.dialect.sessions === 'many' && isRoom
  }

  /**
   * Counts the room for tokens anew, with nothing else under way, before any spec is left out for it: with logons and
   * revocations under way a Core looks fuller than it is, and a limit of logons looks like a lack of room. What there is room
   * for runs then.
   * @param ahead specs that have not run yet
   */
  private async moreRoom(ahead: readonly Spec[]): Promise<void> {
    const { context, budget } = this.phase
    const left = [...this.leftForRoom]
    const most = this.maxTokens ?? Number.POSITIVE_INFINITY
    const wanted = Math.min(Math.max(0, ...[...left, ...ahead].map(spec => tokensHeld(spec))), most)
    const { dialect, signal, schedule } = context
    const isCounted = dialect.sessions === 'many' && !signal.aborted && !schedule.isDetached
    if (!budget.isShrunk || !isCounted || wanted <= budget.capacity) return
    const room = await schedule.task(() => roomFor(context, wanted))
    if (room <= budget.capacity) return
    budget.grow(room < wanted || wanted === most ? room : undefined)
    this.phase.journal?.room(budget.capacity)
    await this.settle(await this.alone.run(left), true)
  }

  /** Reports the loss of all tokens before any spec waited, unless a failure may be its cause. */
  private tellLoss(): void {
    const loss = this.hasFailed ? undefined : commonDeath(this.deaths, this.phase.context.lifetime)
    if (!loss) return
    this.phase.happened({
      kind: TOKENS_LOST,
      text: `${lossText(loss, this.phase.context)}; what needed them was tried again`,
      ...loss,
      specs: [],
    })
  }

  /**
   * Lets the explorer work, once in a run.
   * @param held how many tokens specs hold meanwhile
   */
  private async explore(held: number, means: Meanwhile): Promise<void> {
    const { exploring, phase } = this
    if (!exploring || this.isExplored) return
    this.isExplored = true
    const { context, budget } = phase
    // What the run lacks by now, such as room for tokens, is no reason: it was about to come.
    const obstacle = context.signal.aborted ? INTERRUPTED : exploring.obstacle()
    if (obstacle !== undefined) return exploring.explorer.leftOut(obstacle)
    const allowed = Math.min(
      this.maxTokens ?? Number.POSITIVE_INFINITY,
      budget.isShrunk ? budget.capacity : Number.POSITIVE_INFINITY,
      context.session.fullAt ?? Number.POSITIVE_INFINITY,
    )
    const tokens = allowed - held
    await context.schedule.task(() => exploring.explorer.explore({ context, tokens, ...means, ...exploring.means() }))
  }

  /**
   * Confirms the outcomes that need it, and reports all of them.
   * @param wasAlone whether nothing else was under way; else all attempts are confirmed
   */
  private async settle(attempts: Attempt[], wasAlone: boolean): Promise<Attempt[]> {
    const mayAcquit = ({ spec, end }: Attempt) => spec.bystanders !== undefined && !end.isCertain
    const acquitted = await triedApart(this.phase, wasAlone ? [] : attempts.filter(mayAcquit))
    return this.phase.context.schedule.task(async () => {
      const settled: Attempt[] = []
      for (const attempt of attempts) {
        const { spec } = attempt
        const isOpen = !wasAlone || isToConfirm(attempt.end)
        const [again] = acquitted.filter(other => other.spec === spec)
        const end = again?.end ?? (isOpen ? await confirm(this.alone, attempt, wasAlone) : attempt.end)
        this.phase.ended(spec, end)
        settled.push({ spec, end })
        this.hasFailed ||= end.record.outcome === 'failed'
        this.hasLost ||= attempt.end.dead !== undefined
        if (attempt.end.dead && end !== attempt.end) this.deaths.push(attempt.end.dead)
      }
      this.phase.context.shapes.turn()
      return settled
    })
  }
}

/** Whether something ended a token of a spec, and it was seen when it ran once more. */
function isReach({ end }: Attempt): boolean {
  return end.dead !== undefined && ['failed', 'inconclusive'].includes(end.record.outcome)
}

/** The stillness of a run in which nothing else is under way. */
const NO_OTHERS: Stillness = { async enter() {}, leave() {} }
