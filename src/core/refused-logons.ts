/** Sends the logons that should be refused, and keeps them few: accounts lock after some failures. */
import { duration } from '../duration.js'
import { count } from '../ground/count.js'
import { type Answer, alike, answerOf } from './answers.js'
import { shortest } from './ban.js'
import type { ConnectionLease } from './connections.js'
import { type Exchange, isDelivered } from './exchange.js'
import { NotSent } from './not-sent.js'
import type { SessionOptions } from './session-options.js'

/** Refused logons for trying again, alone, what failed. Six specs with bystanders send one, and each may be tried twice. */
export const REFUSED_TO_CONFIRM = 12
/** Most refused logons that a run sends as fast as it goes: 40, and those that confirm failures. */
export const REFUSED_AT_ONCE = 40 + REFUSED_TO_CONFIRM
/** Least time before each of those that follow, in milliseconds: a limit on failures in a while is not met so soon. */
export const REFUSED_EVERY_MS = 30_000
/** Shortest lifetime of a Core that people use, in milliseconds. Below it, a Core is there for tests. */
const IN_USE_MS = 60_000
/** How many of those that follow go into an hour, which is the lifetime that the reference names. */
const TO_A_LIFETIME = 3_600_000 / REFUSED_EVERY_MS
/** Statuses that say that a limit on logons is near or met: the account is locked (RFC 4918 11.3), or there were too many. */
export const LOCKING: ReadonlySet<number> = new Set([423, 429])
/** Most refused logons in a row: people mistype a password twice, so no account locks that soon. */
const MOST_IN_A_ROW = 2
/** After fewer wrong logons no account is locked, and none counts for longer. */
const FEWEST = 2
const COUNTED_MS = 10 * 60_000
/** Pauses before right credentials are tried again that look locked out: at once first, since some Cores refuse now and then. */
const LOCKED_OUT_MS = [0, 1000, 2000, 4000, 8000]

/**
 * Returns the least time before each of those that follow, in milliseconds. A Core whose tokens live for some seconds gets as many in a
 * lifetime as another: nobody but tests uses its account.
 */
export function refusedEveryMs(lifetimeMs: number): number {
  return lifetimeMs < IN_USE_MS ? lifetimeMs / TO_A_LIFETIME : REFUSED_EVERY_MS
}

/** One logon that should be refused, with the functions of the session that it needs. */
export interface RefusedLogon {
  /** The spec that it is sent for; the journal notes it. */
  owner: string
  /** The connections that it is sent on. */
  on: ConnectionLease | undefined
  /** Whether the caller left {@link REFUSED_EVERY_MS} before it, and so may send it beyond the first ones. */
  isPaced: boolean
  /** Whether it may follow right after another, with no good logon between: see {@link MOST_IN_A_ROW}. */
  isAgain: boolean
  /** Sends the logon. @param before called right before each try @param after called with each try */
  send(hooks: { before: () => void; after: (tried: Exchange) => void }): Promise<Exchange>
  /**
   * Logs on with the right credentials, so that the Core's count of failures starts anew; calls `loggedOn`.
   * @throws NotSent
   */
  reassure(): Promise<void>
}

/**
 * Sends refused logons one after another, limits their number, and makes sure that a good logon comes between two of
 * them, but for those that a spec wants in a row.
 */
export class RefusedLogons {
  /** How many were sent in this run. */
  count = 0
  /** How many were asked for in this process. Where connections drop, some of them take more than one try. */
  private asked = 0
  private tried = 0
  /** How many tries got no answer: each may have been counted as a wrong one. */
  private unanswered = 0
  /** How many of them left time before them. */
  private paced = 0
  private readonly owners = new Map<string, number>()
  /** How many of the latest logons should be refused. */
  private inARow = 0
  /** The latest refusals, and when the account was locked after them. */
  private readonly wrong: Exchange[] = []
  private readonly lockOuts: { after: number; leastMs: number; forMs: number }[] = []
  private turn: Promise<unknown> = Promise.resolve()
  /** Whether an answer to one that time was left before said so. */
  private isLocking = false
  /** When the latest went out, on the clock of the run; undefined where none did. */
  private lastMs: number | undefined
  /** How many callers wait for their turn, or have it. */
  private inTurn = 0

  /**
   * @param now the clock of the run, in milliseconds
   * @param isLimit whether an answer is known to be that of a limit
   */
  constructor(
    private readonly options: SessionOptions,
    private readonly now: () => number,
    private readonly isLimit: (exchange: Exchange) => boolean,
  ) {}

  /** Takes over the count of an earlier process. */
  restore(sent: number): void {
    this.count = sent
    this.paced = Math.max(0, sent - this.mostAtOnce)
    // The latest logon of that process is not known. One more good logon does no harm.
    this.inARow = sent > 0 ? MOST_IN_A_ROW : 0
  }

  /** Notes that a logon with the right credentials gave a token. */
  loggedOn(): void {
    this.inARow = 0
  }

  /** How many more may be sent as fast as the run goes. */
  get leftAtOnce(): number {
    return this.mostAtOnce - (this.count - this.paced)
  }

  /** How many more may be sent where time is left before each. */
  get leftPaced(): number {
    if (this.showsLock) return 0
    return this.options.maxRefusedLogons - this.mostAtOnce - this.paced
  }

  /** Whether there was a sign that the account is locked, or soon will be: it ends those that are sent with time between. */
  get showsLock(): boolean {
    return this.isLocking || this.lockOuts.length > 0
  }

  /** How many this process sent for a spec. */
  sentFor(owner: string): number {
    return this.owners.get(owner) ?? 0
  }

  /** How many tries one takes, as seen so far. */
  get triesForOne(): number {
    return this.asked ? Math.max(1, this.tried / this.asked) : 1
  }

  private get isLongAgo(): boolean {
    return this.lastMs !== undefined && this.now() - this.lastMs >= REFUSED_EVERY_MS
  }

  private get mostAtOnce(): number {
    return Math.min(REFUSED_AT_ONCE, this.options.maxRefusedLogons)
  }

  /** Whether wrong credentials were answered so. */
  answeredSo(answer: Answer): boolean {
    return this.wrong.some(({ response }) => response !== undefined && alike(answerOf(response), answer))
  }

  /** Whether right credentials were refused as wrong ones were right before, which happens to an account that is locked. */
  looksLockedOut({ response, sentAt }: Exchange): boolean {
    const lately = this.lately(sentAt)
    const last = lately.at(-1)?.response
    return (
      lately.length >= FEWEST &&
      response !== undefined &&
      last !== undefined &&
      alike(answerOf(response), answerOf(last))
    )
  }

  /**
   * Sends a logon again until it is taken. A lock-out ends by itself.
   * @returns the logon that was taken; else the last one
   */
  async waitOut(
    first: Exchange,
    means: {
      pause: (ms: number) => Promise<void>
      send: () => Promise<Exchange>
      isRefused: (tried: Exchange) => boolean
    },
  ): Promise<Exchange> {
    const after = this.lately(first.sentAt).length
    let last = first
    for (const ms of LOCKED_OUT_MS) {
      await means.pause(ms)
      const before = last
      last = await means.send()
      if (means.isRefused(last)) continue
      // Refused once, and taken right afterwards: that is no lock-out.
      if (ms > 0)
        this.lockOuts.push({ after, leastMs: before.sentAt - first.sentAt, forMs: last.sentAt - first.sentAt })
      this.wrong.length = 0
      break
    }
    return last
  }

  /** Says that the account was locked for a while; undefined where it was not. */
  get notice(): string | undefined {
    const { lockOuts } = this
    if (!lockOuts.length) return undefined
    const after = Math.min(...lockOuts.map(each => each.after))
    return `the Core refused right credentials for about ${duration(shortest(lockOuts))} after ${count(after, 'wrong logon')} (${count(lockOuts.length, 'time')}): it locks the account, and the run waited`
  }

  private lately(ms: number): Exchange[] {
    return this.wrong.filter(({ sentAt }) => ms - sentAt < COUNTED_MS)
  }

  /** Sends one when its turn comes. @throws NotSent when the budget of refused logons is used up */
  send({ owner, on, isPaced, isAgain, send, reassure }: RefusedLogon): Promise<Exchange> {
    const { maxRefusedLogons, journal } = this.options
    // What comes long after the one before is one of those that time was left for, whoever left it.
    const isApart = () => isPaced || (this.isLongAgo && this.leftPaced > 0)
    let wasApart = isPaced
    const note = (by: number) => {
      this.count += by
      this.tried += by
      if (wasApart) this.paced += by
      this.owners.set(owner, this.sentFor(owner) + by)
    }
    const before = () => {
      wasApart = isApart()
      if ((wasApart ? this.leftPaced : this.leftAtOnce) <= 0) {
        const most = count(isPaced ? maxRefusedLogons : this.mostAtOnce, 'refused logon')
        const lost = this.unanswered ? `, with ${this.unanswered} that got no answer` : ''
        throw new NotSent(`the budget of ${most} is used up${lost} (--max-refused-logons)`)
      }
      journal?.refusing(owner)
      note(1)
      this.inARow++
      this.lastMs = this.now()
    }
    // A logon that never reached the Core does not count towards a lock.
    const after = (tried: Exchange) => {
      if (!isDelivered(tried)) return note(-1)
      if (tried.error) this.unanswered++
      // One of those that follow each other may meet a limit of the rate.
      this.isLocking ||= wasApart && LOCKING.has(tried.response?.status ?? 0)
      if (!this.isLimit(tried)) this.wrong.push(tried)
    }
    // The caller gives its connections back before it waits for its turn: the caller whose turn it is may need them.
    if (this.inTurn++ > 0) on?.give()
    const attempt = this.turn.then(async () => {
      const left = isApart() ? this.leftPaced : this.leftAtOnce
      if (this.inARow >= (isAgain ? MOST_IN_A_ROW : 1) && left > 0) await reassure()
      this.asked++
      return send({ before, after })
    })
    this.turn = attempt.catch(() => {}).finally(() => this.inTurn--)
    return attempt
  }
}
