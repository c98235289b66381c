/** Makes the words and figures that several reports share. */
import { duration } from '../duration.js'
import { count } from '../ground/count.js'
import type { Doubt, MeasuredLifetime, RunEvent, RunResult, SpecRecord, StepRecord } from '../result.js'

/**
 * Says how many tokens may be live: `2 of 5 may still be live`. Answers with tokens may be lost, so `left` may exceed
 * `issued`.
 */
export function liveTokens({ left, issued }: RunResult['tokens']): string {
  return left > issued
    ? `up to ${left} may still be live, some of which never arrived`
    : `${left} of ${issued} may still be live`
}

/** Returns the steps that decided a failed or inconclusive spec, in order. */
export function deciding(spec: SpecRecord): StepRecord[] {
  return spec.steps.filter(step => step.outcome === 'miss' || step.outcome === 'missed window')
}

/** Says in one sentence why a spec has its outcome, even if the result has no message. */
export function why(spec: SpecRecord): string {
  if (spec.message !== undefined && spec.message.trim() !== '') return spec.message
  const step = deciding(spec)[0]
  if (step === undefined) return 'No reason was recorded.'
  return `${step.text}: expected ${step.expected ?? 'something else'}, got ${step.got ?? 'nothing'}.`
}

/** Says an event in one sentence, with the number of specs that it spoiled. The sentence includes the time. */
export function eventText({ text, specs }: RunEvent): string {
  return `${text}${specs.length > 0 ? ` (${count(specs.length, 'spec')} concerned)` : ''}`
}

/** Says a doubt of the run in one sentence. */
export function doubtText({ requirement, text }: Doubt): string {
  return `${requirement} is in doubt: ${text}`
}

/** Returns the place of a spec in the form that editors and terminals link: `specs/revocation.yaml:12`. */
export function place(spec: SpecRecord): string {
  return `${spec.file}:${spec.line}`
}

/**
 * Returns the place of a spec in the user's own repository, for links. Undefined for the suite's own specs, and for files
 * outside the folder in which the run started.
 */
export function ownPlace({ file, line, isOwn, pin, area }: SpecRecord): { file: string; line?: number } | undefined {
  // Pins and baseline entries are in the user's own files.
  const isTheirs = isOwn === true || pin !== undefined || area === 'baseline'
  if (!isTheirs || file === '' || /^([/\\]|[A-Za-z]:|\.\.([/\\]|$))/.test(file)) return undefined
  return { file, ...(Number.isInteger(line) && line > 0 && { line }) }
}

/** Names the tested Core: `staging, https://10.0.0.5`. */
export function targetText({ label, url, kind }: RunResult['target']): string {
  const where = kind === 'mock' ? `${url} (embedded mock Core)` : url
  return label === undefined ? where : `${label}, ${where}`
}

/** Says the measured idle lifetime in words. */
export function measured({ aliveMs, expiredMs }: MeasuredLifetime): string {
  if (aliveMs === null) return `less than ${duration(expiredMs ?? 0)}, as measured`
  if (expiredMs === null) return `more than ${duration(aliveMs)}, as measured`
  if (expiredMs < aliveMs)
    return `varies: a token had expired after ${duration(expiredMs)}, and another was valid after ${duration(aliveMs)}`
  return `between ${duration(aliveMs)} and ${duration(expiredMs)}, as measured`
}

/** Says how long a run took. For a run in virtual time, also says how much time passed on the clock of the mock Core. */
export function timeTaken({ time, durationMs, specs }: RunResult): string {
  if (time === 'real') return duration(durationMs)
  const end = Math.max(0, ...specs.map(spec => spec.atMs + spec.durationMs))
  return `${duration(durationMs)} real, ${duration(end)} virtual: the mock Core's clock was advanced`
}
