/** Computes the state of each requirement in a run, once. Every report reads it from the result. */
import { isMiss } from '../result/accused.js'
import { addCoverage } from '../result/coverage.js'
import type {
  CoverageRecord,
  Doubt,
  Evidence,
  LedgerEntry,
  RequirementRecord,
  RequirementState,
  SpecRecord,
} from '../result.js'
import { MANY, QUICK } from './applicable.js'
import { INTERRUPTED } from './spec-end.js'

/** The inputs of the states. */
export interface Judged {
  /** The specs as reported: after the baseline and the pins were applied. */
  specs: readonly SpecRecord[]
  doubts: readonly Doubt[]
  /** Patterns of `--only`; empty when everything was selected. */
  only: readonly string[]
  /** Message of specs that were skipped because the run ended early. They are open. */
  cutShort: string
}

/** Adds to each requirement of the ledger its state, and the steps that count against it. */
export function withStates(ledger: readonly LedgerEntry[], judged: Judged): RequirementRecord[] {
  return ledger.map(requirement => {
    const covered = coveredOf(requirement.id, judged.specs)
    return { ...requirement, ...standing(requirement, judged), ...(covered && { covered }) }
  })
}

/** Adds up what rows covered that test a requirement. */
function coveredOf(id: string, specs: readonly SpecRecord[]): CoverageRecord | undefined {
  const steps = specs.flatMap(spec => spec.steps.filter(({ requirements }) => requirements?.includes(id)))
  return addCoverage(steps.flatMap(({ covered }) => covered ?? []))
}

function standing(
  { id, level, specs: all }: LedgerEntry,
  { specs, doubts, only, cutShort }: Judged,
): { state: RequirementState; evidence: Evidence[] } {
  const own = specs.filter(spec => spec.pin === undefined && spec.requirements.some(each => each.id === id))
  const against = own.flatMap(spec => missesOf(spec, id).map(step => ({ spec, step })))
  const evidence: Evidence[] = against.map(({ spec, step }) => ({ spec: spec.id, step }))
  const give = (state: RequirementState) => ({ state, evidence })
  if (level === 'excluded') return give('not testable')
  const isBrokenAs = (outcome: SpecRecord['outcome']) => against.some(({ spec }) => spec.outcome === outcome)
  if (isBrokenAs('failed')) return give('not met')
  if (isBrokenAs('known failure')) return give('known failure')
  if (against.length > 0 || doubts.some(({ requirement }) => requirement === id)) return give('in doubt')
  if (level === 'observe') return give(own.some(({ outcome }) => outcome === 'observed') ? 'observed' : 'not tested')
  const judging = own.filter(spec => spec.level === 'must')
  if (!judging.some(spec => holds(spec, id))) return give('not tested')
  const ran = new Set(own.map(spec => spec.id))
  const isPart = only.length > 0 && all.some(spec => !ran.has(spec))
  return give(isPart || judging.some(spec => isOpen(spec, id, cutShort)) ? 'met so far' : 'met')
}

/** Returns the steps of a spec that test a requirement and missed, where that counts against the Core, or may yet. */
function missesOf({ outcome, steps }: SpecRecord, id: string): number[] {
  if (!['failed', 'known failure', 'inconclusive'].includes(outcome)) return []
  return steps.flatMap((step, index) => (isMiss(step) && step.requirements?.includes(id) ? [index] : []))
}

/**
 * Whether a spec shows that a requirement is met. A spec that failed later, over another requirement, can show it too.
 */
function holds({ outcome, steps }: SpecRecord, id: string): boolean {
  if (outcome === 'passed' || outcome === 'unexpected pass') return true
  if (outcome !== 'failed' && outcome !== 'known failure') return false
  const testing = steps.filter(step => step.requirements?.includes(id))
  return testing.length > 0 && testing.every(step => step.outcome === 'ok')
}

/** Whether a spec may say more about a requirement in another run. */
function isOpen(spec: SpecRecord, id: string, cutShort: string): boolean {
  const { outcome, message } = spec
  if (outcome === 'skipped')
    return message === cutShort || message === INTERRUPTED || message === QUICK || message === MANY
  return !holds(spec, id)
}
