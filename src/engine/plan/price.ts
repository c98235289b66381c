/** The price of a plan: what it asks of a Core that does nothing odd. */
import { REFUSED_AT_ONCE, REFUSED_TO_CONFIRM } from '../../core/refused-logons.js'
import type { Price } from '../../result.js'
import { CONFIGURATION } from '../../settings/configuration.js'
import { sizeOf } from '../../suite/family.js'
import { allSteps, isWrongLogon, type SendStep, type Step } from '../../suite/spec.js'
import { ShapeBook } from '../shape-book.js'
import { Rows } from '../steps/rows.js'
import type { Value } from '../variations.js'
import { sampleValues } from './planned-rows.js'
import { sentSteps } from './sharing.js'
import { isJoined, type Unit } from './units.js'

/**
 * Returns the price of units, without the survey and the rows that only pairs need. What a unit shares counts once. Measured on a
 * Core without peculiarities: a sixth less than a full run sends, and a fifth more than a quick one.
 */
export function priceOf(units: readonly Unit[], takenOver = 0): Price {
  const steps = units.flatMap(unit => (isJoined(unit) ? sentSteps(unit).flat() : unit.flatMap(allSteps)))
  const known = new ShapeBook()
  const left = leftOut(steps, known)
  const logons = steps.reduce((sum, step) => sum + logonsOf(step, known), 0) - left.logons - takenOver
  // Each token is given back.
  const given = steps.filter(({ action }) => action === 'logon').length
  return {
    requests: steps.reduce((sum, step) => sum + requestsOf(step, known), given) - left.requests - 2 * takenOver,
    logons,
  }
}

/** Returns what the budget of refused logons keeps from being sent. */
function leftOut(steps: readonly Step[], known: ShapeBook): Price {
  const families = steps.filter(isRefusedFamily)
  const sizes = (isSpread: boolean) =>
    families
      .filter(step => (step.isSpread === true) === isSpread)
      .reduce((sum, step) => sum + requestsOf(step, known), 0)
  const [together, spread] = [sizes(false), sizes(true)]
  const leftAtOnce = REFUSED_AT_ONCE - REFUSED_TO_CONFIRM - steps.filter(isWrongLogon).length
  const sentTogether = Math.min(together, Math.max(0, leftAtOnce))
  const most = CONFIGURATION.maxRefusedLogons.usual - REFUSED_AT_ONCE
  const sentSpread = Math.min(most, Math.max(0, spread - sentTogether))
  // A good logon, which is given back, comes before each that is sent by itself.
  return {
    requests: together - sentTogether + spread - 3 * sentSpread,
    logons: together - sentTogether + spread - 2 * sentSpread,
  }
}

function isRefusedFamily(step: Step): step is SendStep {
  if (step.action !== 'send' || step.role !== 'logon' || !step.each || step.each.only) return false
  return step.expect.includes('nothing issued') && !step.without.includes('Host')
}

function requestsOf(step: Step, known: ShapeBook): number {
  if (step.action === 'logon') return 1
  if (step.action !== 'send') return 0
  const { each, bracket, times } = step
  if (each?.dimensions) return (step.expect.includes('revoked') ? 3 : 1) * rowsOf(step, known)
  return each ? (each.only?.length ?? sizeOf(each)) * (bracket === undefined ? 1 : 2) : times
}

function logonsOf(step: Step, known: ShapeBook): number {
  return step.action === 'logon' || (step.action === 'send' && step.role === 'logon') ? requestsOf(step, known) : 0
}

/**
 * Returns how many requests the rows of a step take, with those before them on their connections, and those that find out what the
 * Core takes and no step did before. Pairs take more; a plan does not know which Core it is for.
 */
function rowsOf(step: SendStep, known: ShapeBook): number {
  const own = { method: 'GET', path: step.request }
  const rows = new Rows(step, sampleValues, own, known)
  const sent = rows.plan({ strength: 'values', seed: 1 })
  const isBehind = ({ listed }: Value) => listed?.after !== undefined || listed?.pipelined === true
  const before = sent.filter(row => row.some(isBehind)).length
  // Nothing is proven by requests that have effects.
  const isUnsafe = step.role === 'logon' || step.role === 'revoke'
  const proven = step.bracket === undefined || isUnsafe ? [] : rows.groups(sent)
  for (const { listed } of proven.flat()) if (listed) known.note(own, listed)
  known.turn()
  return sent.length + before + proven.length
}
