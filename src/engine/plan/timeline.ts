import type { Lane } from '../../result.js'
import { revokes, type Spec, type Step, type WaitStep, wantsAlive } from '../../suite/spec.js'
import { type Lifetime, spanMs } from '../window.js'
import type { Unit } from './units.js'

/** The course of a unit if exchanges took no time. Times count from its start, in milliseconds. */
export interface Timeline {
  durationMs: number
  lanes: Lane[]
  /** How many tokens it still has to hold from each moment on. The numbers fall; the first moment is 0. */
  needs: Need[]
  /** The ends of its waits, at which a process has to continue it. */
  stops: Stop[]
}

/** The end of a wait: the next step is useful from the first moment to the second. */
export interface Stop {
  fromMs: number
  /** Infinity: there is no latest moment. */
  untilMs: number
}

/** A number of tokens that is needed from a moment on. */
export interface Need {
  fromMs: number
  tokens: number
}

/** Computes the course of a unit, in the order in which the engine runs it. */
export function timelineOf(unit: Unit, lifetime: Lifetime): Timeline {
  const book = new Book(unit, lifetime)
  for (const spec of unit) book.play(spec.given)
  for (const spec of unit) book.play(spec.steps)
  return { durationMs: book.now, lanes: [...book.lanes.values()], needs: book.needs(), stops: book.stops }
}

/** Returns the sum of all waits of the specs: the time that they take one after another. */
export function oneByOneMs(specs: Spec[], lifetime: Lifetime): number {
  return specs.reduce((sum, spec) => sum + timelineOf([spec], lifetime).durationMs, 0)
}

class Book {
  now = 0
  readonly lanes = new Map<string, Lane>()
  readonly stops: Stop[] = []
  private readonly lastUse = new Map<string, number>()
  /** Tokens that have expired. A later use changes nothing. */
  private readonly lapsed = new Set<string>()
  private readonly held = new Set<string>()
  private readonly counts: Need[] = []

  constructor(
    private readonly unit: Unit,
    private readonly lifetime: Lifetime,
  ) {}

  play(steps: Step[]): void {
    for (const [index, step] of steps.entries()) {
      this.step(step)
      if (step.action === 'wait') this.stop(step, steps.slice(index + 1))
      this.counts.push({ fromMs: this.now, tokens: this.held.size })
    }
  }

  /** Returns the most tokens needed from each moment on. */
  needs(): Need[] {
    const needs: Need[] = []
    let most = 0
    for (const { fromMs, tokens } of this.counts.reverse()) {
      most = Math.max(most, tokens)
      if (needs[0]?.tokens === most) needs[0].fromMs = fromMs
      else needs.unshift({ fromMs, tokens: most })
    }
    if (needs[0]) needs[0].fromMs = 0
    return needs
  }

  private step(step: Step): void {
    switch (step.action) {
      case 'logon':
        if (!this.lanes.has(step.token)) this.note(step.token, 'issued')
        this.lastUse.set(step.token, this.now)
        this.held.add(step.token)
        break
      case 'wait': {
        if (step.span === 'past lifetime' && this.lapsed.has(step.token)) break
        const issued = this.lanes.get(step.token)?.fromMs ?? 0
        const from = step.since === 'issued' ? issued : (this.lastUse.get(step.token) ?? issued)
        this.now = Math.max(this.now, from + spanMs(step.span, this.lifetime))
        if (step.span === 'past lifetime' && step.since === 'used') this.lapsed.add(step.token)
        break
      }
      case 'send': {
        const { token, expect } = step
        if (step.isSpread) this.now = Math.max(this.now, this.lifetime.lifetimeMs)
        // A token that is only like it is no use of it.
        if (!token || token.change !== undefined || !this.lanes.has(token.name)) break
        const isRevoked = revokes(step)
        const keepsAlive = !this.lapsed.has(token.name) && !expect.includes('expired') && !expect.includes('rejected')
        this.note(token.name, isRevoked ? 'revoked' : keepsAlive ? 'used' : 'checked')
        if (isRevoked) this.held.delete(token.name)
        else if (keepsAlive) this.lastUse.set(token.name, this.now)
      }
    }
  }

  /** Notes the end of a wait. A token that should be alive after it must not be unused for too long by then. */
  private stop({ token, since, before }: WaitStep, following: Step[]): void {
    const { lifetimeMs, tolerance } = this.lifetime
    const next = following.find(step => step.action === 'send' || step.action === 'logon')
    const used = next?.action === 'send' && wantsAlive(next) ? this.lastUse.get(next.token?.name ?? '') : undefined
    const from = since === 'issued' ? this.lanes.get(token)?.fromMs : this.lastUse.get(token)
    const limits = [
      used === undefined ? Number.POSITIVE_INFINITY : used + lifetimeMs * (1 - tolerance),
      before === undefined || from === undefined ? Number.POSITIVE_INFINITY : from + lifetimeMs * before,
    ]
    this.stops.push({ fromMs: this.now, untilMs: Math.min(...limits) })
  }

  private note(token: string, kind: Lane['events'][number]['kind']): void {
    const { now } = this
    const lane = this.lanes.get(token) ?? {
      specs: this.unit.map(({ id }) => id),
      token,
      fromMs: now,
      toMs: now,
      events: [],
    }
    lane.toMs = now
    if (!lane.events.some(event => event.atMs === now && event.kind === kind)) lane.events.push({ atMs: now, kind })
    this.lanes.set(token, lane)
  }
}

/**
 * Finds the fewest moments at which a process has to come back so that each wait continues in time. (Greedy interval
 * stabbing, by earliest end.)
 * @param stops the ends of the waits, on any clock
 * @param leewayMs how long before the end of a window a process has to be there
 * @returns the visits in order; any moment of a visit serves all its waits
 */
export function visitsFor(stops: Stop[], leewayMs: number): Stop[] {
  const left = [...stops].sort((a, b) => a.untilMs - b.untilMs || a.fromMs - b.fromMs)
  const visits: Stop[] = []
  while (left[0]) {
    const untilMs = Math.max(left[0].untilMs - leewayMs, left[0].fromMs)
    const served = left.filter(stop => stop.fromMs <= untilMs)
    visits.push({ fromMs: Math.max(...served.map(stop => stop.fromMs)), untilMs })
    for (const stop of served) left.splice(left.indexOf(stop), 1)
  }
  return visits
}
