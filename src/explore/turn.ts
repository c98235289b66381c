import type { Stillness } from '../engine/explorer.js'
import type { Schedule } from '../engine/schedule.js'
import type { StretchGate } from '../engine/steps/spec-talk.js'
import type { Spaced } from './pace.js'

/** Lets one lane act at a time, so that no lane mistakes the effects of another for what it looks for. */
export class Turn {
  private isTaken = false
  private readonly queue: (() => void)[] = []

  constructor(private readonly schedule: Schedule) {}

  /** Waits for the turn. Call it within a task. @throws Detached */
  async take(): Promise<void> {
    if (!this.isTaken) {
      this.isTaken = true
      return
    }
    await this.schedule.park(resume => this.queue.push(resume))
  }

  /** Hands the turn to the lane that has waited longest. */
  give(): void {
    const next = this.queue.shift()
    if (next) next()
    else this.isTaken = false
  }
}

/**
 * Gates the steps of a sequence. The sequence keeps the turn between its waits. Each step begins when the pace allows
 * it and no spec looks.
 */
export class StepGate implements StretchGate {
  private isInside = false
  private hasTurn = false

  /** @param turn absent where this lane holds the turn already */
  constructor(
    private readonly pace: Spaced,
    private readonly quiet: Stillness,
    private readonly turn?: Turn,
  ) {}

  async enter(): Promise<void> {
    this.step()
    if (!this.hasTurn) await this.turn?.take()
    this.hasTurn = true
    await this.pace.ready()
    await this.quiet.enter('stirs')
    this.isInside = true
  }

  leave(): void {
    this.step()
    if (this.hasTurn) this.turn?.give()
    this.hasTurn = false
  }

  private step(): void {
    if (this.isInside) this.quiet.leave()
    this.isInside = false
  }
}
