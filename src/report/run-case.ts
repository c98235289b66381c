/** Decides when formats of test cases need a case for the run itself: when no spec shows the verdict. */
import type { Outcome, RunResult, Verdict } from '../result.js'

/** How formats of test cases show each outcome. `error`: the spec could not be tested. */
export const KINDS: Record<Outcome, 'passed' | 'failure' | 'error' | 'skipped'> = {
  passed: 'passed',
  observed: 'passed',
  failed: 'failure',
  blocked: 'error',
  inconclusive: 'error',
  skipped: 'skipped',
  'known failure': 'skipped',
  'unexpected pass': 'failure',
  pending: 'skipped',
}

/** The kinds of cases that each verdict needs at least one of, so that a tool shows it in red. */
const RED: Record<Verdict, readonly string[]> = {
  conformant: [],
  nonconformant: ['failure', 'error'],
  drifted: ['failure'],
  'stale baseline': ['failure'],
  incomplete: ['error'],
  untestable: ['error'],
  pending: [],
}

/** The name of the case for the run itself. */
export const RUN_CASE = 'The run tested the Core'

/** Whether a case for the run itself is needed: nothing was tested, or no red case shows the verdict. */
export function needsRunCase({ verdict, specs }: Pick<RunResult, 'verdict' | 'specs'>): boolean {
  const red = RED[verdict]
  return specs.length === 0 || (red.length > 0 && !specs.some(({ outcome }) => red.includes(KINDS[outcome])))
}
