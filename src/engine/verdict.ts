import { OUTCOMES, type Outcome, type RunResult, type SpecRecord, type Verdict } from '../result.js'

/** How many specs came to each outcome, and how many were selected. */
export function count(specs: SpecRecord[]): RunResult['counts'] {
  const counts = Object.fromEntries(OUTCOMES.map(outcome => [outcome, 0])) as Record<Outcome, number>
  for (const { outcome } of specs) counts[outcome]++
  return { selected: specs.length, ...counts }
}

/** Why a run could not do what it was to do. */
export interface Hindrance {
  verdict: 'incomplete' | 'untestable'
  reason: string
  advice?: string
}

/**
 * The verdict of a run and the reason for it. A failure counts even when the run was hindered: what was seen was seen.
 * A run in which nothing passed proves nothing, so it is never conformant.
 */
export function verdictOf(
  counts: RunResult['counts'],
  hindrance: Hindrance | undefined,
): Pick<RunResult, 'verdict' | 'reason' | 'advice'> {
  const ran = counts.passed + counts.failed + counts.observed
  if (counts.failed > 0) {
    const failed = `${counts.failed} of ${plural(ran, 'spec')} that ran failed`
    const then = hindrance ? `; then ${hindrance.reason}` : counts.pending ? `; ${counts.pending} still wait` : ''
    return { verdict: 'nonconformant', reason: `${failed}${then}` }
  }
  if (hindrance) return hindrance
  if (counts.pending > 0) {
    return give('pending', `${plural(counts.pending, 'spec')} wait for time to pass; none failed so far`)
  }
  const open = counts.blocked + counts.inconclusive
  if (open > 0) return give('incomplete', `${plural(open, 'spec')} could not be judged`)
  if (counts.passed === 0)
    return give('untestable', 'no spec that judges the Core was run', 'widen --only, or leave out --profile quick')
  return give('conformant', `${plural(counts.passed, 'spec')} passed, none failed`)
}

function give(verdict: Verdict, reason: string, advice?: string): Pick<RunResult, 'verdict' | 'reason' | 'advice'> {
  return { verdict, reason, ...(advice !== undefined && { advice }) }
}

function plural(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
