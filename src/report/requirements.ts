/** What a run says of each requirement, for the reports that show more than the specs one by one. */
import { count } from '../ground/count.js'
import type { RequirementRecord, RequirementState, RunResult, SpecRecord } from '../result.js'
import { grouped } from './grouped.js'
import { type StatedRequirement, stated } from './older-states.js'
import { countedAs, why } from './words.js'

/** What the specs of a requirement came to, see {@link RequirementState}. */
export type State = RequirementState

/** One requirement with what this run says of it. */
export interface Standing {
  requirement: StatedRequirement
  state: State
  /** Its specs in this run, whatever came of them. */
  specs: SpecRecord[]
  /** How many more specs test it, which were not selected. */
  unselected: number
  /** Why some of its specs, or all, tell nothing, each reason once: `2 specs skipped: …`. What was not selected comes last. */
  reasons: string[]
  /** What speaks against it and bears no verdict, in sentences. */
  doubts: string[]
}

/** Every requirement of a result, in the order of the ledger; in a result of before it was kept, those that specs name. */
export function standings(result: RunResult): Standing[] {
  return stated(result).map(requirement => {
    const specs = result.specs.filter(spec => names(spec, requirement.id))
    const ran = new Set(specs.map(({ id }) => id))
    const unselected = requirement.specs.filter(id => !ran.has(id)).length
    const doubts = (result.doubts ?? []).filter(doubt => doubt.requirement === requirement.id).map(({ text }) => text)
    return {
      requirement,
      state: requirement.state,
      specs,
      unselected,
      reasons: reasonsOf(specs, unselected, result),
      doubts,
    }
  })
}

/** `14 of 15 tested: 13 met, 1 not met`, then what is seen of what the reference leaves open. */
export function coverageText(all: readonly Standing[]): string {
  const ofLevel = (level: RequirementRecord['level']) => all.filter(({ requirement }) => requirement.level === level)
  const [stated, open] = [ofLevel('must'), ofLevel('observe')]
  const told = (['not met', 'in doubt', 'known failure', 'met so far', 'met'] as const).flatMap(state => {
    const number = stated.filter(standing => standing.state === state).length
    return number > 0 ? [countedAs(number, state)] : []
  })
  const tested = stated.filter(({ state }) => state !== 'not tested').length
  const seen = open.filter(({ state }) => state === 'observed').length
  return [
    `${tested} of ${stated.length} tested${told.length > 0 ? `: ${told.join(', ')}` : ''}`,
    ...(open.length > 0 ? [`${seen} of ${count(open.length, 'open point')} observed`] : []),
  ].join('; ')
}

function names(spec: SpecRecord, requirement: string): boolean {
  return spec.requirements.some(({ id }) => id === requirement)
}

const UNJUDGED: readonly SpecRecord['outcome'][] = ['inconclusive', 'blocked', 'pending', 'skipped']

function reasonsOf(specs: readonly SpecRecord[], unselected: number, { configuration }: RunResult): string[] {
  const unjudged = specs.filter(({ outcome }) => UNJUDGED.includes(outcome))
  const told = [...grouped(unjudged, spec => `${spec.outcome}: ${why(spec)}`)].map(
    ([reason, own]) => `${count(own.length, 'spec')} ${reason}`,
  )
  if (unselected === 0) return told
  const { only } = configuration
  // Without a selection, only what measures is left out, unless it is asked for.
  const by =
    only.length > 0 ? `not selected: only ${only.join(', ')} was` : 'left out: to measure takes run --measure-lifetime'
  return [...told, `${count(unselected, 'spec')} ${by}`]
}
