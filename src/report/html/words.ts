/** Defines the words, marks and order of outcomes and verdicts on the page. */
import { MARKS } from '../../result/outcomes.js'
import type { Outcome, RequirementState, SpecRecord, StepRecord } from '../../result.js'

/** The outcome whose mark and colour each state of a requirement has. */
export const STATES: Record<RequirementState, Outcome> = {
  'not met': 'failed',
  'in doubt': 'inconclusive',
  'known failure': 'known failure',
  'met so far': 'pending',
  'not tested': 'skipped',
  met: 'passed',
  observed: 'observed',
  'not testable': 'skipped',
}

/** The outcomes in the order of the page, worst first. */
export const WORST_FIRST: readonly Outcome[] = [
  'failed',
  'unexpected pass',
  'known failure',
  'inconclusive',
  'blocked',
  'pending',
  'skipped',
  'observed',
  'passed',
]

/** Counts the specs of each outcome, worst first. Leaves out outcomes without specs. */
export function tally(specs: readonly SpecRecord[]): [outcome: Outcome, count: number][] {
  return WORST_FIRST.map((outcome): [Outcome, number] => [
    outcome,
    specs.filter(spec => spec.outcome === outcome).length,
  ]).filter(([, count]) => count > 0)
}

/** The mark, the word and the colour class of each outcome of a step. */
export const STEPS: Record<StepRecord['outcome'], { mark: string; word: string; tone: Outcome }> = {
  ok: { mark: MARKS.passed, word: 'as expected', tone: 'passed' },
  miss: { mark: MARKS.failed, word: 'not as expected', tone: 'failed' },
  'missed window': { mark: MARKS.inconclusive, word: 'missed its window', tone: 'inconclusive' },
  'not run': { mark: MARKS.skipped, word: 'not run', tone: 'skipped' },
}
