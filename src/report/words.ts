/** Makes the words and figures that several reports share. */
import { duration } from '../duration.js'
import { count } from '../ground/count.js'
import { isMiss } from '../result/accused.js'
import { countedAs, MARKS } from '../result/outcomes.js'
import {
  type Doubt,
  type Exploration,
  type FindingRecord,
  type MeasuredLifetime,
  OUTCOMES,
  type Outcome,
  type RunEvent,
  type RunResult,
  type SpecRecord,
  type StepRecord,
  type Visit,
} from '../result.js'

/** Says how many tokens may be live: `2 of 5 may still be live`. Answers with tokens may be lost: `left` may exceed `issued`. */
export function liveTokens({ left, issued }: RunResult['tokens']): string {
  return left > issued
    ? `up to ${left} may still be live, some of which never arrived`
    : `${left} of ${issued} may still be live`
}

/** Says a time to the minute: `2025-03-01 14:05 UTC`. @param iso ISO 8601 in UTC */
export function minuteOf(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`
}

/** Says when to come back: `2026-11-21 14:05:10 to 14:09:00 UTC`. */
export function visitText({ fromAt, untilAt }: Visit): string {
  const [day, clock] = [(iso: string) => iso.slice(0, 10), (iso: string) => iso.slice(11, 19)]
  const from = `${day(fromAt)} ${clock(fromAt)}`
  if (untilAt === null) return `${from} UTC or later`
  return `${from} to ${day(fromAt) === day(untilAt) ? '' : `${day(untilAt)} `}${clock(untilAt)} UTC`
}

/** Returns the steps that decided a failed or inconclusive spec, in order. */
export function deciding(spec: SpecRecord): StepRecord[] {
  return spec.steps.filter(step => step.outcome === 'miss' || step.outcome === 'missed window')
}

/** Returns the step that a spec missed, or whose window it missed; undefined where the result has no such step. */
export function missedStep(spec: SpecRecord): StepRecord | undefined {
  return spec.steps.find(isMiss) ?? deciding(spec)[0]
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

/** Returns the place of a spec in the form that editors and terminals link: `specs/revocation.yaml:12`. What a run repeated is in no file. */
export function place({ file, line }: SpecRecord): string {
  return file === '' ? 'made by this run' : `${file}:${line}`
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

/** Sums up exploring: `412 requests in 15 sequences (seed 1), nothing found`, or why nothing was explored. */
export function exploredText({ seed, requests, sequences, findings, reason }: Exploration): string {
  if (requests === 0) return `nothing${reason === undefined ? '' : `: ${reason}`}`
  const what = `${count(requests, 'request')} in ${count(sequences, 'sequence')} (seed ${seed})`
  const found = findings.length === 0 ? 'nothing found' : count(findings.length, 'finding')
  return `${what}, ${found}${reason === undefined ? '' : `; then ${reason}`}`
}

/** Sums up a finding: `found-revoke-1-3f2a9c1b: a revoked token is accepted (confirmed, seen in 3 of 3 tries)`. */
export function findingText({ id, text, state, seen, tries, isShortest }: FindingRecord): string {
  const more = isShortest || state === 'flaky' ? '' : ', perhaps not the shortest'
  return `${id}: ${text} (${state}, seen in ${seen} of ${tries} tries${more})`
}

/** Counts specs by their outcomes, without those that no spec has: `2 failed` with its mark, as a tally shows it. */
export function countsOf(specs: readonly SpecRecord[]): { tone: Outcome; mark: string; text: string }[] {
  return OUTCOMES.flatMap(tone => {
    const number = specs.filter(({ outcome }) => outcome === tone).length
    return number > 0 ? [{ tone, mark: MARKS[tone], text: countedAs(number, tone) }] : []
  })
}

/** Says how many pinned facts held: `33 pinned facts: 31 as they were, 2 drifted`; undefined where none is pinned. */
export function pinsText({ specs }: RunResult): string | undefined {
  const pins = specs.filter(({ pin }) => pin !== undefined)
  if (pins.length === 0) return undefined
  const of = (outcome: Outcome) => pins.filter(pin => pin.outcome === outcome).length
  const rest = pins.length - of('passed') - of('failed')
  return `${count(pins.length, 'pinned fact')}: ${[
    `${of('passed')} unchanged`,
    ...(of('failed') > 0 ? [`${of('failed')} drifted`] : []),
    ...(rest > 0 ? [`${rest} not seen`] : []),
  ].join(', ')}`
}

/** Returns the anchor of each spec on the page. An id that is no name, or occurs twice, is replaced by a number. */
export function specAnchors(specs: readonly SpecRecord[]): Map<SpecRecord, string> {
  const taken = new Set<string>()
  return new Map(
    specs.map((spec, index) => {
      const named = `spec-${spec.id}`
      const anchor = /^[\w.-]+$/.test(named) && !taken.has(named) ? named : `spec--${index + 1}`
      taken.add(anchor)
      return [spec, anchor]
    }),
  )
}

/** Returns the anchor of a requirement's row on the page of a run; undefined for an id that is no name. */
export function requirementAnchor(id: string): string | undefined {
  return /^[\w.-]+$/.test(id) ? `requirement-${id}` : undefined
}
