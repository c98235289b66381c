/** The price of a plan: what it asks of a Core that does nothing odd. */
import { REFUSED_AT_ONCE, REFUSED_TO_CONFIRM } from '../../core/refused-logons.js'
import type { Price } from '../../result.js'
import { CONFIGURATION } from '../../settings/configuration.js'
import { type Each, sizeOf } from '../../suite/family.js'
import { allSteps, isWrongLogon, type SendStep, type Spec, type Step } from '../../suite/spec.js'
import { RUN_TOKENS } from '../../suite/step-words.js'
import type { RunContext } from '../context.js'
import { ShapeBook } from '../shape-book.js'
import type { Value } from '../steps/row-values.js'
import { Rows } from '../steps/rows.js'
import { TOKENS_OF_RUN } from '../steps/run-tokens.js'
import { sampleValues } from './planned-rows.js'
import { sentSteps } from './sharing.js'
import { isJoined, type Unit } from './units.js'

/** How a run sends units, and which part of that is wanted. */
export interface Pricing {
  covering: RunContext['covering']
  /** How many specs take over the token of another one. */
  takenOver?: number
  /** Whether only what comes before the first wait of each spec counts. */
  isBeforeWaits?: boolean
}

/**
 * Returns the price of units, without the survey. What a unit shares counts once. Measured on a Core without peculiarities: within a tenth
 * of what a quick run sends, and of a full one before it explores.
 */
export function priceOf(units: readonly Unit[], { covering, takenOver = 0, isBeforeWaits = false }: Pricing): Price {
  const stepsOf = (spec: Spec) => (isBeforeWaits ? beforeWait(spec) : allSteps(spec))
  const steps = units.flatMap(unit => (isJoined(unit) ? sentSteps(unit).flat() : unit.flatMap(stepsOf)))
  const prices = new StepPrices(covering)
  const left = leftOut(steps, prices)
  // Each token is given back.
  const given = steps.filter(({ action }) => action === 'logon').length
  const all = sumOf(steps.map(step => prices.of(step)))
  return {
    requests: all.requests + given - left.requests - 2 * takenOver,
    logons: all.logons - left.logons - takenOver,
  }
}

function beforeWait(spec: Spec): Step[] {
  const steps = allSteps(spec)
  const wait = steps.findIndex(step => step.action === 'wait' || (step.action === 'send' && step.isSpread))
  return wait < 0 ? steps : steps.slice(0, wait)
}

function sumOf(prices: readonly Price[]): Price {
  return {
    requests: prices.reduce((sum, { requests }) => sum + requests, 0),
    logons: prices.reduce((sum, { logons }) => sum + logons, 0),
  }
}

/** Returns what the budget of refused logons keeps from being sent. */
function leftOut(steps: readonly Step[], prices: StepPrices): Price {
  const families = steps.filter(isRefusedFamily)
  const sizes = (isSpread: boolean) =>
    sumOf(families.filter(step => (step.isSpread === true) === isSpread).map(step => prices.of(step))).requests
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

/** The price of one step after another. What the rows of one show of the Core, those of the next need not ask. */
class StepPrices {
  private readonly known = new ShapeBook()

  constructor(private readonly covering: RunContext['covering']) {}

  of(step: Step): Price {
    if (step.action === 'logon') return { requests: 1, logons: 1 }
    if (step.action !== 'send') return { requests: 0, logons: 0 }
    const { each, times, role, token } = step
    const sent = RUN_TOKENS.has(token?.name ?? '') ? TOKENS_OF_RUN : each ? this.variations(step, each) : times
    // A token is issued for each, looked at, and revoked.
    const hasToken = each !== undefined && (step.expect.includes('issued') || step.expect.includes('revoked'))
    return { requests: hasToken ? 3 * sent : sent, logons: hasToken || role === 'logon' ? sent : 0 }
  }

  private variations(step: SendStep, each: Each): number {
    if (each.dimensions) return this.rows(step)
    return (each.only?.length ?? sizeOf(each)) * (step.bracket === undefined ? 1 : 2)
  }

  /**
   * Returns how many requests the rows of a step take, with those before them on their connections, and those that find out what the
   * Core takes and no step did before.
   */
  private rows(step: SendStep): number {
    const { known, covering } = this
    const own = { method: 'GET', path: step.request }
    const rows = new Rows(step, sampleValues, own, known)
    const sent = rows.plan(covering)
    const isBehind = ({ listed }: Value) => listed?.after !== undefined || listed?.pipelined === true
    const before = sent.filter(row => row.some(isBehind)).length
    // Nothing is proven by requests that have effects.
    const isUnsafe = step.role === 'logon' || step.role === 'revoke'
    const proven = step.bracket === undefined || isUnsafe ? [] : rows.groups(sent)
    for (const { listed } of proven.flat()) if (listed) known.note(own, listed)
    known.turn()
    return sent.length + before + proven.length
  }
}
