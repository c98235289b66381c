import type { ConnectionLease } from '../core/connections.js'
import { withToken } from '../core/session.js'
import type { Token } from '../core/token.js'
import type { RunContext } from './context.js'
import { roleRequest } from './requests.js'
import { warm } from './warm.js'

/** How its tokens are called. */
const LABEL = 'token that watches'
/** How often the watch looks, as a fraction of the lifetime: its tokens are to be in use also by a lifetime much shorter. */
const EVERY = 0.05
/** A loss counts only where a token had been used so shortly before, as a fraction of the lifetime: else it may have expired. */
const IN_USE = 0.15
/** How far apart the ages of its tokens are at the least, as a fraction of the lifetime: by more than a look. */
const APART = 0.06
/** How much further apart than two looks the ages have to be, since a look takes time too. */
const LATER_LOOK = 1.5
/** How many tokens it has at the most: of ages that are spread over a lifetime. */
const MOST = 4
/** Until when it logs on, as a fraction of the lifetime: a logon must not coincide with the expiry of the others' tokens. */
const LOGON_UNTIL = 0.97

/** Something that befell all tokens at once. Times are milliseconds on the clock of the run. */
export interface TokenLoss {
  /** The last moment at which a token of before was accepted. */
  fromMs: number
  /** The first at which one was refused. */
  untilMs: number
}

/**
 * Tokens of different ages that are in use while others wait. When a token dies that was to be alive, they tell whether that
 * concerns this token, or whether the Core lost all that it had (it was restarted, or its clock was set): tokens that are in
 * use and of different ages have nothing else in common.
 */
export class Watch {
  private readonly tokens: Token[] = []
  private alive: Token[] = []
  private lookedAtMs = 0
  private sinceMs = 0
  private turn: Promise<void> = Promise.resolve()
  /** What was seen, in order. Where it repeats, it is what this Core does to tokens, and no event. */
  readonly losses: TokenLoss[] = []

  constructor(private readonly context: RunContext) {}

  /** Logs on. */
  async start(): Promise<void> {
    this.sinceMs = this.context.schedule.now()
    this.lookedAtMs = this.sinceMs
    await this.logOn()
  }

  /** Looks at the tokens again and again, until `over`. To be called within a task. @throws Detached */
  async keep(over: AbortSignal): Promise<void> {
    const { schedule, lifetime } = this.context
    const what = { spec: '', what: 'to see that tokens live', isBeside: true }
    while (!over.aborted && this.alive.length > 0) {
      await schedule.until(this.lookedAtMs + lifetime.lifetimeMs * EVERY, what, over)
      if (!over.aborted) await this.inTurn(() => this.look())
    }
  }

  /**
   * To be called when a token died that was to be alive.
   * @returns what befell all tokens in the time in which this one died; undefined where others of before live on
   */
  async explain({ certainUse }: Token): Promise<TokenLoss | undefined> {
    await this.inTurn(() => this.look())
    return this.losses.find(({ untilMs }) => certainUse.sentAt < untilMs)
  }

  /** All its tokens, to be given back. */
  all(): Token[] {
    return this.tokens
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const mine = this.turn.then(work)
    this.turn = mine.catch(() => {})
    return mine
  }

  private async look(): Promise<void> {
    const { schedule, session } = this.context
    const before = this.alive
    if (!before.length) return
    const sinceMs = schedule.now() - this.lookedAtMs
    this.alive = []
    const lease = session.connections.lease()
    try {
      for (const token of before) if (await this.lives(token, lease)) this.alive.push(token)
    } finally {
      lease.give()
    }
    this.lookedAtMs = schedule.now()
    if (!this.alive.length) {
      const fromMs = Math.max(...before.map(({ certainUse }) => certainUse.sentAt))
      const isInUse = this.lookedAtMs - fromMs < this.context.lifetime.lifetimeMs * IN_USE
      // One by one they die of their ages, all at one look only where that came later than their ages are apart.
      const apartMs = (before.at(-1)?.issued.sentAt ?? 0) - (before[0]?.issued.sentAt ?? 0)
      if (isInUse && apartMs > sinceMs * LATER_LOOK) this.losses.push({ fromMs, untilMs: this.lookedAtMs })
      await this.logOn()
    } else if (this.mayLogOn()) await this.logOn()
  }

  private mayLogOn(): boolean {
    const { schedule, lifetime } = this.context
    const lastMs = this.tokens.at(-1)?.issued.sentAt ?? 0
    const nowMs = schedule.now()
    const isSoon = nowMs - lastMs < lifetime.lifetimeMs * APART
    return this.tokens.length < MOST && !isSoon && nowMs - this.sinceMs < lifetime.lifetimeMs * LOGON_UNTIL
  }

  private async lives(token: Token, on: ConnectionLease): Promise<boolean> {
    const { session, parts, answers } = this.context
    const exchange = await session.exchange(withToken(roleRequest(parts, 'probe'), token.value), on)
    const { response } = exchange
    token.used(exchange, response !== undefined && answers.probe.accepts(response))
    // No answer, or one of another kind, tells nothing.
    const isDead = response !== undefined && answers.probe.rejects(response)
    if (isDead) token.rejected()
    return !isDead
  }

  private async logOn(): Promise<void> {
    const { session, parts } = this.context
    const token = session.take(await session.exchange(roleRequest(parts, 'logon')), LABEL)
    if (!token) return
    session.loggedOn()
    await warm(this.context, token)
    this.tokens.push(token)
    this.alive.push(token)
  }
}
