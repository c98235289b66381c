/**
 * Says what each outcome of a spec means, and how each verdict is shown. Verdicts, reports, comparisons and attestations ask
 * here.
 */
import type { Verdict } from './run-result.js'
import { OUTCOMES, type Outcome, type SpecRecord } from './spec-record.js'

/** The meaning of an outcome. */
interface Meaning {
  /** The mark in reports. Each is one column wide on every terminal, and they differ without colour. */
  mark: string
  /** Whether it says something about the Core. */
  isJudged: boolean
  /** Whether it makes the Core nonconformant. */
  isBreach?: true
  /** Whether a spec that should have judged the Core could not, so that the verdict is incomplete at best. */
  isHindered?: true
}

const MEANINGS: Record<Outcome, Meaning> = {
  passed: { mark: '✓', isJudged: true },
  failed: { mark: '✗', isJudged: true, isBreach: true },
  'unexpected pass': { mark: '+', isJudged: true, isBreach: true },
  'known failure': { mark: '~', isJudged: true },
  observed: { mark: '•', isJudged: true },
  skipped: { mark: '–', isJudged: false },
  blocked: { mark: '!', isJudged: false, isHindered: true },
  inconclusive: { mark: '?', isJudged: false, isHindered: true },
  pending: { mark: '…', isJudged: false },
}

/** The mark of each outcome. */
export const MARKS = Object.fromEntries(OUTCOMES.map(name => [name, MEANINGS[name].mark])) as Record<Outcome, string>

/** The word and the mark of each verdict, and the outcome whose colour it has. */
export const VERDICTS: Record<Verdict, { word: string; mark: string; tone: Outcome }> = {
  conformant: { word: 'Conformant', mark: MARKS.passed, tone: 'passed' },
  nonconformant: { word: 'Nonconformant', mark: MARKS.failed, tone: 'failed' },
  incomplete: { word: 'Incomplete', mark: MARKS.inconclusive, tone: 'inconclusive' },
  untestable: { word: 'Untestable', mark: MARKS.blocked, tone: 'blocked' },
  pending: { word: 'Pending', mark: MARKS.pending, tone: 'pending' },
}

/** Whether the outcome of a spec says something about the Core. */
export function isJudged({ outcome }: Pick<SpecRecord, 'outcome'>): boolean {
  return MEANINGS[outcome].isJudged
}

/** Whether the outcome of a spec makes the Core nonconformant. */
export function isBreach({ outcome }: Pick<SpecRecord, 'outcome'>): boolean {
  return MEANINGS[outcome].isBreach ?? false
}

/** Whether a spec should have judged the Core and could not: its prerequisite failed, or what was seen does not decide it. */
export function isHindered({ outcome }: Pick<SpecRecord, 'outcome'>): boolean {
  return MEANINGS[outcome].isHindered ?? false
}
