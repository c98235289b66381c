/** What each outcome of a spec means, and how each verdict is shown. Verdicts, reports, comparisons and attestations ask here. */
import { numbered } from '../ground/count.js'
import type { Verdict } from './run-result.js'
import { OUTCOMES, type Outcome, type SpecRecord } from './spec-record.js'

/** The meaning of an outcome. */
interface Meaning {
  /** The name for more than one, where it differs: a participle has no plural. */
  plural?: string
  /** The mark in reports. Each is one column wide on every terminal, and they differ without colour. */
  mark: string
  /** The colour of the mark on a terminal. */
  color: 'green' | 'red' | 'yellow' | 'cyan' | 'dim'
  /** Whether it says something about the Core. */
  isJudged: boolean
  /** Whether it makes the Core nonconformant. */
  isBreach?: true
  /** Whether a spec that should have judged the Core could not, so that the verdict is incomplete at best. */
  isHindered?: true
}

/** The worst outcome first. */
const MEANINGS: Record<Outcome, Meaning> = {
  failed: { mark: '✗', color: 'red', isJudged: true, isBreach: true },
  'unexpected pass': { plural: 'unexpected passes', mark: '+', color: 'red', isJudged: true, isBreach: true },
  'known failure': { plural: 'known failures', mark: '~', color: 'yellow', isJudged: true },
  inconclusive: { mark: '?', color: 'yellow', isJudged: false, isHindered: true },
  blocked: { mark: '!', color: 'yellow', isJudged: false, isHindered: true },
  pending: { mark: '…', color: 'cyan', isJudged: false },
  skipped: { mark: '–', color: 'dim', isJudged: false },
  observed: { mark: '•', color: 'cyan', isJudged: true },
  passed: { mark: '✓', color: 'green', isJudged: true },
}

/** The outcomes, worst first. */
export const WORST_FIRST = Object.keys(MEANINGS) as readonly Outcome[]

/** The mark of each outcome. */
export const MARKS = Object.fromEntries(OUTCOMES.map(name => [name, MEANINGS[name].mark])) as Record<Outcome, string>

/** Returns the colour of an outcome on a terminal. */
export function colorOf(outcome: Outcome): Meaning['color'] {
  return MEANINGS[outcome].color
}

/** Returns a number with an outcome: `3 failed`, `1 known failure`, `2 known failures`. */
export function countedAs(number: number, outcome: Outcome): string {
  return `${number} ${numbered(number, outcome, MEANINGS[outcome].plural ?? outcome)}`
}

/** The word and the mark of each verdict, the outcome whose colour it has, and the exit code of a command that comes to it. */
export const VERDICTS: Record<Verdict, { word: string; mark: string; tone: Outcome; exitCode: 0 | 1 | 3 }> = {
  conformant: { word: 'Conformant', mark: MARKS.passed, tone: 'passed', exitCode: 0 },
  nonconformant: { word: 'Nonconformant', mark: MARKS.failed, tone: 'failed', exitCode: 1 },
  drifted: { word: 'Drifted from its pins', mark: MARKS.failed, tone: 'failed', exitCode: 1 },
  'stale baseline': { word: 'Stale baseline', mark: MARKS['unexpected pass'], tone: 'failed', exitCode: 1 },
  incomplete: { word: 'Incomplete', mark: MARKS.inconclusive, tone: 'inconclusive', exitCode: 3 },
  untestable: { word: 'Untestable', mark: MARKS.blocked, tone: 'blocked', exitCode: 3 },
  pending: { word: 'Pending', mark: MARKS.pending, tone: 'pending', exitCode: 0 },
}

/** Says the verdicts of Cores as the end of a sentence: `is nonconformant`, `have drifted from their pins`. */
export function verdictPhrase(verdict: Verdict, number = 1): string {
  if (verdict === 'drifted') return numbered(number, 'has drifted from its pins', 'have drifted from their pins')
  if (verdict === 'stale baseline') return numbered(number, 'has a stale baseline', 'have stale baselines')
  return `${numbered(number, 'is', 'are')} ${verdict}`
}

/** Whether a verdict fails a run: exit code 1. */
export function isFailing(verdict: Verdict): boolean {
  return VERDICTS[verdict].tone === 'failed'
}

/** Whether a record is that of a spec, not of a pinned fact or a baseline entry. */
export function isSpec({ pin, area }: SpecRecord): boolean {
  return pin === undefined && area !== 'baseline'
}

/** Whether the outcome of a spec says something about the Core. */
export function isJudged({ outcome }: { outcome: Outcome }): boolean {
  return MEANINGS[outcome].isJudged
}

/** Whether the outcome of a spec makes the Core nonconformant. */
export function isBreach({ outcome }: SpecRecord): boolean {
  return MEANINGS[outcome].isBreach ?? false
}

/** Whether a spec should have judged the Core and could not: its prerequisite failed, or what was seen does not decide it. */
export function isHindered({ outcome }: SpecRecord): boolean {
  return MEANINGS[outcome].isHindered ?? false
}
