/** The price of a plan: what it asks of a Core that does nothing odd. */
import type { Price } from '../../result.js'
import { sizeOf } from '../../suite/family.js'
import { allSteps, type Step } from '../../suite/spec.js'
import { sharedSteps } from './sharing.js'
import { isJoined, type Unit } from './units.js'

/** Returns the price of units, without the survey, in all within a tenth of what is sent. What a unit shares counts once. */
export function priceOf(units: readonly Unit[]): Price {
  const steps = units.flatMap(sentSteps)
  const logons = steps.reduce((sum, step) => sum + logonsOf(step), 0)
  // Each token is given back.
  const given = steps.filter(({ action }) => action === 'logon').length
  return { requests: steps.reduce((sum, step) => sum + requestsOf(step), given), logons }
}

/** Returns the steps that a unit sends. */
function sentSteps(unit: Unit): Step[] {
  if (!isJoined(unit)) return unit.flatMap(allSteps)
  const { first, before, last } = sharedSteps(unit)
  return unit.flatMap((spec, index) => {
    const { given, steps } = spec
    if (index === 0) return allSteps(spec)
    const looks = given.slice(given.length - before).filter(({ action }) => action !== 'logon')
    return [...given.slice(first, given.length - before), ...looks, ...steps.slice(0, steps.length - last)]
  })
}

function requestsOf(step: Step): number {
  if (step.action === 'logon') return 1
  if (step.action !== 'send') return 0
  const { each, bracket, times } = step
  if (each?.row !== undefined) return 1
  if (each?.dimensions)
    return (step.expect.includes('revoked') ? 3 : 1) * rowsOf(each.dimensions.map(sizeOf), bracket !== undefined)
  return each ? (each.only?.length ?? sizeOf(each)) * (bracket === undefined ? 1 : 2) : times
}

function logonsOf(step: Step): number {
  return step.action === 'logon' || (step.action === 'send' && step.role === 'logon') ? requestsOf(step) : 0
}

/**
 * About how many requests rows take: one for each variation of the largest family, half as many before them, and, with a good
 * token, one for each three variations. Pairs take more; a plan does not know which Core it is for.
 */
function rowsOf(sizes: readonly number[], isBracketed: boolean): number {
  const variations = sizes.reduce((sum, size) => sum + size, 0)
  return Math.round(Math.max(...sizes) * 1.3 + (isBracketed ? variations / 3 : 0))
}
