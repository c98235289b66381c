/** Sends requests of a step beside each other, on connections that nobody else needs. */
import type { SpecTalk } from './spec-talk.js'

/** The branches of a step: each keeps a connection as long as no other spec waits for one. */
export class Branches {
  private readonly idle: SpecTalk[] = []
  private underWay = 0

  /** @param trunk the talk of the spec, which gets what they send */
  constructor(private readonly trunk: SpecTalk) {}

  /**
   * Does this on a branch; undefined where there is no connection for one. So no caller waits for a branch that waits for the
   * connection of its caller.
   */
  run<T>(work: (branch: SpecTalk) => Promise<T>): Promise<T> | undefined {
    const { context } = this.trunk
    const { connections } = context.session
    if (this.underWay >= context.lanes - 1) return undefined
    const branch = this.next() ?? this.make()
    if (!branch) return undefined
    this.underWay++
    branch.lease.isSpare = false
    const result = context.schedule
      .task(() => work(branch))
      .finally(() => {
        this.underWay--
        this.trunk.exchanges.push(...branch.exchanges.splice(0))
        branch.lease.isSpare = true
        if (connections.areWanted) branch.lease.give()
        if (branch.lease.isHeld) this.idle.push(branch)
      })
    // It may fail before anybody waits for it.
    result.catch(() => {})
    return result
  }

  /**
   * Waits for what is under way on a branch. Meanwhile time may leap, and others may have the connection: a branch that paused for long
   * gave its own back, and may wait for one.
   */
  async wait<T>(result: Promise<T>): Promise<T> {
    const { context, lease } = this.trunk
    await lease.lend(context.schedule.park(resume => void result.then(resume, resume)))
    return result
  }

  /** Gives the connections back. */
  end(): void {
    for (const { lease } of this.idle.splice(0)) lease.give()
  }

  /** Returns one that still has its connection. */
  private next(): SpecTalk | undefined {
    for (let branch = this.idle.pop(); branch; branch = this.idle.pop()) if (branch.lease.isHeld) return branch
    return undefined
  }

  private make(): SpecTalk | undefined {
    const { connections } = this.trunk.context.session
    if (!connections.isFree) return undefined
    const branch = this.trunk.branch()
    void branch.lease.take()
    return branch
  }
}
