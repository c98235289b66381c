import { insert } from '../../ground/queue.js'
import type { Schedule } from '../schedule.js'

/**
 * What the next stretch of a unit does. `calm`: it looks at its tokens, which changes nothing for others. `stirs`: it logs on
 * or revokes. `last`: it stirs, and no wait follows, so that it can come after everything else.
 */
export type Stretch = 'calm' | 'stirs' | 'last'

interface Waiting {
  stretch: Stretch
  isUrgent: boolean
  resume: () => void
}

/**
 * Keeps the stretches apart that units go through between their waits: while one stirs, no other is under way, and what can
 * come last does. So what one unit does to the Core cannot be taken for what another one looks at.
 */
export class Quiet {
  private inside = 0
  private isStirred = false
  /** Units that have not come to their end, or to their last stretch. */
  private due = 0
  private readonly queue: Waiting[] = []

  constructor(private readonly schedule: Schedule) {}

  /** The gate of one unit. Call {@link Gate.end} when it has ended. */
  gate(): Gate {
    this.due++
    return new Gate(this)
  }

  /**
   * @param isUrgent whether it is of no use later: then it comes before all that can wait
   * @throws Detached while it waits for others
   */
  async enter(stretch: Stretch, isUrgent = false): Promise<void> {
    if (this.queue.length === 0 && this.mayEnter(stretch)) return this.admit(stretch)
    await this.schedule.park(resume => {
      insert(this.queue, { stretch, isUrgent, resume })
      this.serve()
    })
  }

  /** Ends the stretch of a unit that {@link enter} let in. */
  leave(): void {
    this.inside--
    this.isStirred = false
    this.serve()
  }

  /** Whether somebody waits whose matter is of no use later. */
  get isUrgent(): boolean {
    return this.queue.some(({ isUrgent }) => isUrgent)
  }

  /** A unit is no more waited for. */
  done(): void {
    this.due--
    this.serve()
  }

  private mayEnter(stretch: Stretch): boolean {
    if (stretch === 'calm') return !this.isStirred
    return this.inside === 0 && (stretch === 'stirs' || this.due === 0)
  }

  private admit(stretch: Stretch): void {
    this.inside++
    this.isStirred = stretch !== 'calm'
  }

  /** Lets in whoever may enter now, first come first served; those that come last do not keep others waiting. */
  private serve(): void {
    for (let index = 0; index < this.queue.length; ) {
      const waiting = this.queue[index]
      if (!waiting) return
      if (this.mayEnter(waiting.stretch)) {
        this.queue.splice(index, 1)
        this.admit(waiting.stretch)
        waiting.resume()
      } else if (waiting.stretch === 'last') index++
      else return
    }
  }
}

/** The way of one unit through a {@link Quiet}. */
export class Gate {
  private current: Stretch | undefined
  private isDue = true

  constructor(private readonly quiet: Quiet) {}

  /** Begins a stretch. @returns undefined within one of at least this kind @throws Detached while it waits for others */
  enter(stretch: Stretch, isUrgent: boolean): Promise<void> | undefined {
    if (this.current !== undefined && (this.current === stretch || stretch === 'calm')) return undefined
    return this.begin(stretch, isUrgent)
  }

  private async begin(stretch: Stretch, isUrgent: boolean): Promise<void> {
    this.leave()
    if (stretch === 'last') this.notDue()
    await this.quiet.enter(stretch, isUrgent)
    this.current = stretch
  }

  /**
   * Interrupts a stretch that only looks, for what is of no use later.
   * @returns undefined where nothing is to be waited for
   * @throws Detached while it waits for others
   */
  makeWay(): Promise<void> | undefined {
    return this.current === 'calm' && this.quiet.isUrgent ? this.begin('calm', false) : undefined
  }

  /** Ends the stretch, where one is under way. */
  leave(): void {
    if (this.current === undefined) return
    this.current = undefined
    this.quiet.leave()
  }

  /** The unit has ended. */
  end(): void {
    this.leave()
    this.notDue()
  }

  private notDue(): void {
    if (this.isDue) this.quiet.done()
    this.isDue = false
  }
}
