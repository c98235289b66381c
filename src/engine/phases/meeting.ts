import type { Schedule } from '../schedule.js'

/**
 * Where specs wait for each other: whoever has come goes on when all that are under way have come too. So none of them gives its
 * tokens back, nor starts anew, before all have seen whether theirs are alive.
 */
export class Meeting {
  private underWay = 0
  private readonly waiting: (() => void)[] = []

  constructor(private readonly schedule: Schedule) {}

  /** Somebody is under way, and is waited for from now on, until {@link Meeting.come} or {@link Meeting.stayAway}. */
  expect(): void {
    this.underWay++
  }

  /** Waits for all that are under way. To be called within a task. @throws Detached */
  async come(): Promise<void> {
    this.underWay--
    if (this.underWay > 0) await this.schedule.park(resume => this.waiting.push(resume))
    else this.begin()
  }

  /** Somebody who was expected does not come. */
  stayAway(): void {
    this.underWay--
    if (this.underWay === 0) this.begin()
  }

  private begin(): void {
    for (const resume of this.waiting.splice(0)) resume()
  }
}
