/** Counts the specs of a run, so that the numbers say of what they are, and add up. */
import { count } from '../ground/count.js'
import { countedAs, isSpec, MARKS } from '../result/outcomes.js'
import { scopeIn } from '../result/scope.js'
import { OUTCOMES, type Outcome, type RunResult } from '../result.js'

/** A part of all specs. */
export interface Share {
  /** The outcome whose mark and colour the part has. */
  outcome: Outcome
  /** The number with its outcome: `2 failed`, `9 not selected`. */
  text: string
}

/** Counts all specs of the suite, and those of each outcome or not selected, which add up to it. */
export function sharesOf(result: RunResult): { all: string; shares: Share[] } {
  const specs = result.specs.filter(isSpec)
  const all = scopeIn(result).specs
  const shares = OUTCOMES.flatMap((outcome): Share[] => {
    const number = specs.filter(spec => spec.outcome === outcome).length
    return number > 0 ? [{ outcome, text: countedAs(number, outcome) }] : []
  })
  const left = all - specs.length
  const rest: Share[] = left > 0 ? [{ outcome: 'skipped', text: `${left} not selected` }] : []
  return { all: count(all, 'spec'), shares: [...shares, ...rest] }
}

/** Says in a line how many specs of the suite had each outcome: `209 specs: ✓ 148 passed, – 61 not selected`. */
export function specsText(result: RunResult): string {
  const { all, shares } = sharesOf(result)
  return `${all}${shares.length > 0 ? `: ${shares.map(({ outcome, text }) => `${MARKS[outcome]} ${text}`).join(', ')}` : ''}`
}

/** Says how many pinned facts held: `33 pinned facts: 31 as they were, 2 drifted`; undefined where none is pinned. */
export function pinsText({ specs }: Pick<RunResult, 'specs'>): string | undefined {
  const pins = specs.filter(({ pin }) => pin !== undefined)
  if (pins.length === 0) return undefined
  const of = (outcome: Outcome) => pins.filter(pin => pin.outcome === outcome).length
  const rest = pins.length - of('passed') - of('failed')
  return `${count(pins.length, 'pinned fact')}: ${[
    `${of('passed')} unchanged`,
    ...(of('failed') > 0 ? [`${of('failed')} drifted`] : []),
    ...(rest > 0 ? [`${rest} not seen`] : []),
  ].join(', ')}`
}
