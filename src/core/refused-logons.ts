/** Sends the logons that should be refused, and keeps them few: accounts lock after some failures. */
import { count } from '../ground/count.js'
import type { ConnectionLease } from './connections.js'
import { type Exchange, isDelivered } from './exchange.js'
import { NotSent } from './not-sent.js'
import type { SessionOptions } from './session-options.js'

/** One logon that should be refused, with the functions of the session that it needs. */
export interface RefusedLogon {
  /** The spec that it is sent for; the journal notes it. */
  owner: string
  /** The connections that it is sent on. */
  on: ConnectionLease | undefined
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
 * them.
 */
export class RefusedLogons {
  /** How many were sent in this run. */
  count = 0
  /** Whether the latest logon was one that should be refused. */
  private wasLast = false
  private turn: Promise<unknown> = Promise.resolve()
  /** How many callers wait for their turn, or have it. */
  private inTurn = 0

  constructor(private readonly options: Pick<SessionOptions, 'maxRefusedLogons' | 'journal'>) {}

  /** Takes over the count of an earlier process. */
  restore(sent: number): void {
    this.count = sent
    // The latest logon of that process is not known. One more good logon does no harm.
    this.wasLast = sent > 0
  }

  /** Notes that a logon with the right credentials gave a token. */
  loggedOn(): void {
    this.wasLast = false
  }

  /** Sends one when its turn comes. @throws NotSent when the budget of refused logons is used up */
  send({ owner, on, send, reassure }: RefusedLogon): Promise<Exchange> {
    const { maxRefusedLogons, journal } = this.options
    const before = () => {
      if (this.count >= maxRefusedLogons)
        throw new NotSent(`the budget of ${count(maxRefusedLogons, 'refused logon')} is used up (--max-refused-logons)`)
      journal?.refusing(owner)
      this.count++
      this.wasLast = true
    }
    // A logon that never reached the Core does not count towards a lock.
    const after = (tried: Exchange) => void (isDelivered(tried) || this.count--)
    // The caller gives its connections back before it waits for its turn: the caller whose turn it is may need them.
    if (this.inTurn++ > 0) on?.give()
    const attempt = this.turn.then(async () => {
      if (this.wasLast && this.count < maxRefusedLogons) await reassure()
      return send({ before, after })
    })
    this.turn = attempt.catch(() => {}).finally(() => this.inTurn--)
    return attempt
  }
}
