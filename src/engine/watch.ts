import type { ConnectionLease } from '../core/connections.js'
import type { Token } from '../core/token.js'
import type { RunContext } from './context.js'
import { probeWith, roleRequest } from './requests.js'
import { warmToken } from './warm.js'

/** Label of its tokens. */
const LABEL = 'token that watches'
/**
 * How often it looks, as a fraction of the lifetime. Each look uses half of the tokens. They have to count as used even on a
 * Core with a much shorter lifetime.
 */
const EVERY = 0.05
/**
 * Longest time since the last use for a loss to count, as a fraction of the lifetime. After that the token may have
 * expired.
 */
const IN_USE = 0.15
/**
 * Least difference between the ages of its tokens, as a fraction of the lifetime: more than the time between two looks.
 */
const APART = 0.06
/** How many times longer than the time between two looks that difference has to be, since a look takes time too. */
const LATER_LOOK = 1.5
/** Most tokens that it holds: their ages are spread over a lifetime. */
const MOST = 4
/**
 * Until when it logs on, as a fraction of the lifetime: a logon must not coincide with the expiry of other specs'
 * tokens.
 */
const LOGON_UNTIL = 0.97

/** An event that ended all tokens at once. Times are milliseconds on the clock of the run. */
export interface TokenLoss {
  /** When an older token was last accepted. */
  fromMs: number
  /** When a token was first refused. */
  untilMs: number
}

/**
 * Keeps tokens of different ages in use while specs wait. When a token dies that should be alive, they show whether
 * only this token is concerned, or whether the Core lost all its tokens (it was restarted, or its clock was set).
 * Nothing else ends tokens of different ages that are all in use.
 */
export class Watch {
  private readonly tokens: Token[] = []
  private alive: Token[] = []
  private lookedAtMs = 0
  private sinceMs = 0
  private turn: Promise<void> = Promise.resolve()
  /** The losses seen, in order. More than one loss is no event, but how this Core treats tokens. */
  readonly losses: TokenLoss[] = []

  constructor(private readonly context: RunContext) {}

  /** Logs on for the first time. */
  async start(): Promise<void> {
    this.sinceMs = this.context.schedule.now()
    this.lookedAtMs = this.sinceMs
    await this.logOn()
  }

  /** Looks at the tokens again and again, until `over` is aborted. Call it within a task. @throws Detached */
  async keep(over: AbortSignal): Promise<void> {
    const { schedule, lifetime } = this.context
    const what = { spec: '', what: 'to check that tokens are alive', isBeside: true }
    while (!over.aborted && this.alive.length > 0) {
      await schedule.until(this.lookedAtMs + lifetime.lifetimeMs * EVERY, what, over)
      if (!over.aborted) await this.inTurn(() => this.look(longestUnused(this.alive)))
    }
  }

  /**
   * Looks for the cause of a token's death. Call it when a token died that should be alive.
   * @returns the loss of all tokens in the time in which this one died; undefined where older tokens live on
   */
  async explain({ certainUse }: Token): Promise<TokenLoss | undefined> {
    await this.inTurn(() => this.look(this.alive))
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

  /** Looks at some tokens. If one is dead, looks at all the others too. */
  private async look(first: readonly Token[]): Promise<void> {
    const { schedule, session } = this.context
    const before = this.alive
    if (!before.length) return
    const sinceMs = schedule.now() - this.lookedAtMs
    const dead: Token[] = []
    // Given back before the logon below, which takes another one: there may be a single connection.
    const lease = session.connections.lease()
    try {
      dead.push(...(await this.deadOf(first, lease)))
      const others = before.filter(token => !first.includes(token))
      if (dead.length > 0) dead.push(...(await this.deadOf(others, lease)))
    } finally {
      lease.give()
    }
    this.alive = before.filter(token => !dead.includes(token))
    this.lookedAtMs = schedule.now()
    if (!this.alive.length) {
      const fromMs = Math.max(...before.map(({ certainUse }) => certainUse.sentAt))
      const isInUse = this.lookedAtMs - fromMs < this.context.lifetime.lifetimeMs * IN_USE
      // Tokens that die of age die one by one. They die within one look only where the look came later than their ages
      // differ.
      const apartMs = (before.at(-1)?.issued.sentAt ?? 0) - (before[0]?.issued.sentAt ?? 0)
      if (isInUse && apartMs > sinceMs * LATER_LOOK) this.losses.push({ fromMs, untilMs: this.lookedAtMs })
      await this.logOn()
    } else if (this.mayLogOn()) await this.logOn()
  }

  private async deadOf(tokens: readonly Token[], on: ConnectionLease): Promise<Token[]> {
    const dead: Token[] = []
    for (const token of tokens) if (!(await this.lives(token, on))) dead.push(token)
    return dead
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
    const exchange = await session.exchange(probeWith(parts, token.value), on)
    token.used(exchange, answers.probe.accepts(exchange))
    // What was turned away shows nothing.
    const isDead = answers.probe.rejects(exchange)
    if (isDead) token.rejected(exchange)
    return !isDead
  }

  private async logOn(): Promise<void> {
    const { session, parts } = this.context
    const token = session.take(await session.exchange(roleRequest(parts, 'logon')), LABEL)
    if (!token) return
    session.refused.loggedOn()
    await warmToken(this.context, token)
    this.tokens.push(token)
    this.alive.push(token)
  }
}

/**
 * Returns half of the tokens, those unused for longest. What ends all tokens ends these too, so the others need no look. Every
 * token is used at each second look.
 */
function longestUnused(tokens: readonly Token[]): Token[] {
  const byUse = [...tokens].sort((a, b) => a.certainUse.sentAt - b.certainUse.sentAt)
  return byUse.slice(0, Math.ceil(byUse.length / 2))
}
