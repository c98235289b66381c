import { insert } from '../../ground/queue.js'
import type { Schedule } from '../schedule.js'

/**
 * Effect of the next stretch of a unit. `calm`: it only looks at its tokens, which changes nothing for others. `stirs`:
 * it logs on or revokes. `last`: it stirs, and no wait follows, so it can come after everything else.
 */
export type Stretch = 'calm' | 'stirs' | 'last'

interface Waiting {
  stretch: Stretch
  isUrgent: boolean
  resume: () => void
}

/**
 * Keeps the stretches of units apart that lie between their waits. While one stirs, no other is under way; a stretch
 * that can come last does. So no unit mistakes the effects of another for what it looks for.
 */
export class Quiet {
  private inside = 0
  private isStirred = false
  /** Number of units before their end or their last stretch. */
  private due = 0
  private readonly queue: Waiting[] = []

  constructor(private readonly schedule: Schedule) {}

  /** Makes the gate of one unit. Call {@link Gate.end} when the unit has ended. */
  gate(): Gate {
    this.due++
    return new Gate(this)
  }

  /**
   * Begins a stretch.
   * @param isUrgent whether it is useless later; then it goes before all that can wait
   * @throws Detached while it waits for others
   */
  async enter(stretch: Stretch, isUrgent = false): Promise<void> {
    if (this.queue.length === 0 && this.mayEnter(stretch)) return this.admit(stretch)
    await this.schedule.park(resume => {
      insert(this.queue, { stretch, isUrgent, resume })
      this.serve()
    })
  }

  /** Ends a stretch begun with {@link enter}. */
  leave(): void {
    this.inside--
    this.isStirred = false
    this.serve()
  }

  /** Whether an urgent stretch waits. */
  get isUrgent(): boolean {
    return this.queue.some(({ isUrgent }) => isUrgent)
  }

  /** Notes that a unit need not be waited for any more. */
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

  /** Begins every stretch that may begin now, first come, first served. Last stretches do not delay the others. */
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

/** The access of one unit to a {@link Quiet}. */
export class Gate {
  private current: Stretch | undefined
  private isDue = true

  constructor(private readonly quiet: Quiet) {}

  /**
   * Begins a stretch.
   * @returns undefined within a stretch of at least this kind
   * @throws Detached while it waits for others
   */
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
   * Interrupts a calm stretch for urgent ones.
   * @returns undefined where none waits
   * @throws Detached while it waits for others
   */
  makeWay(): Promise<void> | undefined {
    return this.current === 'calm' && this.quiet.isUrgent ? this.begin('calm', false) : undefined
  }

  /** Ends the present stretch, if there is one. */
  leave(): void {
    if (this.current === undefined) return
    this.current = undefined
    this.quiet.leave()
  }

  /** Notes that the unit has ended. */
  end(): void {
    this.leave()
    this.notDue()
  }

  private notDue(): void {
    if (this.isDue) this.quiet.done()
    this.isDue = false
  }
}
