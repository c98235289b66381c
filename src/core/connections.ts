/** The connections of a run. Over 250 lines, since a lease and what it takes from share every count. */
import { count, numbered } from '../ground/count.js'
import { Beside } from './beside.js'
import { Crowding } from './crowding.js'
import { KeptConnection } from './kept-connection.js'
import { NotSent } from './not-sent.js'

/** Waits for another task: see `Schedule.park`. */
export type Park = (take: (resume: () => void) => (() => void) | undefined) => Promise<void>

const parkAsItIs: Park = take => new Promise(take)

/** Limits how fast one caller sends, in addition to the pace of the whole run. */
export interface Pace {
  /** Waits until the next request may be sent. @throws the error that ends the run */
  admit(): Promise<void>
  /** Does the same as {@link admit} for this many requests that are sent at once. */
  reserve(requests: number): Promise<void>
}

interface Wish {
  wanted: number
  isUrgent: boolean
  /** Whether the caller got its connections. */
  isServed: boolean
  resume: () => void
}

/**
 * Counts the connections that are open at a time, kept ones included. First come, first served; urgent callers go
 * first.
 *
 * No deadlock is possible. A caller takes all of its connections at once ({@link ConnectionLease.take}). A holder waits
 * only for answers and short pauses, which end by themselves. Before a spec waits for tokens, for its turn, for time to
 * pass or for room on the Core, it gives its connections back. So either some holder goes on and gives back, or nobody
 * holds any. The order is: tokens, then the turn of a refused logon, then connections. A caller that keeps a connection
 * open from turn to turn lends it meanwhile ({@link ConnectionLease.lend}), so that others can take it. One that needs a
 * connection that rested lets it rest ({@link ConnectionLease.rest}), and loses it where others cannot do without.
 */
export class Connections {
  private free: number
  private readonly queue: Wish[] = []
  private readonly leases = new Set<ConnectionLease>()
  /** Watches them being opened and closed. */
  readonly crowding: Crowding
  private readonly beside = new Beside()
  /** The limit at the start; undefined as long as the Core takes that many. */
  private wanted: number | undefined

  /**
   * @param capacity most connections that may be open at a time now
   * @param park see {@link Park}
   */
  constructor(
    public capacity: number,
    private readonly park: Park = parkAsItIs,
  ) {
    this.free = capacity
    this.crowding = new Crowding({
      tooMany: () => this.closeIdle(),
      takes: connections => this.shrink(connections),
    })
  }

  /**
   * Whether the Core takes fewer at a time than the run wanted. A server in front counts one that was closed for a moment still, so that one
   * opened right then may be turned away: that says nothing of how often one may connect.
   */
  get areShort(): boolean {
    return this.wanted !== undefined
  }

  /** Returns the wanted number, or the limit where that is less. */
  most(wanted: number): number {
    return Math.min(wanted, this.capacity)
  }

  /** Says that the Core takes fewer connections than the run wanted; undefined where it takes enough. */
  get notice(): string | undefined {
    if (!this.areShort) return undefined
    return `this Core was seen to take no more than ${count(this.capacity, 'connection')} at a time, so it was given that many and not ${this.wanted}`
  }

  /** Makes a lease that holds nothing yet. @param pace how fast its holder sends; absent: as fast as the run allows */
  lease(pace?: Pace): ConnectionLease {
    return new ConnectionLease(this, pace)
  }

  /**
   * Notes whether a request was served, or turned away by an answer. See {@link Beside.note}.
   * @returns whether it shows how many the Core serves at a time, and that they are fewer
   */
  served(...answered: Parameters<Beside['note']>): boolean {
    const { capacity, beside } = this
    if (!beside.note(...answered)) return false
    const { most } = beside
    if (most === undefined) this.widen()
    else this.shrink(most)
    return this.capacity < capacity
  }

  /** Takes connections for a lease. @throws NotSent where there are never that many */
  async take(wanted: number, isUrgent: boolean): Promise<void> {
    if (wanted > this.capacity) throw tooFew(wanted, this.capacity)
    // Those that rest as well are taken only where there are no others.
    const lent = [...this.leases].filter(({ isLent, isResting }) => isLent && !isResting)
    for (let lease = lent.shift(); lease && this.free < wanted; lease = lent.shift()) lease.give()
    this.wake(wanted)
    if (this.queue.length === 0 && this.free >= wanted) {
      this.free -= wanted
      return
    }
    const wish: Wish = { wanted, isUrgent, isServed: false, resume() {} }
    await this.park(resume => {
      wish.resume = resume
      const at = isUrgent ? this.queue.findIndex(other => !other.isUrgent) : -1
      this.queue.splice(at < 0 ? this.queue.length : at, 0, wish)
      this.serve()
      return () => void this.queue.splice(this.queue.indexOf(wish), 1)
    })
    if (!wish.isServed) throw tooFew(wanted, this.capacity)
  }

  /** Takes back the connections of a lease. */
  give(count: number): void {
    this.free += count
    this.serve()
  }

  /** Whether a caller waits for connections. */
  get areWanted(): boolean {
    return this.queue.length > 0
  }

  /** Whether a caller waits for connections whose requests are useless later. */
  get areUrgentlyWanted(): boolean {
    return this.queue[0]?.isUrgent === true
  }

  /** Whether there is a connection that nobody waits for. */
  get isFree(): boolean {
    return this.free > 0 && !this.areWanted
  }

  /** Takes the connections that rest, where a caller wants more than there are beside them. @param wanted by that caller */
  wake(wanted = this.queue[0]?.wanted ?? 0): void {
    // Those that rest for longest last: they take most time.
    const resting = [...this.leases].filter(({ isResting }) => isResting).sort((a, b) => b.restMs - a.restMs)
    for (let lease = resting.pop(); lease; lease = resting.pop()) {
      if (wanted <= this.capacity - resting.reduce((sum, { size }) => sum + size, lease.size)) return
      lease.give()
    }
  }

  /** Notes whether a lease holds connections. */
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

  /** Makes room on the Core at once. A holder that loses its open connection opens another when it needs one. */
  private closeIdle(): void {
    for (const { kept } of this.leases) if (kept.isIdle) kept.close()
  }

  /** Gives up that the Core serves fewer at a time. */
  private widen(): void {
    const { wanted = this.capacity, capacity } = this
    this.wanted = undefined
    this.capacity = wanted
    this.free += wanted - capacity
    this.serve()
  }

  private shrink(connections: number): void {
    const most = Math.max(connections, 1)
    if (most >= this.capacity) return
    this.wanted ??= this.capacity
    this.free -= this.capacity - most
    this.capacity = most
    for (const wish of this.queue.filter(({ wanted }) => wanted > most)) {
      this.queue.splice(this.queue.indexOf(wish), 1)
      wish.resume()
    }
    this.serve()
    this.wake()
  }
}

function tooFew(wanted: number, most: number): NotSent {
  const available = numbered(most, '1 is', `${most} are`)
  return new NotSent(
    `needs ${count(wanted, 'connection')}, but only ${available} available (see run --concurrency, or the Core's own limit)`,
  )
}

/** The connections that one caller holds: one that it keeps open, and others for one exchange each. */
export class ConnectionLease {
  readonly kept = new KeptConnection()
  /** How many connections it holds now. */
  size = 0
  /** Whether they rest, and for about how long. */
  isResting = false
  restMs = 0

  constructor(
    private readonly connections: Connections,
    /** See {@link Connections.lease}. */
    readonly pace?: Pace,
  ) {}

  /** How many it wants at a time. With one, the kept connection is closed before another is opened. */
  wants = 1
  /** Whether its requests are useless later. Then it goes before all callers that can wait. */
  isUrgent = false
  /**
   * Called before each request: lets callers go first whose requests are useless later. Returns undefined where there
   * are none.
   */
  makeWay: (() => Promise<void> | undefined) | undefined
  /** Called once, when the connection of the next request is there: requests at the same time wait for each other. */
  meet: (() => Promise<void>) | undefined
  /** Called between the head of a request and its body, where that comes late: others are sent in between. */
  bodyDue: (() => Promise<void>) | undefined

  /**
   * Takes all the connections that it wants at once, unless it holds them already. Waits for its turn.
   * @throws NotSent where this Core never takes that many
   */
  async take(): Promise<void> {
    this.isResting = false
    if (this.size > 0) {
      if (this.size > this.connections.capacity) throw tooFew(this.size, this.connections.capacity)
      return
    }
    const { wants, isUrgent } = this
    await this.connections.take(wants, isUrgent)
    this.size = wants
    this.connections.note(this, true)
  }

  /**
   * Returns the kept connection for the next exchange; undefined where the exchange gets its own.
   * @param isNew whether not to use the kept one
   */
  for(isNew: boolean): KeptConnection | undefined {
    if (!isNew) {
      if (this.isLarger) this.connections.give(1)
      if (this.isLarger) this.size--
      this.isLarger = false
      return this.kept
    }
    if (this.size >= 2) return undefined
    this.isLarger = this.size === 1 && this.connections.isFree
    if (this.isLarger) this.size++
    if (this.isLarger) this.connections.give(-1)
    else this.kept.close()
    return undefined
  }

  /** Whether it holds one more than it wanted, which nobody waited for, until its next exchange on the kept one. */
  private isLarger = false

  /** Whether it holds connections now. */
  get isHeld(): boolean {
    return this.size > 0
  }

  /**
   * Keeps its connections while time passes, until its next request. It may find them closed: by the Core, or since others
   * could not do without them.
   * @param forMs for about how long
   */
  rest(forMs: number): void {
    if (!this.size) return
    this.kept.rest()
    this.isResting = true
    this.restMs = forMs
    this.connections.wake()
  }

  /** Whether other callers may take the connections that it holds. */
  get isLent(): boolean {
    return this.lending > 0 || this.isSpare
  }

  /** Whether nothing is sent on its connections now: they are kept for later, where nobody else needs them. */
  isSpare = false

  private lending = 0

  /** Keeps its connections while its holder waits, unless another caller needs them. */
  async lend(wait: Promise<void>): Promise<void> {
    this.lending++
    if (this.connections.areWanted && !this.isResting) this.give()
    try {
      await wait
    } finally {
      this.lending--
    }
  }

  /** Gives its connections back where a caller waits for some whose requests are useless later, and its own are not. */
  yield(): void {
    if (!this.isUrgent && this.connections.areUrgentlyWanted) this.give()
  }

  /** Closes the kept connection, and gives all connections back. */
  give(): void {
    this.kept.close()
    this.isResting = false
    if (!this.size) return
    const { size } = this
    this.size = 0
    this.isLarger = false
    this.connections.note(this, false)
    this.connections.give(size)
  }
}
