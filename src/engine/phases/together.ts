import { pauses, reachesOthers, type Spec } from '../../suite/spec.js'
import type { RunContext } from '../context.js'
import { priceOf } from '../plan/price.js'
import { inChains } from '../plan/sharing.js'
import { toUnits, type Unit } from '../plan/units.js'
import { type Death, mayHaveExpired } from '../run-events.js'
import { Alone } from './alone.js'
import { isToConfirm } from './confirm.js'
import { Meeting } from './meeting.js'
import { type Attempt, latest, type PhaseContext, withRoom } from './phase.js'
import { UnitRunner } from './unit-runner.js'

/** Specs that share tokens take this part of their lifetime together. */
const YOUNG = 0.5

/**
 * Runs specs side by side, as far as the Core and the user allow: specs that affect only their own tokens, and specs
 * that watch bystanders.
 */
export class Together {
  constructor(private readonly phase: PhaseContext) {}

  /**
   * Runs the specs, and reports the outcomes that need not be confirmed.
   * @returns the attempts to confirm
   */
  async run(specs: readonly Spec[]): Promise<Attempt[]> {
    return this.settled(await this.all(specs))
  }

  /**
   * Runs specs that else run alone, in several lanes side by side. What they do to each other is seen as in {@link run}: who lost a
   * token, and who may have ended it, is tried once more, alone.
   * @returns the attempts to confirm
   */
  async inLanes(specs: readonly Spec[]): Promise<Attempt[]> {
    const left = withLongestAhead(inChains(specs), this.phase.context.covering)
    const lanes = Array.from({ length: Math.min(this.phase.context.lanes, left.length) }, () => {
      return new Alone(this.phase, true).inTurn(() => left.shift())
    })
    return this.settled((await allSettled(lanes)).flat())
  }

  private async settled(attempts: Attempt[]): Promise<Attempt[]> {
    const roomy = await withRoom(this.phase, attempts, this.died(attempts), again => this.all(again))
    // What they share is sent once more for all of them, and not for each.
    const blocked = roomy.filter(({ end }) => end.isJoined && !end.dead && end.record.outcome === 'blocked')
    const last = blocked.length > 1 ? latest(roomy, await this.all(blocked.map(({ spec }) => spec))) : roomy
    const open = this.open(last)
    for (const { spec, end } of last.filter(attempt => !open.includes(attempt))) this.phase.ended(spec, end)
    return open
  }

  private async all(specs: readonly Spec[]): Promise<Attempt[]> {
    // These specs go together: some token of theirs shows any effect of a request on other tokens, also a late one.
    const watched = this.sideBySide(specs.filter(pauses), new Meeting(this.phase.context.schedule))
    // While those wait for late effects the others go on.
    const others = watched.begun.then(() => this.sideBySide(specs.filter(spec => !pauses(spec))).ended)
    return (await allSettled([watched.ended, others])).flat()
  }

  /** @returns `begun`: each unit only waits a moment, or is over; `ended`: all are */
  private sideBySide(
    specs: readonly Spec[],
    meeting?: Meeting,
  ): { begun: Promise<unknown>; ended: Promise<Attempt[]> } {
    const { context } = this.phase
    const runner = new UnitRunner(this.phase, { ...(meeting && { meeting }) })
    const units = toUnits([...specs], context.parts, context.dialect.sessions === 'many', this.leastUnits(specs))
    const inTurn = async (left: Unit[]) => {
      const ends: Promise<Attempt[]>[] = []
      for (let unit = left.shift(); unit; unit = left.shift()) {
        const { begun, ended } = runner.start(unit)
        ends.push(ended)
        await begun
      }
      return ends
    }
    const isWatching = (unit: Unit) => unit.some(({ bystanders }) => bystanders !== undefined)
    const [watching, others] = [units.filter(isWatching), units.filter(unit => !isWatching(unit))]
    const lanes = () => {
      // No more than there are connections: what needs one would wait until another unit ends. What takes longest goes first.
      const left = units.sort((one, other) => turnsOf(other, context.covering) - turnsOf(one, context.covering))
      return Array.from({ length: context.lanes }, () => inTurn(left))
    }
    // One after another, so that a request that ends all tokens costs one set of bystanders. On a slow Core that takes too long.
    // What logs on or revokes comes before there are any.
    const turns = () =>
      meeting ? [inTurn([...others, ...watching])] : [...others.map(unit => inTurn([unit])), inTurn(watching)]
    const begun = Promise.all(context.lanes > 1 ? lanes() : turns())
    return { begun, ended: begun.then(async ends => (await allSettled(ends.flat())).flat()) }
  }

  /** Returns how many units specs make at least, so that what a unit shares lives until the last of it has looked. */
  private leastUnits(specs: readonly Spec[]): number {
    const { lanes, answerMs, lifetime, session, covering } = this.phase.context
    const eachMs = Math.max(answerMs, session.pacer.spacingMs('any'))
    return Math.max(
      lanes,
      Math.ceil((priceOf([[...specs]], { covering }).requests * eachMs) / (lifetime.lifetimeMs * YOUNG)),
    )
  }

  /** Returns those of which something ended a token before its time. */
  private died(attempts: readonly Attempt[]): Attempt[] {
    const { lifetime } = this.phase.context
    return attempts.filter(({ end }) => end.dead && !mayHaveExpired(end.dead, lifetime))
  }

  /** Returns the attempts to run once more, alone: those that went wrong, and those that may be the cause. */
  private open(attempts: readonly Attempt[]): Attempt[] {
    const { requests } = this.phase.context.parts
    const dead = this.died(attempts)
    const isSuspect = ({ spec, end: { record } }: Attempt) =>
      (spec.bystanders !== undefined || reachesOthers(spec, requests)) &&
      dead.some(({ end }) => end.dead && overlaps(record, end.dead))
    return attempts.filter(attempt => isToConfirm(attempt.end) || isLate(attempt.end) || isSuspect(attempt))
  }
}

/** Moves the longest spec to the front, so that it is not the only one under way in the end. The others stay in their order. */
function withLongestAhead(specs: readonly Spec[], covering: RunContext['covering']): Spec[] {
  const longest = specs.toSorted((one, other) => turnsOf([other], covering) - turnsOf([one], covering)).slice(0, 1)
  return [...longest, ...specs.filter(spec => !longest.includes(spec))]
}

/** Returns about how many turns a unit takes: before each logon that should be refused comes a good one, which is given back. */
function turnsOf(unit: Unit, covering: RunContext['covering']): number {
  const { requests, logons } = priceOf([unit], { covering })
  return requests + 2 * logons
}

/** Whether a spec looked too late. By itself it takes less time, which matters on a slow Core with a short lifetime. */
export function isLate({ record: { outcome, steps } }: Attempt['end']): boolean {
  return outcome === 'inconclusive' && steps.some(step => step.outcome === 'missed window')
}

/** Whether a spec was under way when a token of another spec died. */
function overlaps({ atMs, durationMs }: Attempt['end']['record'], { aliveMs, deadMs }: Death): boolean {
  return atMs <= deadMs && atMs + durationMs >= aliveMs
}

/** Waits for all promises, then throws the error of the first that failed. */
export async function allSettled<T>(promises: Promise<T>[]): Promise<T[]> {
  const ends = await Promise.allSettled(promises)
  return ends.map(end => {
    if (end.status === 'rejected') throw end.reason
    return end.value
  })
}
