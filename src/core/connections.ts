import { count, numbered } from '../ground/count.js'
import { insert } from '../ground/queue.js'
import { Crowding } from './crowding.js'
import { NotSent } from './not-sent.js'
import { type ConnectionWatch, KeptConnection, type Opening } from './transport.js'

/** Waits for something that another task will bring about: see `Schedule.park`. */
export type Park = (take: (resume: () => void) => void) => Promise<void>

const parkAsItIs: Park = take => new Promise(take)

/** How fast somebody may send, beside what the pace of the whole run allows. */
export interface Pace {
  /** Waits until the next request may be sent. @throws whatever ends the run */
  admit(): Promise<void>
  /** As {@link admit}, for so many that are sent at once. */
  reserve(requests: number): Promise<void>
}

interface Wish {
  wanted: number
  isUrgent: boolean
  /** Whether it got what it wanted. */
  isServed: boolean
  resume: () => void
}

/**
 * How many connections are open at a time, kept ones included. First come, first served, but for what is of no use later.
 *
 * No deadlock is possible. Whoever wants connections takes all of them at once ({@link ConnectionLease.take}), and whoever
 * holds some waits for nothing but answers and short pauses, which end by themselves: before a spec waits for tokens, for
 * its turn, for time to pass or for the Core to have room, it gives its connections back. So there is always a holder that
 * goes on and gives back, or nobody holds any. The order is: tokens, then the turn of a refused logon, then connections. Who would
 * keep a connection open from turn to turn lends it meanwhile ({@link ConnectionLease.lend}): it is taken by whoever needs it.
 */
export class Connections implements ConnectionWatch {
  private free: number
  private readonly queue: Wish[] = []
  private readonly leases = new Set<ConnectionLease>()
  private readonly crowding: Crowding
  /** How many it was to be; undefined as long as the Core takes that many. */
  private wanted: number | undefined

  /**
   * @param limit how many may be open at a time
   * @param park see {@link Park}
   */
  constructor(
    private limit: number,
    private readonly park: Park = parkAsItIs,
  ) {
    this.free = limit
    this.crowding = new Crowding({
      tooMany: () => this.closeIdle(),
      takes: connections => this.shrink(connections),
    })
  }

  /** How many may be open at a time now. */
  get capacity(): number {
    return this.limit
  }

  /** So many as are wanted, or as few as can be had. */
  most(wanted: number): number {
    return Math.min(wanted, this.limit)
  }

  /** The line that says that the Core takes fewer connections than it was to get; undefined where that is not so. */
  get notice(): string | undefined {
    if (this.wanted === undefined) return undefined
    return `this Core was seen to take no more than ${count(this.limit, 'connection')} at a time, so it was given that many and not ${this.wanted}`
  }

  /** Somebody's share, of which nothing is taken yet. @param pace how fast requests are sent on it; absent: as the run allows */
  lease(pace?: Pace): ConnectionLease {
    return new ConnectionLease(this, pace)
  }

  opening(): Opening {
    return this.crowding.opening()
  }

  /** Called by a lease. @throws NotSent where so many cannot be had */
  async take(wanted: number, isUrgent: boolean): Promise<void> {
    if (wanted > this.limit) throw tooFew(wanted, this.limit)
    for (const lease of this.free < wanted ? [...this.leases] : []) if (lease.isLent) lease.give()
    if (this.queue.length === 0 && this.free >= wanted) {
      this.free -= wanted
      return
    }
    const wish: Wish = { wanted, isUrgent, isServed: false, resume() {} }
    try {
      await this.park(resume => {
        wish.resume = resume
        insert(this.queue, wish)
        this.serve()
      })
    } catch (error) {
      this.queue.splice(this.queue.indexOf(wish), 1)
      throw error
    }
    if (!wish.isServed) throw tooFew(wanted, this.limit)
  }

  /** Called by a lease. */
  give(count: number): void {
    this.free += count
    this.serve()
  }

  /** Whether somebody waits for some. */
  get areWanted(): boolean {
    return this.queue.length > 0
  }

  /** Called by a lease that holds some, and when it holds none. */
  note(lease: ConnectionLease, holds: boolean): void {
    if (holds) this.leases.add(lease)
    else this.leases.delete(lease)
  }

  private serve(): void {
    while (this.queue[0] && this.queue[0].wanted <= this.free) {
      const next = this.queue.shift()
      if (!next) return
      this.free -= next.wanted
      next.isServed = true
      next.resume()
    }
  }

  /** Makes room on the Core at once: whoever kept one of these open opens another when it is needed. */
  private closeIdle(): void {
    for (const { kept } of this.leases) if (kept.isIdle) kept.close()
  }

  private shrink(connections: number): void {
    const most = Math.max(connections, 1)
    if (most >= this.limit) return
    this.wanted ??= this.limit
    this.free -= this.limit - most
    this.limit = most
    for (const wish of this.queue.filter(({ wanted }) => wanted > most)) {
      this.queue.splice(this.queue.indexOf(wish), 1)
      wish.resume()
    }
    this.serve()
  }
}

function tooFew(wanted: number, most: number): NotSent {
  return new NotSent(
    `needs ${count(wanted, 'connection')} at a time; ${numbered(most, 'one', String(most))} can be had`,
  )
}

/** The connections that somebody holds of {@link Connections}: the one that it keeps open, and others for one exchange each. */
export class ConnectionLease {
  readonly kept = new KeptConnection()
  private held = 0

  constructor(
    private readonly connections: Connections,
    /** See {@link Connections.lease}. */
    readonly pace?: Pace,
  ) {}

  /** How many it wants at a time: with one, the kept connection is closed before another is opened. */
  wants = 1
  /** Whether what it is wanted for is of no use later: then it comes before all that can wait. */
  isUrgent = false
  /** Lets others go first whose matter is of no use later, before each request; undefined where nobody is to be waited for. */
  makeWay: (() => Promise<void> | undefined) | undefined

  /**
   * Takes what it wants, all at once, unless it holds it already. Waits for its turn.
   * @throws NotSent where that many cannot be had of this Core
   */
  async take(): Promise<void> {
    if (this.held > 0) {
      if (this.held > this.connections.capacity) throw tooFew(this.held, this.connections.capacity)
      return
    }
    const { wants, isUrgent } = this
    await this.connections.take(wants, isUrgent)
    this.held = wants
    this.connections.note(this, true)
  }

  /** The connection for the next exchange; undefined for one of its own. @param isNew whether it is not to be the kept one */
  for(isNew: boolean): KeptConnection | undefined {
    if (!isNew) return this.kept
    if (this.held < 2) this.kept.close()
    return undefined
  }

  /** Whether whoever needs connections may have those that it holds. */
  get isLent(): boolean {
    return this.lending > 0
  }

  private lending = 0

  /** Keeps what it holds while its holder waits for something that others may need connections for, unless they do. */
  async lend(wait: Promise<void>): Promise<void> {
    this.lending++
    if (this.connections.areWanted) this.give()
    try {
      await wait
    } finally {
      this.lending--
    }
  }

  /** Closes the kept connection, and gives back what it holds. */
  give(): void {
    this.kept.close()
    if (!this.held) return
    const { held } = this
    this.held = 0
    this.connections.note(this, false)
    this.connections.give(held)
  }
}
