import type { Lane, Plan } from '../../result.js'
import { pauses, type Spec } from '../../suite/spec.js'
import type { RequestParts } from '../requests.js'
import type { Lifetime } from '../window.js'
import { type Need, oneByOneMs, type Timeline, timelineOf } from './timeline.js'
import { isWaiting, tokensNeeded, toUnits, type Unit } from './units.js'

/** How many tokens a run holds at a time beside those that wait, so that a Core with a modest limit is not run into it. */
export const TOKENS_BESIDE_WAITING = 4

/** So many are held at a time by specs that wait no more than a moment, so that their moments pass at the same time: some six specs. */
const TOKENS_FOR_MOMENTS = 32

/** What a plan is made from. */
export interface PlanOptions {
  specs: Spec[]
  parts: Pick<RequestParts, 'requests'>
  lifetime: Lifetime
  /** How many tokens may be held at a time; null: as many as one lifetime needs. */
  maxTokens: number | null
}

/** Plans a run before anything is sent: what waits when, with which token, and how long that takes. */
export function planRun({ specs, parts, lifetime, maxTokens }: PlanOptions): Plan {
  const all = toUnits(specs, parts)
  const wanted = tokensWanted(all)
  const room = Math.min(maxTokens ?? wanted, wanted)
  const units = longestFirst(
    all.filter(unit => tokensNeeded(unit) <= room),
    lifetime,
  )
  const pack = (capacity: number) => packed(units, capacity, lifetime)
  const { durationMs, lanes, tokens } = pack(room)
  return {
    specs: specs.length,
    durationMs,
    unlimitedMs: pack(wanted).durationMs,
    oneByOneMs: oneByOneMs(specs, lifetime),
    tokens: Math.min(Math.max(tokens + TOKENS_BESIDE_WAITING, tokensForMoments(all)), room),
    lanes,
  }
}

/** How long units take whose waits share so many tokens; more than there are counts as all, as in the budget of the run. */
export function durationMs(units: Unit[], capacity: number, lifetime: Lifetime): number {
  return packed(longestFirst(units, lifetime), capacity, lifetime).durationMs
}

/** How many tokens are held when all that waits does so at once. */
export function tokensWanted(units: Unit[]): number {
  const needs = (of: Unit[]) => of.map(tokensNeeded)
  const waiting = sum(needs(units.filter(isWaiting)))
  const beside = Math.max(TOKENS_BESIDE_WAITING, ...needs(units.filter(unit => !isWaiting(unit))))
  return Math.max(waiting + beside, tokensForMoments(units))
}

function tokensForMoments(units: Unit[]): number {
  const short = units.filter(unit => !isWaiting(unit) && unit.some(pauses))
  return Math.min(sum(short.map(tokensNeeded)), TOKENS_FOR_MOMENTS)
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/**
 * The units in the order in which they are started. Those that wait come first, the longest before the others, so that none
 * is started late; where they do not fit at once, the short ones do, which give their tokens back soon.
 */
export function longestFirst(units: Unit[], lifetime: Lifetime, fitAtOnce = true): Unit[] {
  const waiting = units.filter(isWaiting)
  const short = units.filter(unit => !isWaiting(unit))
  const duration = new Map(waiting.map(unit => [unit, timelineOf(unit, lifetime).durationMs]))
  const sorted = waiting.sort((a, b) => (duration.get(b) ?? 0) - (duration.get(a) ?? 0))
  return fitAtOnce ? [...sorted, ...short] : [...short, ...sorted]
}

interface Held extends Need {
  untilMs: number
}

/** Starts every unit as soon as there are tokens for all of it, in order, like the budget of the run. */
function packed(units: Unit[], capacity: number, lifetime: Lifetime) {
  const held: Held[] = []
  const lanes: Lane[] = []
  let now = 0
  let durationMs = 0
  let tokens = 0
  for (const unit of units.filter(isWaiting)) {
    const timeline = timelineOf(unit, lifetime)
    const wanted = Math.min(timeline.needs[0]?.tokens ?? 0, capacity)
    while (heldAt(held, now) + wanted > capacity) {
      const next = held.map(({ untilMs }) => untilMs).filter(ms => ms > now)
      if (!next.length) break
      now = Math.min(...next)
    }
    held.push(...stretches(timeline, now))
    tokens = Math.max(tokens, heldAt(held, now))
    durationMs = Math.max(durationMs, now + timeline.durationMs)
    lanes.push(...timeline.lanes.map(lane => later(lane, now)))
  }
  return { durationMs, tokens, lanes }
}

/** The stretches of a timeline with the number of tokens held in each. */
function stretches({ needs, durationMs }: Timeline, startMs: number): Held[] {
  return needs.map(({ fromMs, tokens }, index) => ({
    fromMs: startMs + fromMs,
    untilMs: startMs + (needs[index + 1]?.fromMs ?? durationMs),
    tokens,
  }))
}

function heldAt(held: Held[], ms: number): number {
  return held.filter(({ fromMs, untilMs }) => fromMs <= ms && ms < untilMs).reduce((sum, { tokens }) => sum + tokens, 0)
}

function later(lane: Lane, byMs: number): Lane {
  const events = lane.events.map(({ atMs, kind }) => ({ atMs: atMs + byMs, kind }))
  return { ...lane, fromMs: lane.fromMs + byMs, toMs: lane.toMs + byMs, events }
}
