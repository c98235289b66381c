/** How a spec and its steps ended, as records. */
import { OutOfPatience } from '../core/patience.js'
import { NotSent } from '../core/session.js'
import type { Facts, SpecRecord, StepRecord } from '../result.js'
import type { Spec, Step } from '../suite/spec.js'
import type { RunContext } from './context.js'
import type { Ended } from './journal.js'
import { Interrupted } from './schedule.js'
import { sentence } from './sentence.js'
import type { StepResult } from './step-result.js'

/** Why a run that was interrupted has no outcome for a spec. */
export const INTERRUPTED = 'the run was interrupted'

/** How a spec ended. */
export interface SpecEnd {
  record: SpecRecord
  /** What it observed. */
  facts: Facts
  /** How many tokens the Core held when it had no room for another; absent where that was not so. */
  room: number | undefined
  /** When the token was alive, and when it was not accepted though it was to be, on the clock of the run; absent for none. */
  dead?: { aliveMs: number; deadMs: number }
  /** Whether it failed by an answer that no other spec, network or restart can bring about: something was let in. */
  isCertain: boolean
}

type Verdict = Pick<SpecRecord, 'outcome' | 'message'>

/** Of a spec that ended without anything of note. */
export const NOTHING_SEEN = { room: undefined, isCertain: false }
/** How a spec ends of which no step missed. */
export const PASSED: Ended = { outcome: 'passed', ...NOTHING_SEEN }

/** How a spec ended that did not run. */
export function notRun(spec: Spec, outcome: SpecRecord['outcome'], reason: string): SpecEnd {
  return { record: unrun(spec, outcome, reason), facts: {}, ...NOTHING_SEEN }
}

/** The record of a spec that did not run. */
export function unrun(spec: Spec, outcome: SpecRecord['outcome'], message?: string): SpecRecord {
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

/** The records of the steps of a spec before they run. */
export function planned(spec: Spec, { parts }: RunContext): StepRecord[] {
  const record = (step: Step, kind: StepRecord['kind']) => ({
    text: sentence(step, parts, parts.variables['probe-path'] ?? ''),
    kind,
    outcome: 'not run' as const,
    ...(step.tests.length > 0 && { requirements: [...step.tests] }),
    exchanges: [],
  })
  // What only observes accuses nobody, so it has no controls.
  const isCheck = ({ tests }: Step) => spec.level === 'observe' || tests.length > 0
  return [
    ...spec.given.map(step => record(step, 'given')),
    ...spec.steps.map(step => record(step, isCheck(step) ? 'check' : 'control')),
  ]
}

/** What a record tells of how its step went. */
export function shown({ outcome, expected, got, gap, isAlive }: StepResult): Partial<StepRecord> {
  const told = {
    ...(expected !== undefined && { expected }),
    ...(got !== undefined && { got }),
    ...(gap && { gap }),
    ...(gap && isAlive !== undefined && { isAlive }),
  }
  return { outcome: outcome === 'unreachable' || outcome === 'limited' ? 'miss' : outcome, ...told }
}

/** What a step that did not go as it was to makes of its spec: only one that tests something accuses the Core. */
export function judgeStep({ kind, text }: StepRecord, { outcome, expected, got }: StepResult): Verdict {
  if (outcome === 'missed window') return { outcome: 'inconclusive', message: `${text}: ${got}` }
  if (outcome === 'unreachable' || outcome === 'limited') return { outcome: 'blocked', message: `${text}: ${got}` }
  const message = `${text}: expected ${expected}; got ${got}`
  return { outcome: kind === 'check' ? 'failed' : 'blocked', message }
}

/** How a spec ends for an error. */
export function failed(error: unknown): Verdict {
  // The run ends for that: whoever resumes it does the spec again.
  if (error instanceof Interrupted || error instanceof OutOfPatience)
    return { outcome: 'skipped', message: INTERRUPTED }
  if (error instanceof NotSent) return { outcome: 'skipped', message: error.message }
  // A fault of ours or of the clock: never the Core's.
  return { outcome: 'blocked', message: error instanceof Error ? error.message : String(error) }
}

/** How a spec ends that only observes. */
export function observed(records: StepRecord[]): Verdict {
  const seen = records
    .filter(({ kind, got }) => kind === 'check' && got !== undefined)
    .map(({ text, got }) => `${text}: ${got}`)
  return { outcome: 'observed', message: seen.join('; ') || 'nothing was seen' }
}
