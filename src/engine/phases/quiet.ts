import type { Schedule } from '../schedule.js'

/**
 * Effect of the next stretch of a unit. `calm`: it only looks at its tokens, which changes nothing for others. `stirs`:
 * it logs on or revokes. `last`: it stirs, and no wait follows, so it can come after everything else.
 */
export type Stretch = 'calm' | 'stirs' | 'last'

/**
 * Until when a stretch is of use, on the clock of the run: what should be alive then is judged only while it has to be. `NO_HASTE`: also
 * later. `BEGUN`: also later, but it is under way, and its tokens get old.
 */
export const NO_HASTE = Number.POSITIVE_INFINITY
export const BEGUN = Number.MAX_VALUE

interface Waiting {
  stretch: Stretch
  untilMs: number
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

  /** @param most how many calm stretches are under way at a time: more would wait for connections, and others for all of them */
  constructor(
    private readonly schedule: Schedule,
    private readonly most: () => number = () => Number.POSITIVE_INFINITY,
  ) {}

  /** Makes the gate of one unit. Call {@link Gate.end} when the unit has ended. */
  gate(): Gate {
    this.due++
    return new Gate(this)
  }

  /**
   * Begins a stretch. Those that wait begin in the order of when they are of no use any more.
   * @throws Detached while it waits for others
   */
  async enter(stretch: Stretch, untilMs = NO_HASTE): Promise<void> {
    if (this.queue.length === 0 && this.mayEnter(stretch)) return this.admit(stretch)
    await this.schedule.park(resume => {
      const at = this.queue.findIndex(other => other.untilMs > untilMs)
      const waiting = { stretch, untilMs, resume }
      this.queue.splice(at < 0 ? this.queue.length : at, 0, waiting)
      this.serve()
      return () => void this.queue.splice(this.queue.indexOf(waiting), 1)
    })
  }

  /** Ends a stretch begun with {@link enter}. */
  leave(): void {
    this.inside--
    this.isStirred = false
    this.serve()
  }

  /** Whether a stretch waits that is of use only until before this time. */
  isAwaited(untilMs: number): boolean {
    return (this.queue[0]?.untilMs ?? NO_HASTE) < untilMs
  }

  /** Notes that a unit need not be waited for any more. */
  done(): void {
    this.due--
    this.serve()
  }

  private mayEnter(stretch: Stretch): boolean {
    if (stretch === 'calm') return !this.isStirred && this.inside < this.most()
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
  enter(stretch: Stretch, untilMs: number): Promise<void> | undefined {
    if (this.current !== undefined && (this.current === stretch || stretch === 'calm')) return undefined
    return this.begin(stretch, untilMs)
  }

  private async begin(stretch: Stretch, untilMs: number): Promise<void> {
    this.leave()
    if (stretch === 'last') this.notDue()
    await this.quiet.enter(stretch, untilMs)
    this.current = stretch
  }

  /**
   * Interrupts a stretch for those that are of no use sooner.
   * @returns undefined where none waits
   * @throws Detached while it waits for others
   */
  makeWay(untilMs: number): Promise<void> | undefined {
    const { current } = this
    return current !== undefined && this.quiet.isAwaited(untilMs) ? this.begin(current, untilMs) : undefined
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
