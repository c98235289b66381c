import { count, numbered } from '../ground/count.js'
import { OUTCOMES, type Outcome, type RunResult, type SpecRecord, type Verdict } from '../result.js'

/** Counts the specs of each outcome, and those selected. */
export function countOutcomes(specs: SpecRecord[]): RunResult['counts'] {
  const counts = Object.fromEntries(OUTCOMES.map(outcome => [outcome, 0])) as Record<Outcome, number>
  for (const { outcome } of specs) counts[outcome]++
  return { selected: specs.length, ...counts }
}

/** Why a run could not be completed. */
export interface Hindrance {
  verdict: 'incomplete' | 'untestable'
  reason: string
  advice?: string
}

/** Pinned facts among the specs that passed and failed. */
export interface Pins {
  held: number
  drifted: number
}

/** Counts the pinned facts; see {@link Pins}. */
export function countPins(specs: SpecRecord[]): Pins {
  const those = (outcome: Outcome) => specs.filter(spec => spec.pin && spec.outcome === outcome).length
  return { held: those('passed'), drifted: those('failed') }
}

/**
 * Returns the verdict of a run, with its reason. A failure counts even where the run was hindered. A run in which
 * nothing passed proves nothing, so it is never conformant.
 */
export function verdictOf(
  counts: RunResult['counts'],
  hindrance: Hindrance | undefined,
  pins: Pins = { held: 0, drifted: 0 },
  toFinish?: string,
): Pick<RunResult, 'verdict' | 'reason' | 'advice'> {
  const known = counts['known failure']
  const unexpected = counts['unexpected pass']
  const failed = counts.failed - pins.drifted
  const passed = counts.passed - pins.held
  if (counts.failed + unexpected > 0) {
    const ran = passed + failed + counts.observed + known + unexpected
    const parts = [
      failed > 0 && `${failed} of ${count(ran, 'spec')} that ran failed`,
      unexpected > 0 && `${count(unexpected, 'spec')} passed that the baseline knows to fail`,
      pins.drifted > 0 && `${count(pins.drifted, 'pinned fact')} drifted`,
    ]
    const then = hindrance
      ? `; then ${hindrance.reason}`
      : counts.pending
        ? `; ${counts.pending} still ${numbered(counts.pending, 'waits', 'wait')}`
        : ''
    return { verdict: 'nonconformant', reason: `${parts.filter(Boolean).join(', ')}${then}` }
  }
  if (hindrance) return hindrance
  if (counts.pending > 0) {
    return give(
      'pending',
      `${count(counts.pending, 'spec')} ${numbered(counts.pending, 'waits', 'wait')} for time to pass; none failed so far`,
      toFinish,
    )
  }
  const open = counts.blocked + counts.inconclusive
  if (open > 0) return give('incomplete', `${count(open, 'spec')} could not be judged`)
  if (passed === 0)
    return give(
      'untestable',
      known > 0 ? `${count(known, 'known failure')}, and no spec passed` : 'no spec that judges the Core was run',
      'widen --only, or leave out --profile quick',
    )
  const rest = known > 0 ? `none failed but ${count(known, 'known failure')}` : 'none failed'
  return give('conformant', `${count(passed, 'spec')} passed, ${rest}`)
}

function give(verdict: Verdict, reason: string, advice?: string): Pick<RunResult, 'verdict' | 'reason' | 'advice'> {
  return { verdict, reason, ...(advice !== undefined && { advice }) }
}
