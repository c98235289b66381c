/** Logons that are to be refused: accounts lock after some failures. */
import { count } from '../ground/count.js'
import type { ConnectionLease } from './connections.js'
import { type Exchange, isDelivered } from './exchange.js'
import { NotSent } from './not-sent.js'
import type { SessionOptions } from './session-options.js'

/** One of them, and what it takes of the session. */
export interface RefusedLogon {
  /** On whose behalf, for the journal. */
  owner: string
  /** Whose connections it is sent on. */
  on: ConnectionLease | undefined
  /** Sends it. @param before called right before each try @param after called with each try */
  send(hooks: { before: () => void; after: (tried: Exchange) => void }): Promise<Exchange>
  /** Logs on rightly, so that the Core's count of failures starts anew; calls `loggedOn`. @throws NotSent */
  reassure(): Promise<void>
}

/** Sends them one after another, bounds their number, and sees to it that between two of them a logon succeeds. */
export class RefusedLogons {
  /** How many were sent in this run. */
  count = 0
  /** Whether the last logon was one of those. */
  private wasLast = false
  private turn: Promise<unknown> = Promise.resolve()
  /** How many are waiting for their turn, or at it. */
  private inTurn = 0

  constructor(private readonly options: Pick<SessionOptions, 'maxRefusedLogons' | 'journal'>) {}

  /** Takes over the count of an earlier process. */
  restore(sent: number): void {
    this.count = sent
    // Whatever came last: one good logon more does no harm.
    this.wasLast = sent > 0
  }

  /** Notes that a logon with the right credentials gave a token. */
  loggedOn(): void {
    this.wasLast = false
  }

  /** @throws NotSent when the budget of refused logons is used up */
  send({ owner, on, send, reassure }: RefusedLogon): Promise<Exchange> {
    const { maxRefusedLogons, journal } = this.options
    const before = () => {
      if (this.count >= maxRefusedLogons)
        throw new NotSent(`the budget of ${count(maxRefusedLogons, 'refused logon')} is used up (--max-refused-logons)`)
      journal?.refusing(owner)
      this.count++
      this.wasLast = true
    }
    // What never got to the Core counts towards no locking.
    const after = (tried: Exchange) => void (isDelivered(tried) || this.count--)
    // Nobody waits for a turn with connections that whoever is at it may need.
    if (this.inTurn++ > 0) on?.give()
    const attempt = this.turn.then(async () => {
      if (this.wasLast && this.count < maxRefusedLogons) await reassure()
      return send({ before, after })
    })
    this.turn = attempt.catch(() => {}).finally(() => this.inTurn--)
    return attempt
  }
}
