/** Judges contracts as a whole. */

import type { Survey } from '../../core/survey.js'
import { count, numbered } from '../../ground/count.js'
import { OUTCOMES, type RunResult, type SpecRecord } from '../../result.js'

/** Returns the verdict on all interactions. An unverified interaction leaves it open, unless another one is broken. */
export function verdictOf(
  specs: SpecRecord[],
  untestable: Survey['untestable'],
  isInterrupted: boolean,
): Pick<RunResult, 'verdict' | 'reason' | 'advice' | 'counts'> {
  const number = (outcome: SpecRecord['outcome']) => specs.filter(spec => spec.outcome === outcome).length
  const counts = {
    selected: specs.length,
    ...Object.fromEntries(OUTCOMES.map(outcome => [outcome, number(outcome)])),
  } as RunResult['counts']
  const { failed, blocked, passed } = counts
  const all = count(specs.length, 'interaction')
  if (failed)
    return {
      verdict: 'nonconformant',
      reason: `${failed} of ${all} ${numbered(failed, 'does', 'do')} not hold`,
      counts,
    }
  if (untestable) return { verdict: 'untestable', ...untestable, counts }
  if (isInterrupted) return { verdict: 'incomplete', reason: 'the verification was interrupted', counts }
  if (blocked) return { verdict: 'incomplete', reason: `${blocked} of ${all} could not be verified`, counts }
  if (!passed) return { verdict: 'incomplete', reason: 'nothing was verified', counts }
  const reason = passed === specs.length ? `${all} verified, all hold` : `${passed} of ${all} verified, none is broken`
  return { verdict: 'conformant', reason, counts }
}
