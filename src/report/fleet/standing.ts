/** How far a fleet is, over all its Cores. */
import { duration, durationRange } from '../../duration.js'
import type { FleetCore } from '../../fleet/types.js'
import { count } from '../../ground/count.js'
import type { RunActivity } from '../activity.js'
import { timeOfDay } from '../view.js'

const SECOND = 1000

/** The progress of one Core. */
export interface State {
  name: string
  activity?: RunActivity
  isUnderWay: boolean
  core?: FleetCore
}

/**
 * Says how far a fleet is: `1 of 3 Cores done, 2 under way with 40 of 120 specs done; about 2 to 3 min left.`
 * @param nowMs epoch milliseconds
 */
export function standingText(states: readonly State[], nowMs: number): string {
  const { ended, running, endsMs, leftMs, specs } = standing(states, nowMs)
  const last = (ms: number) =>
    `, the last until ${timeOfDay(ms)} (${duration(Math.ceil((ms - nowMs) / SECOND) * SECOND)} left)`
  const left = endsMs !== undefined ? last(endsMs) : leftMs ? `; ${durationRange(leftMs)} left` : ''
  const now = running > 0 ? `, ${running} under way with ${specs}` : ''
  return `${ended} of ${count(states.length, 'Core')} done${now}${left}.`
}

/** Returns the figures of a fleet. @param nowMs epoch milliseconds */
export function standing(states: readonly State[], nowMs: number) {
  const open = states.filter(({ core }) => !core)
  const now = open.flatMap(({ isUnderWay, activity }) => (isUnderWay && activity ? [activity] : []))
  const ends = now.map(({ endsMs }) => endsMs)
  // The last Core ends the fleet. One that has not begun, or whose end nobody knows, may be that one.
  const isAll = now.length > 0 && now.length === open.length
  const isKnown = isAll && ends.every(ms => ms > nowMs)
  const lefts = now.flatMap(({ endsMs, leftMs = [endsMs - nowMs, endsMs - nowMs] as const }) =>
    leftMs[1] > 0 ? [leftMs] : [],
  )
  const longest = (bound: 0 | 1) => Math.max(...lefts.map(left => left[bound]))
  return {
    ended: states.filter(({ core }) => core).length,
    running: states.filter(({ isUnderWay }) => isUnderWay).length,
    endsMs: isKnown ? Math.max(...ends) : undefined,
    leftMs: isAll && lefts.length === now.length ? ([longest(0), longest(1)] as const) : undefined,
    specs: `${sum(now.map(({ done }) => done))} of ${count(sum(now.map(({ total }) => total)), 'spec')} done`,
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0)
}
