import type { Lane, Plan } from '../../result.js'
import { pauses, type Spec } from '../../suite/spec.js'
import type { RunContext } from '../context.js'
import type { Templates } from '../requests.js'
import type { Lifetime } from '../window.js'
import { priceOf } from './price.js'
import { takenOver } from './sharing.js'
import { type Need, oneByOneMs, type Timeline, timelineOf } from './timeline.js'
import { isWaiting, tokensNeeded, toUnits, type Unit } from './units.js'

/** Tokens that a run holds besides those that wait, be it for a moment: few, so that a Core with a modest limit does not refuse any. */
export const TOKENS_BESIDE_WAITING = 4

/**
 * Most tokens held by specs that wait only a moment, so that their moments pass at the same time: enough for about six
 * specs.
 */
const TOKENS_FOR_MOMENTS = 32

/** The inputs of a plan. */
export interface PlanOptions {
  specs: Spec[]
  parts: Templates
  lifetime: Lifetime
  covering: RunContext['covering']
  /** Most tokens held at a time; null: as many as one lifetime needs. */
  maxTokens: number | null
}

/** Plans a run before anything is sent: which specs wait when, with which token, and how long that takes. */
export function planRun({ specs, parts, lifetime, covering, maxTokens }: PlanOptions): Plan {
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
    tokens: Math.min(Math.max(tokens, tokensForMoments(all)) + TOKENS_BESIDE_WAITING, room),
    price: priceOf(all, { covering, takenOver: takenOver(specs, parts) }),
    lanes,
  }
}

/**
 * Returns how long units take whose waits share this many tokens, in milliseconds. A unit that needs more gets all of
 * them, as in the budget of the run.
 */
export function durationMs(units: Unit[], capacity: number, lifetime: Lifetime): number {
  return packed(longestFirst(units, lifetime), capacity, lifetime).durationMs
}

/** Returns how many tokens are held when all specs wait at the same time. */
export function tokensWanted(units: Unit[]): number {
  const needs = (of: Unit[]) => of.map(tokensNeeded)
  const waiting = sum(needs(units.filter(isWaiting)))
  const beside = Math.max(TOKENS_BESIDE_WAITING, ...needs(units.filter(unit => !isWaiting(unit))))
  return Math.max(waiting, tokensForMoments(units)) + beside
}

function tokensForMoments(units: Unit[]): number {
  const short = units.filter(unit => !isWaiting(unit) && unit.some(pauses))
  return Math.min(sum(short.map(tokensNeeded)), TOKENS_FOR_MOMENTS)
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/**
 * Sorts units in the order of their start. Units that wait come first, the longest before the others, so that none
 * starts late. Where they do not fit at the same time, short units come first: they give their tokens back soon.
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

/** Starts every unit as soon as there are tokens for all of it, in order, as the budget of the run does. */
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

/** Returns the stretches of a timeline, with the tokens held in each. */
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
