/** The words, marks and order of outcomes and verdicts on the page. */
import type { Outcome, RequirementState, SpecRecord, StepRecord, Verdict } from '../../result.js'
import { MARKS } from '../marks.js'

/** What a verdict is called, what stands before it, and its colour class. */
export const VERDICTS: Record<Verdict, { word: string; mark: string; tone: string }> = {
  conformant: { word: 'Conformant', mark: MARKS.passed, tone: 'passed' },
  nonconformant: { word: 'Nonconformant', mark: MARKS.failed, tone: 'failed' },
  incomplete: { word: 'Incomplete', mark: MARKS.inconclusive, tone: 'inconclusive' },
  untestable: { word: 'Untestable', mark: MARKS.blocked, tone: 'blocked' },
  pending: { word: 'Pending', mark: MARKS.pending, tone: 'pending' },
}

/** The outcome whose mark and colour a requirement has, by what is known of it. */
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

/** The outcomes, the worst first, as they are read. */
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

/** How many specs came to each outcome, the worst first, without those that none came to. */
export function tally(specs: readonly SpecRecord[]): [outcome: Outcome, count: number][] {
  return WORST_FIRST.map((outcome): [Outcome, number] => [
    outcome,
    specs.filter(spec => spec.outcome === outcome).length,
  ]).filter(([, count]) => count > 0)
}

/** The mark of each way a step can go, with its words and colour class. */
export const STEPS: Record<StepRecord['outcome'], { mark: string; word: string; tone: Outcome }> = {
  ok: { mark: MARKS.passed, word: 'as expected', tone: 'passed' },
  miss: { mark: MARKS.failed, word: 'not as expected', tone: 'failed' },
  'missed window': { mark: MARKS.inconclusive, word: 'missed its window', tone: 'inconclusive' },
  'not run': { mark: MARKS.skipped, word: 'not run', tone: 'skipped' },
}
