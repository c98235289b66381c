/** What formats of test cases say of a run whose verdict no spec speaks for. */
import type { Outcome, RunResult, Verdict } from '../result.js'

/** How a format that knows no more than tests shows an outcome. `error`: it could not be tested. */
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

/** What has to be red for each verdict, so that nobody shows green what was not conformant. */
const RED: Record<Verdict, readonly string[]> = {
  conformant: [],
  nonconformant: ['failure', 'error'],
  incomplete: ['error'],
  untestable: ['error'],
  pending: [],
}

/** The name of the case that stands for the run. */
export const RUN_CASE = 'The run tested the Core'

/** Whether a case for the run itself is needed: nothing was tested, or no spec says in red what the verdict says. */
export function needsRunCase({ verdict, specs }: Pick<RunResult, 'verdict' | 'specs'>): boolean {
  const red = RED[verdict]
  return specs.length === 0 || (red.length > 0 && !specs.some(({ outcome }) => red.includes(KINDS[outcome])))
}
