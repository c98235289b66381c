import type { Schedule } from '../schedule.js'

/**
 * Lets specs wait for each other: each one goes on when all that are under way have come. So no spec gives its tokens
 * back, or starts anew, before every spec has seen whether its tokens are alive.
 */
export class Meeting {
  private underWay = 0
  private readonly waiting: (() => void)[] = []

  constructor(private readonly schedule: Schedule) {}

  /** Notes that a spec is under way. The others wait for it until {@link Meeting.come} or {@link Meeting.stayAway}. */
  expect(): void {
    this.underWay++
  }

  /** Waits for all that are under way. Call it within a task. @throws Detached */
  async come(): Promise<void> {
    this.underWay--
    if (this.underWay > 0) await this.schedule.park(resume => void this.waiting.push(resume))
    else this.begin()
  }

  /** Notes that an expected spec does not come. */
  stayAway(): void {
    this.underWay--
    if (this.underWay === 0) this.begin()
  }

  private begin(): void {
    for (const resume of this.waiting.splice(0)) resume()
  }
}
