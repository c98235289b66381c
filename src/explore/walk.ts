/**
 * One exploration of a Core, from its first sequence to its last finding. Over 250 lines, since what its lanes share is one state.
 */
import type { RunContext } from '../engine/context.js'
import { EXPLORED, type ExploreMeans, type Explorer } from '../engine/explorer.js'
import { tokensKept } from '../engine/token-capacity.js'
import { LOOKS_AWAITED } from '../engine/window.js'
import { count } from '../ground/count.js'
import type { Exploration, ExploreSetting } from '../result.js'
import type { Suite } from '../suite/spec.js'
import type { Action, RoleStep } from './action.js'
import { Budget } from './budget.js'
import { actionsOf } from './commands.js'
import { type MoodName, QUICK_MOODS, SLOW_MOODS, sequenceDrawer } from './draw.js'
import { featuresOf, timingOf } from './features.js'
import { type Contradiction, reference } from './finding.js'
import { formsOf, wholeOf } from './forms.js'
import { knownKinds } from './kinds.js'
import { type Lowered, lower, takesMs } from './lower.js'
import { Met } from './met.js'
import { Spaced, StepGate, spacingOf, Turn } from './pace.js'
import { pursue } from './pursuit.js'
import { noteSent, unsentFirst, varietyOf } from './ranges.js'
import { groupEnd, type Ledger, type Outcome, runOnce, takenIn, toSpec, unsureIn } from './sequence.js'
import { emptyExploration, Tally } from './tally.js'
import type { Limits } from './writer.js'

/** Most tokens that a sequence holds: more are seldom needed, and a Core may have room for few. */
const MOST_TOKENS = 14
/** How long the looks at tokens that expired together take. */
const LOOKS_MS = 300
/** Requests of a sequence before its last looks. */
const REQUESTS = 60
/** Part of the requests that is kept for sequences with waits. */
const SLOW_PART = 0.4

/** Description of a pause, for the schedule. */
const RESTING = { spec: '', what: 'so that the Core has time for others', isBeside: true } as const

/** Settings of the explorer. */
export interface ExplorerOptions {
  suite: Pick<Suite, 'requests' | 'requirements' | 'families'>
  probePath: string
  setting: ExploreSetting
  seed: number
  /** Whether a user may have to wait for sequences in which tokens get old: not in a quick run. */
  mayWait: boolean
  /** Exploration of this run by an earlier process. */
  before?: Exploration | undefined
}

/** Runs sequences of its own moods, one after another. */
interface Lane {
  moods: readonly MoodName[]
  isSlow: boolean
  /** The part of all requests that it may use. */
  share: number
}

/** Explores a Core once: draws sequences, runs them in lanes side by side, and hands contradictions to a pursuit. */
class Walk {
  private readonly tally: Tally
  private readonly turn: Turn
  private readonly pace: Spaced
  private readonly budget: Budget
  private readonly context: RunContext
  private readonly limits: Omit<Limits, 'met'>
  private readonly ledger: Ledger
  private readonly stop = new AbortController()
  private wrongLeft: number
  /** How often it waited for a look at a token that expires. */
  private held = 0

  constructor(
    private readonly options: ExplorerOptions,
    private readonly means: ExploreMeans,
  ) {
    const { suite, probePath, seed, setting, before } = options
    const { context, isVirtual, endsMs, over } = means
    const { schedule, signal } = context
    const now = () => schedule.now()
    this.pace = new Spaced(now, isVirtual ? 0 : spacingOf(context.lifetime.lifetimeMs), ms =>
      schedule.until(now() + ms, RESTING),
    )
    this.context = { ...context, pace: this.pace, signal: this.stop.signal }
    this.turn = new Turn(schedule)
    this.budget = new Budget(setting, {
      isVirtual,
      endsMs,
      now,
      sent: () => this.pace.requests,
      before: before?.requests ?? 0,
    })
    this.ledger = { ...suite, probePath, seed }
    this.wrongLeft = means.wrongLogons
    const timing = timingOf(context, this.pace.spacingMs)
    const tokens = Math.min(means.tokens, MOST_TOKENS)
    // Both lanes hold tokens at the same time.
    const each = tokens >= 6 ? Math.floor(tokens / 2) : tokens
    const features = featuresOf(context)
    this.limits = {
      timing,
      tokens: each,
      wrongLogons: 0,
      features,
      variety: varietyOf(suite, context, features),
      forms: formsOf(suite, context, features.http10),
      requests: REQUESTS,
      leftMs: Number.POSITIVE_INFINITY,
      known: knownKinds(means.broken),
    }
    this.tally = new Tally(seed, before)
    const end = () => this.stop.abort()
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
    if (!isVirtual && setting.requests === null && setting.durationMs === null)
      over?.addEventListener('abort', end, { once: true })
  }

  async run(): Promise<void> {
    const { schedule } = this.context
    const draw = await sequenceDrawer(this.options.seed)
    const hasRoomForTwo = this.limits.tokens < this.means.tokens
    const slow = this.options.mayWait || this.means.isVirtual ? SLOW_MOODS : []
    const lanes: Lane[] =
      hasRoomForTwo && slow.length > 0
        ? [
            { moods: QUICK_MOODS, isSlow: false, share: 1 - SLOW_PART },
            { moods: slow, isSlow: true, share: SLOW_PART },
          ]
        : [{ moods: [...QUICK_MOODS, ...slow], isSlow: false, share: 1 }]
    const tasks = lanes.map((lane, index) => schedule.task(() => this.lane(lane, index, draw)))
    const all = Promise.allSettled(tasks)
    await schedule.park(resume => void all.then(resume))
    const failed = (await all).find(end => end.status === 'rejected')
    const { signal } = this.means.context
    if (failed?.status === 'rejected' && !signal.aborted) this.tally.halt(reasonOf(failed.reason))
    if (signal.aborted) this.tally.reason = 'the run was interrupted'
  }

  told(): Exploration {
    return this.tally.told(this.pace.requests)
  }

  private async lane(
    { moods, isSlow, share }: Lane,
    index: number,
    draw: Awaited<ReturnType<typeof sequenceDrawer>>,
  ): Promise<void> {
    const from = this.options.before?.sequences ?? 0
    // Each lane has its own, since which of them is first is chance.
    const met = new Met()
    let [sent, tooLong] = [0, 0]
    for (let number = from; this.mayGoOn(sent, share); number++) {
      const mood = moods[number % moods.length] ?? 'mixed'
      const requests = Math.min(REQUESTS, this.budget.left, this.budget.requestsIn(this.limits.timing.requestMs))
      const variety = unsentFirst(this.limits.variety, this.context.unsent)
      const { leftMs } = this.budget
      const limits = { ...this.limits, met, variety, wrongLogons: this.wrongShare(), requests, leftMs }
      const actions = actionsOf(draw(mood, number * 2 + index), limits)
      const longMs = takesMs(actions, limits)
      await this.letExpire(isSlow ? 0 : longMs)
      // A sequence that takes too long is left to another run. The next one may be shorter.
      if (longMs <= this.budget.leftMs) sent += await this.sequence(actions, limits)
      else if (!isSlow || ++tooLong > MOST_TOO_LONG) return
      await this.budget.rest(ms => this.rest(ms))
    }
  }

  /**
   * Waits, as far as {@link LOOKS_AWAITED} allows, for a look at a token of a spec that expires.
   * @param longMs how long the next sequence takes
   */
  private async letExpire(longMs: number): Promise<void> {
    const { lifetime, schedule } = this.context
    const lookMs = schedule.expiryWithin(lifetime.lifetimeMs * lifetime.tolerance + longMs)
    if (lookMs === undefined || this.held >= LOOKS_AWAITED) return
    this.held++
    await this.rest(lookMs + LOOKS_MS)
  }

  /** Runs a sequence, and pursues a contradiction in it. @returns how many requests it sent */
  private async sequence(actions: readonly Action[], limits: Limits): Promise<number> {
    const steps = lower(actions, limits)
    if (!steps?.length) return 0
    const { session } = this.context
    const id = `${EXPLORED}${this.tally.sequences}`
    const before = session.refused.sentFor(id)
    // Reserved meanwhile: the other lane must not send what this one is about to.
    this.wrongLeft -= limits.wrongLogons
    const { end, at } = await this.play(steps, id, 'a sequence that was drawn')
    this.wrongLeft += limits.wrongLogons - (session.refused.sentFor(id) - before)
    const isCut = at === undefined && end.record.outcome !== 'passed'
    for (const name of takenIn(steps, end.facts)) limits.forms.taken.add(name)
    if (isCut) this.leaveOut(steps[end.record.steps.findIndex(({ outcome }) => outcome === 'not run')])
    this.tally.note(steps, end.record, isCut)
    this.means.explored(this.told())
    if (!isCut) noteSent(this.context.unsent, actions)
    if (end.room !== undefined) this.tally.halt('the Core has no room for another token')
    const kind = at === undefined ? undefined : steps[at]?.kind
    if (at !== undefined && kind !== undefined) {
      const until = groupEnd(steps, at)
      await this.contradicted({ actions: actions.slice(0, until), steps: steps.slice(0, until), at, kind }, end)
    }
    const asked =
      at === undefined && !isCut ? await this.ask(unsureIn(steps, end.facts), limits) : { sent: 0, isTaken: false }
    const isWorth =
      asked.isTaken && limits.wrongLogons <= this.wrongLeft && takesMs(actions, limits) <= this.budget.leftMs
    const again = isWorth ? await this.sequence(actions, limits) : 0
    return end.record.exchanges.length + asked.sent + again
  }

  /** Asks with a fresh token whether this Core takes forms as a whole in which it refused others: if so, the sequence shows why. */
  private async ask(uses: readonly RoleStep[], limits: Limits): Promise<{ sent: number; isTaken: boolean }> {
    const { whole } = limits.forms
    let [sent, isTaken] = [0, false]
    for (const { each = [], only = [] } of uses) {
      const form = wholeOf({ only })
      if (whole.has(form) || this.stop.signal.aborted) continue
      whole.set(form, false)
      const steps = lower([{ logon: 'a' }, { send: 'probe', token: 'a', each, only }], limits) ?? []
      const { end } = await this.play(steps, `${EXPLORED}form`, 'a form of a request')
      sent += end.record.exchanges.length
      if (takenIn(steps, end.facts).length === 0) continue
      whole.set(form, true)
      isTaken = true
    }
    return { sent, isTaken }
  }

  /** Leaves out a way to send that ended a sequence: it was not possible. */
  private leaveOut({ raw }: Partial<Lowered> = {}): void {
    const { features } = this.limits
    if (raw?.connection === 'resumed') features.resumed = false
    if (raw?.behind !== undefined) features.behind = false
  }

  private async contradicted(contradiction: Contradiction, end: Outcome['end']): Promise<void> {
    if (this.stop.signal.aborted || this.tally.reason !== undefined) return
    if (!this.tally.mayPursue(contradiction.kind)) return
    await this.turn.take()
    try {
      if (contradiction.kind === 'open' && (await this.lacksRoom())) return
      const hasTime = this.budget.pursuit()
      const { finding, failed } = await pursue(contradiction, end, {
        bounds: { ...this.limits, wrongLogons: this.wrongLeft },
        ledger: this.ledger,
        run: spec => this.runWith(spec, new StepGate(this.pace, this.means.quiet)),
        hasTime: () => hasTime() && !this.means.context.signal.aborted,
        wrongLeft: () => this.refusalsLeft,
      })
      const isNew = this.tally.take(finding, contradiction.kind)
      if (failed && isNew && !this.means.taken.has(failed.spec.id)) this.means.found(failed.spec, failed.end)
      this.means.explored(this.told())
    } finally {
      this.turn.give()
    }
  }

  /** Whether this Core drops the oldest token for the newest, which is no contradiction. If so, exploring ends. */
  private async lacksRoom(): Promise<boolean> {
    const kept = await tokensKept(this.context, Math.min(this.means.tokens, MOST_TOKENS))
    if (kept?.isLimit) this.tally.halt(`this Core keeps only the ${count(kept.tokens, 'newest token')} of a user`)
    return kept?.isLimit === true
  }

  /** Runs steps as a spec of their own, in turn with the other lane. */
  private play(steps: readonly Lowered[], id: string, title: string): Promise<Outcome> {
    const spec = toSpec(steps, { id, title, requirements: [reference('ACCESS-2', this.ledger)] }, this.ledger)
    return this.runWith(spec, new StepGate(this.pace, this.means.quiet, this.turn))
  }

  private runWith(spec: Parameters<typeof runOnce>[0], gate: StepGate): Promise<Outcome> {
    return runOnce(spec, this.context, gate)
  }

  private mayGoOn(sent: number, share: number): boolean {
    const { pacer } = this.context.session
    if (pacer.notice !== undefined) this.tally.halt('this Core limits how often it is asked')
    return !this.stop.signal.aborted && this.tally.reason === undefined && this.budget.mayGoOn(sent, share)
  }

  /** Returns how many refused logons the next sequence may send: few, since each costs a good logon, and accounts lock. */
  private wrongShare(): number {
    const all = this.means.wrongLogons
    const most = all - Math.min(KEPT_WRONG, Math.floor(all / 3))
    const spent = all - this.wrongLeft
    return Math.max(0, Math.min(Math.ceil(most * this.budget.part) - spent, this.refusalsLeft, MOST_WRONG))
  }

  /** How many refused logons the Core bears yet. Specs that spread theirs over the same time take some of them. */
  private get refusalsLeft(): number {
    const { session } = this.context
    return session.refused.showsLock ? 0 : session.refused.leftAtOnce + session.refused.leftPaced
  }

  private rest(ms: number): Promise<void> {
    const { schedule } = this.context
    return schedule.until(schedule.now() + ms, RESTING, this.stop.signal)
  }
}

/** Most refused logons of one sequence, and refused logons kept to confirm findings. */
const [MOST_WRONG, KEPT_WRONG] = [4, 4]

/** After this many sequences that take too long, no more are tried. */
const MOST_TOO_LONG = 8

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Fewest tokens: the effect of a request on one token has to show in another. */
const FEWEST_TOKENS = 2

/** Explores a Core: draws sequences, compares the answers with the model, and pursues contradictions. */
export class CoreExplorer implements Explorer {
  private told: Exploration | undefined

  constructor(private readonly options: ExplorerOptions) {}

  get exploration(): Exploration | undefined {
    // A resumed run may have no time left to explore. What the earlier process found out still holds.
    return this.told ?? this.options.before
  }

  leftOut(reason: string): void {
    this.told = { ...(this.options.before ?? emptyExploration(this.options.seed)), reason }
  }

  async explore(means: ExploreMeans): Promise<void> {
    if (means.tokens < FEWEST_TOKENS)
      return this.leftOut('there is no room for tokens beside those that the specs hold')
    const walk = new Walk(this.options, means)
    try {
      await walk.run()
    } finally {
      this.told = walk.told()
    }
  }
}
