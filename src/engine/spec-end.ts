/** Makes the records of a spec and its steps from how they ended. */

import { NotSent } from '../core/not-sent.js'
import { OutOfPatience } from '../core/patience.js'
import type { Facts, SpecRecord, StepRecord } from '../result.js'
import type { Spec, Step } from '../suite/spec.js'
import type { RunContext } from './context.js'
import type { Ended } from './journal.js'
import { Interrupted } from './schedule.js'
import { sentence } from './sentence.js'
import type { StepResult } from './step-result.js'

/** Message of a spec that could do without its place: others that wait need it. */
export const LITTLE_ROOM = 'this Core has little room for tokens, and specs that wait need it'
/** Message of a spec without an outcome, since the run was interrupted. */
export const INTERRUPTED = 'the run was interrupted'

/** The end of a spec. */
export interface SpecEnd extends Pick<Ended, 'room' | 'dead' | 'isCertain'> {
  record: SpecRecord
  /** The facts that it observed. */
  facts: Facts
  /** Present where it shared tokens with other specs, so that what blocked it may be no matter of its own. */
  isJoined?: true
}

type Verdict = Pick<Ended, 'outcome' | 'message'>

/** Makes the end of a spec that did not run. */
export function notRun(spec: Spec, outcome: SpecRecord['outcome'], reason: string): SpecEnd {
  return { record: unrunRecord(spec, outcome, reason), facts: {} }
}

/** Makes the record of a spec that did not run. */
export function unrunRecord(spec: Spec, outcome: SpecRecord['outcome'], message?: string): SpecRecord {
  const { id, area, title, level, requirements, file, line, isOwn, interactions } = spec
  const told = message === undefined ? {} : { message }
  return {
    id,
    area,
    title,
    level,
    requirements,
    file,
    line,
    ...(isOwn && { isOwn }),
    ...(interactions && { interactions }),
    outcome,
    ...told,
    atMs: 0,
    durationMs: 0,
    steps: [],
    exchanges: [],
  }
}

/** Makes the records of the steps of a spec before they run. */
export function plannedRecords(spec: Spec, { parts }: RunContext): StepRecord[] {
  const record = (step: Step, kind: StepRecord['kind']) => ({
    text: sentence(step, parts, parts.variables['probe-path'] ?? ''),
    kind,
    outcome: 'not run' as const,
    ...(step.tests.length > 0 && { requirements: [...step.tests] }),
    exchanges: [],
  })
  // A spec that only observes accuses nobody, so it has no controls.
  const isCheck = ({ tests }: Step) => spec.level === 'observe' || tests.length > 0
  return [
    ...spec.given.map(step => record(step, 'given')),
    ...spec.steps.map(step => record(step, isCheck(step) ? 'check' : 'control')),
  ]
}

/** Returns the fields of a step's record that state its result. */
export function shownResult({ outcome, expected, got, gap, isAlive, covered, rows }: StepResult): Partial<StepRecord> {
  const told = {
    ...(expected !== undefined && { expected }),
    ...(got !== undefined && { got }),
    ...(gap && { gap }),
    ...(gap && isAlive !== undefined && { isAlive }),
    ...(covered && { covered }),
    ...(rows && { rows }),
  }
  return { outcome: outcome === 'unreachable' || outcome === 'limited' ? 'miss' : outcome, ...told }
}

/** Returns what a failed step means for its spec. Only a step that tests a requirement accuses the Core. */
export function judgeStep({ kind, text }: StepRecord, { outcome, expected, got }: StepResult): Verdict {
  if (outcome === 'missed window') return { outcome: 'inconclusive', message: `${text}: ${got}` }
  if (outcome === 'unreachable' || outcome === 'limited') return { outcome: 'blocked', message: `${text}: ${got}` }
  const message = `${text}: expected ${expected}; got ${got}`
  return { outcome: kind === 'check' ? 'failed' : 'blocked', message }
}

/** Returns what an error means for its spec. */
export function endByError(error: unknown): Verdict {
  // The run ends with this error. A resumed run does the spec again.
  if (error instanceof Interrupted || error instanceof OutOfPatience)
    return { outcome: 'skipped', message: INTERRUPTED }
  if (error instanceof NotSent) return { outcome: 'skipped', message: error.message }
  // A fault of this program or of the clock, never of the Core.
  return { outcome: 'blocked', message: error instanceof Error ? error.message : String(error) }
}

/** Returns the outcome of a spec that only observes. */
export function observedEnd(records: StepRecord[]): Verdict {
  const seen = records
    .filter(({ kind, got }) => kind === 'check' && got !== undefined)
    .map(({ text, got }) => `${text}: ${got}`)
  return { outcome: 'observed', message: seen.join('; ') || 'nothing was seen' }
}
