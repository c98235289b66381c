/** The words and figures that more than one report says. */
import type { Outcome, SpecRecord, StepRecord } from '../result.js'

/** A count with its noun: `1 spec`, `2 specs`. The plural is the noun with an s unless it is given. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`
}

const JUDGED: Record<Outcome, boolean> = {
  passed: true,
  failed: true,
  'unexpected pass': true,
  'known failure': true,
  observed: true,
  skipped: false,
  blocked: false,
  inconclusive: false,
  pending: false,
}

/** Whether the outcome of a spec says something about the Core, not only why there is nothing to say. */
export function isJudged(spec: SpecRecord): boolean {
  return JUDGED[spec.outcome]
}

/** The steps that decided a failed or inconclusive spec, in order. */
export function deciding(spec: SpecRecord): StepRecord[] {
  return spec.steps.filter(step => step.outcome === 'miss' || step.outcome === 'missed window')
}

/** Why a spec has its outcome, in one sentence, also when a result forgot to say it. */
export function why(spec: SpecRecord): string {
  if (spec.message !== undefined && spec.message.trim() !== '') return spec.message
  const step = deciding(spec)[0]
  if (step === undefined) return 'No reason was recorded.'
  return `${step.text}: expected ${step.expected ?? 'something else'}, got ${step.got ?? 'nothing'}.`
}

/** Where a spec stands, as editors and terminals link it: `specs/revocation.yaml:12`. */
export function place(spec: SpecRecord): string {
  return `${spec.file}:${spec.line}`
}
