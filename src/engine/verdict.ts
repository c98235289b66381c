import { count, numbered } from '../ground/count.js'
import { isSpec } from '../result/outcomes.js'
import { OUTCOMES, type Outcome, type RunResult, type SpecRecord, type Verdict } from '../result.js'
import type { Advice } from './options.js'

/** What to do where only pinned facts changed, and where only the list of known failures is out of date. */
const [PIN_ANEW, UPDATE] = [
  'if the change is intended, pin the facts anew: give this result.json to run --pin; otherwise fix the Core',
  'bring the list of known failures up to date with the command baseline update',
]

/** The reason of a run without a spec, such as one that only gives its tokens back. */
export const NOTHING_JUDGED = 'no spec that judges the Core was run'

/** Counts the specs of each outcome, and those selected. Pinned facts and baseline entries are no specs. */
export function countOutcomes(records: SpecRecord[]): RunResult['counts'] {
  const specs = records.filter(isSpec)
  const counts = Object.fromEntries(OUTCOMES.map(outcome => [outcome, 0])) as Record<Outcome, number>
  for (const { outcome } of specs) counts[outcome]++
  return { selected: specs.length, ...counts }
}

/** The verdict of a run, in the words of its result. */
export interface Judgement {
  verdict: Verdict
  reason: string
  advice?: string
}

/** Why a run could not be completed. */
export interface Hindrance {
  verdict: 'incomplete' | 'untestable'
  reason: string
  advice?: string
  /** Whether the run ended before its specs did, and another process can go on with it. */
  isCutShort?: boolean
}

/** What fails a run beside its specs. */
export interface Beside {
  /** How many pinned facts changed. */
  drifted: number
  /** How many baseline entries have expired though their specs did not fail. */
  expired: number
}

/** Counts what fails a run beside its specs; see {@link Beside}. */
export function countBeside(records: SpecRecord[]): Beside {
  const failed = records.filter(record => !isSpec(record) && record.outcome === 'failed')
  const drifted = failed.filter(({ pin }) => pin !== undefined).length
  return { drifted, expired: failed.length - drifted }
}

/**
 * Returns the verdict of a run, with its reason. A failure counts even where the run was hindered. A run in which
 * nothing passed proves nothing, so it is never conformant. What fails a run without a broken reference has verdicts of its own.
 */
export function verdictOf(
  counts: RunResult['counts'],
  hindrance: Hindrance | undefined,
  { drifted, expired }: Beside = { drifted: 0, expired: 0 },
  advice?: Advice,
): Judgement {
  const known = counts['known failure']
  const unexpected = counts['unexpected pass']
  const { failed, passed } = counts
  const open = counts.blocked + counts.inconclusive
  const rest = known > 0 ? `none failed but ${count(known, 'known failure')}` : 'none failed'
  const kept = `${count(passed, 'spec')} passed, ${rest}`
  const isStale = unexpected + expired > 0
  if (failed > 0 || drifted > 0 || isStale) {
    const ran = passed + failed + counts.observed + known + unexpected
    const parts = [
      failed > 0 ? `${failed} of ${count(ran, 'spec')} that ran failed` : kept,
      drifted > 0 && `${count(drifted, 'pinned fact')} drifted`,
      unexpected > 0 && `${count(unexpected, 'spec')} passed that the baseline knows to fail`,
      expired > 0 && `${count(expired, 'baseline entry has', 'baseline entries have')} expired`,
      failed === 0 && open > 0 && `${count(open, 'spec')} could not be judged`,
    ]
    const then = hindrance
      ? `; then ${hindrance.reason}`
      : counts.pending
        ? `; ${counts.pending} still ${numbered(counts.pending, 'waits', 'wait')}`
        : ''
    const reason = `${parts.filter(Boolean).join('; ')}${then}`
    const next = hindrance?.advice ?? (counts.pending > 0 ? advice?.toFinish : undefined)
    if (failed > 0) return give('nonconformant', reason, next)
    return drifted > 0 ? give('drifted', reason, next ?? PIN_ANEW) : give('stale baseline', reason, next ?? UPDATE)
  }
  if (hindrance) return give(hindrance.verdict, hindrance.reason, hindrance.advice)
  if (counts.pending > 0) {
    return give(
      'pending',
      `${count(counts.pending, 'spec')} ${numbered(counts.pending, 'waits', 'wait')} for time to pass; none failed so far`,
      advice?.toFinish,
    )
  }
  if (open > 0) return give('incomplete', `${count(open, 'spec')} could not be judged`)
  if (passed === 0)
    return give(
      'untestable',
      known > 0 ? `${count(known, 'known failure')}, and no spec passed` : NOTHING_JUDGED,
      advice?.toJudgeMore,
    )
  return give('conformant', kept)
}

function give(verdict: Verdict, reason: string, advice?: string): Judgement {
  return { verdict, reason, ...(advice !== undefined && { advice }) }
}
