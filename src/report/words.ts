/** The words and figures that more than one report says. */
import { duration } from '../duration.js'
import { count, numbered } from '../ground/count.js'
import type { Doubt, MeasuredLifetime, RunEvent, RunResult, SpecRecord, StepRecord } from '../result.js'

/** The outcomes and states that are nouns; all others say what became of the specs, and are the same for many. */
const PLURALS: Record<string, string> = { 'known failure': 'known failures', 'unexpected pass': 'unexpected passes' }

/** An outcome, or a state of a requirement, as it stands behind a number. */
export function outcomeWord(number: number, outcome: string): string {
  return numbered(number, outcome, PLURALS[outcome] ?? outcome)
}

/** The same with its number: `3 failed`, `1 known failure`, `2 known failures`. */
export function countedAs(number: number, outcome: string): string {
  return `${number} ${outcomeWord(number, outcome)}`
}

/** `2 of 5 may still be live`; of some the Core never told, so that there may be more than came. */
export function liveTokens({ left, issued }: RunResult['tokens']): string {
  return left > issued
    ? `up to ${left} may still be live, some of which never arrived`
    : `${left} of ${issued} may still be live`
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

/** An event in one sentence, with how many specs it spoiled. The sentence of the result says when it was. */
export function eventText({ text, specs }: RunEvent): string {
  return `${text}${specs.length > 0 ? ` (${count(specs.length, 'spec')} concerned)` : ''}`
}

/** What puts a requirement in doubt that no failed spec tells of: the doubts of the run. */
export function doubtText({ requirement, text }: Doubt): string {
  return `${requirement} is in doubt: ${text}`
}

/** Where a spec stands, as editors and terminals link it: `specs/revocation.yaml:12`. */
export function place(spec: SpecRecord): string {
  return `${spec.file}:${spec.line}`
}

/**
 * Where a spec stands in the user's own repository, for what links there: of the suite's own specs undefined, and of files that are
 * outside the folder that the run was started in.
 */
export function ownPlace({ file, line, isOwn, pin, area }: SpecRecord): { file: string; line?: number } | undefined {
  // A pinned fact and an entry of a baseline stand in a file of the user's.
  const isTheirs = isOwn === true || pin !== undefined || area === 'baseline'
  if (!isTheirs || file === '' || /^([/\\]|[A-Za-z]:|\.\.([/\\]|$))/.test(file)) return undefined
  return { file, ...(Number.isInteger(line) && line > 0 && { line }) }
}

/** The Core that was tested: `staging, https://10.0.0.5`. */
export function targetText({ label, url, kind }: RunResult['target']): string {
  const where = kind === 'mock' ? `${url} (embedded mock Core)` : url
  return label === undefined ? where : `${label}, ${where}`
}

/** The idle lifetime as it was measured, in words. */
export function measured({ aliveMs, expiredMs }: MeasuredLifetime): string {
  if (aliveMs === null) return `less than ${duration(expiredMs ?? 0)}, as measured`
  if (expiredMs === null) return `more than ${duration(aliveMs)}, as measured`
  if (expiredMs < aliveMs)
    return `varies: a token had expired after ${duration(expiredMs)}, and another was valid after ${duration(aliveMs)}`
  return `between ${duration(aliveMs)} and ${duration(expiredMs)}, as measured`
}

/** On a virtual clock the wall time says nothing of the hours that were tested, so both are told. */
export function timeTaken({ time, durationMs, specs }: RunResult): string {
  if (time === 'real') return duration(durationMs)
  const end = Math.max(0, ...specs.map(spec => spec.atMs + spec.durationMs))
  return `${duration(durationMs)} real, ${duration(end)} virtual: the mock Core's clock was advanced`
}
