/** Reads baselines: the user's files of specs that are known to fail. Format: `contracts/baseline.schema.json`. */

import { inert } from '../report/inert.js'
import { accused, answerKind, isMiss } from '../result/accused.js'
import type { KnownFailure, RequirementRef, SpecRecord, StepRecord } from '../result.js'
import { type Problem, SuiteError } from '../suite/problem.js'
import type { BaselineFile } from './types.js'

/** One spec that is known to fail. `line` is the 1-based line of its entry. */
interface Entry extends KnownFailure {
  spec: string
  line: number
}

/** A baseline that was read. */
export interface Baseline {
  /** The path, as the user wrote it. */
  file: string
  entries: Entry[]
}

/** What the reader of a baseline must know of the run. */
interface BaselineUse {
  /** All specs of the suite. An entry for another spec is a mistake. Absent: entries are not checked for that. */
  specs?: readonly { id: string; level: 'must' | 'observe' }[]
  /** The firmware, as the user says. */
  firmware: string | undefined
}

/**
 * Reads a baseline. Leaves out entries for a range of firmware that does not include the given firmware.
 * @throws SuiteError with every problem, each with its place: a breach of the schema, an unknown spec, a malformed range, or a
 *   range that cannot be checked because no firmware was given
 */
export async function readBaseline(file: string, { specs, firmware }: BaselineUse): Promise<Baseline> {
  const { readDocument } = await import('../suite/document.js')
  const { value, problemAt } = readDocument<BaselineFile>(file, file, 'baseline')
  const { hint } = await import('../suite/problem.js')
  const ids = specs?.map(({ id }) => id)
  const problems: Problem[] = []
  const entries: Entry[] = []
  for (const [spec, known] of Object.entries(value)) {
    const miss = (key: string | undefined, message: string) =>
      problems.push(problemAt(key === undefined ? [spec] : [spec, key], message))
    const { expires } = known
    if (ids && !ids.includes(spec)) miss(undefined, `there is no spec '${spec}'${hint(spec, ids)}`)
    else if (specs?.some(({ id, level }) => id === spec && level === 'observe')) {
      miss(undefined, `'${spec}' only observes, so it cannot fail: remove it`)
    }
    const day = new Date(`${expires}T00:00:00Z`)
    const isDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(expires ?? '')
    if (expires !== undefined && !isDay) miss('expires', `there is no such day as ${expires}`)
    const fits = known.firmware === undefined || (await inRange(known.firmware, firmware))
    if (fits === undefined)
      miss('firmware', `this entry is for firmware ${known.firmware}: say which one it is with --firmware`)
    else if (typeof fits === 'string') miss('firmware', fits)
    else if (fits) entries.push({ ...known, spec, line: problemAt([spec], '').line })
  }
  if (problems.length) throw new SuiteError(problems)
  return { file, entries }
}

/**
 * Checks whether a firmware is in a range. `2.4` counts as 2.4.0, and a prerelease as a version of its own.
 * @returns true or false; a message where the range or the firmware is no version; undefined where no firmware was given
 */
export async function inRange(range: string, firmware: string | undefined): Promise<boolean | string | undefined> {
  const { default: semver } = await import('semver')
  if (semver.validRange(range) === null) return `'${range}' is no range of versions: use one such as '>=2.1 <2.4'`
  if (firmware === undefined) return undefined
  const version = semver.valid(firmware) ?? semver.coerce(firmware, { includePrerelease: true })
  if (version === null) return `the firmware '${firmware}' is no version, so whether it is in '${range}' cannot be said`
  return semver.satisfies(version, range, { includePrerelease: true })
}

/** What a spec saw fail: the requirement that it accuses, and what was seen. */
type Symptom = Pick<KnownFailure, 'requirement' | 'seen'>

/**
 * Returns the symptom of a failed spec. It is the same in every run in which the Core does the same: times, tokens and numbers of
 * tries have no part in it, and of the answers before the miss only the class of their status has.
 */
export function symptomOf(spec: SpecRecord): Symptom {
  const [requirement] = accused(spec)
  const at = spec.steps.findIndex(isMiss)
  const step = spec.steps[at]
  const seen = step && `${step.seen ?? step.text} (${answersOf(spec, spec.steps.slice(0, at), step)})`
  return { ...(requirement && { requirement: requirement.id }), ...(seen !== undefined && { seen: inert(seen) }) }
}

/** Whether a failure is the one that an entry names. An entry that names none takes any failure. */
export function isKnown({ requirement, seen }: Symptom, spec: SpecRecord): boolean {
  const now = symptomOf(spec)
  return (requirement === undefined || requirement === now.requirement) && (seen === undefined || seen === now.seen)
}

/** Says a symptom in words: `REVOKE-1: a revoked token is still accepted (…)`. */
export function symptomText({ requirement, seen }: Symptom): string {
  return [requirement, seen].filter(part => part !== undefined).join(': ') || 'no symptom'
}

/** Says what the Core answered: `200, accepted, after POST 2xx, DELETE 4xx`. */
function answersOf({ exchanges }: SpecRecord, before: StepRecord[], { got = 'nothing' }: StepRecord): string {
  const earlier = before.flatMap(step => {
    const { request, response } = exchanges[step.exchanges[0] ?? -1] ?? {}
    if (!request) return []
    return `${request.method} ${response ? `${Math.floor(response.status / 100)}xx` : 'without an answer'}`
  })
  const after = earlier.length > 0 ? `, after ${[...new Set(earlier)].join(', ')}` : ''
  return `${answerKind(got)}${after}`
}

/** The requirement that an expired entry breaks. */
const IN_DATE: RequirementRef = {
  id: 'BASELINE',
  text: 'a known failure is accepted until the day that its entry names',
  section: 'the baseline, not the reference',
}

/**
 * Applies a baseline to the outcomes of a run. A spec with an entry that failed becomes a known failure. A spec with an entry
 * that passed becomes an unexpected pass. A spec that failed with another symptom than its entry names stays failed. An expired entry excuses nothing; if its spec did not run, the entry itself fails.
 * @param today `YYYY-MM-DD`, UTC
 */
export function applyBaseline(specs: SpecRecord[], { file, entries }: Baseline, today: string): SpecRecord[] {
  const bySpec = new Map(entries.map(entry => [entry.spec, entry]))
  const told = specs.map(record => {
    const entry = bySpec.get(record.id)
    return entry && !record.pin ? withEntry(record, entry, isExpired(entry, today)) : record
  })
  const stale = specs.flatMap(record => {
    const entry = bySpec.get(record.id)
    return entry && isExpired(entry, today) && !isEnded(record) && record.outcome !== 'pending'
      ? [expiredRecord(record, entry, file)]
      : []
  })
  return [...told, ...stale]
}

function isExpired({ expires }: KnownFailure, today: string): boolean {
  return expires !== undefined && expires < today
}

function isEnded({ outcome }: SpecRecord): boolean {
  return outcome === 'passed' || outcome === 'failed'
}

function withEntry(record: SpecRecord, { spec: _spec, line: _line, ...known }: Entry, expired: boolean): SpecRecord {
  if (!isEnded(record)) return record
  const about = `${known.reason}${known.issue === undefined ? '' : ` (${known.issue})`}`
  if (record.outcome === 'passed') {
    const message = `it passed, but the baseline knows it to fail: ${about}; take it out of the baseline`
    return { ...record, outcome: 'unexpected pass', message, known }
  }
  const why = record.message ?? 'it failed'
  if (expired)
    return { ...record, message: `${why}; the baseline accepted this until ${known.expires}: ${about}`, known }
  if (!isKnown(known, record)) {
    const other = `the baseline knows another failure of this spec, ${symptomText(known)} (${about})`
    return { ...record, message: `${why}; ${other}`, known }
  }
  return { ...record, outcome: 'known failure', message: `known: ${about}. Seen: ${why}`, known }
}

function expiredRecord({ id, outcome }: SpecRecord, { line, expires, reason }: Entry, file: string): SpecRecord {
  return knownRecord('baseline', id, {
    title: `the baseline entry of ${id} is in date`,
    requirement: IN_DATE,
    file,
    line,
    outcome: 'failed',
    message: `it expired on ${expires} (${reason}), and the spec is ${outcome} in this run: renew the entry, or remove it`,
  })
}

type Said = Pick<SpecRecord, 'title' | 'file' | 'line' | 'outcome' | 'message' | 'pin'>

/** Makes the record of what is no spec, and stands among the specs so that every report shows it. */
export function knownRecord(
  what: 'pin' | 'baseline',
  of: string,
  { title, requirement, steps = [], ...said }: Said & { requirement: RequirementRef; steps?: StepRecord[] },
): SpecRecord {
  const [area, level] = [what === 'pin' ? 'pins' : what, 'must' as const]
  const id = `${what}-${of}`
  return { id, area, title, level, requirements: [requirement], ...said, atMs: 0, durationMs: 0, steps, exchanges: [] }
}
