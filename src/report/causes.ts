/** Groups failures by requirement and cause, so that reports show each cause once, with its specs. */

import { grouped, type Some } from '../ground/grouped.js'
import { accused, answerKind, isMiss } from '../result/accused.js'
import { isSpec } from '../result/outcomes.js'
import type { RequirementRef, RunResult, SpecRecord } from '../result.js'
import { missedStep, why } from './words.js'

/** The advice for an open Core, in one sentence. */
export const OPEN_CORE =
  'This Core accepts every request, with any token or none: if access control is meant to be off, test it with run --access-control off; else switch access control on'

/** The words by which the engine says that a request was accepted instead of refused. */
const LET_IN = /as a fresh token gets|got through/

/** Fewest failed specs of an open Core. A single spec may fail for a reason of its own. */
const LEAST = 2

/**
 * Returns the specs that failed only because the Core is open. The run expects access control, but the survey found that no
 * token and a made-up token get the same answer as a valid token. Empty for any other Core.
 */
export function failedSinceOpen({ specs, configuration, dialect }: RunResult): SpecRecord[] {
  const { acceptedStatus, rejectedStatus, unknownTokenStatus, refused } = dialect
  const isOpen =
    configuration.accessControl === 'on' &&
    typeof acceptedStatus === 'number' &&
    acceptedStatus < 400 &&
    rejectedStatus === acceptedStatus &&
    unknownTokenStatus === acceptedStatus &&
    !refused?.length
  const own = isOpen ? specs.filter(isLetIn) : []
  return own.length < LEAST ? [] : own
}

/** Returns the specs that were blocked because the Core is open; see {@link failedSinceOpen}. */
export function blockedSinceOpen(result: RunResult): SpecRecord[] {
  if (failedSinceOpen(result).length === 0) return []
  return result.specs.filter(({ outcome, message = '' }) => outcome === 'blocked' && LET_IN.test(message))
}

/** Whether a spec expected a refusal, and got the answer that a valid token gets. */
function isLetIn(spec: SpecRecord): boolean {
  const step = spec.outcome === 'failed' ? spec.steps.find(isMiss) : undefined
  if (step?.got === undefined) return false
  return LET_IN.test(step.got) && /rejected|anything but/.test(step.expected ?? '')
}

/** Specs that failed on the same requirement, expecting and getting the same kind of thing. */
export interface Cause {
  /** What to do, in one sentence; absent where the Core must be fixed. */
  advice?: string
  /** At least one spec: first the one whose consequence is shown, then the others in the order of the run. */
  specs: Some<SpecRecord>
}

/**
 * Lists the failures, by accused requirement in the order of the ledger, then by cause, the one with most specs first. Failures
 * that accuse no requirement of the reference (pins, baseline entries) come last. A spec that accuses several requirements is
 * listed under the first. If the Core is open, all failures that follow from that are one failure, before all others.
 */
export function failuresOf(result: RunResult) {
  const { specs, requirements } = result
  const [first, ...more] = failedSinceOpen(result)
  const open: Some<SpecRecord> | undefined = first && [first, ...more]
  const failed = specs.filter(spec => spec.outcome === 'failed' && !open?.includes(spec))
  const place = new Map(requirements.map(({ id }, index) => [id, index]))
  const byRequirement = [...grouped(failed, spec => accused(spec)[0]?.id ?? '')]
  const rank = ([id]: [string, SpecRecord[]]) => place.get(id) ?? requirements.length
  const groups = byRequirement.sort((a, b) => rank(a) - rank(b)).map(([, own]) => own)
  return (open ? [open, ...groups] : groups).map(own => {
    const [requirement] = accused(own[0])
    const causes: Cause[] =
      own === open ? [{ ...causeOf(own, requirement), advice: OPEN_CORE }] : causesOf(own, requirement)
    return { requirement, causes }
  })
}

function causesOf(specs: SpecRecord[], requirement: RequirementRef | undefined): Cause[] {
  const groups = grouped(specs, spec => {
    const step = missedStep(spec)
    // Each pinned fact and baseline entry is of its own.
    return JSON.stringify([answerKind(step?.expected), answerKind(step?.got), isSpec(spec) ? '' : spec.id])
  })
  return [...groups.values()].sort((a, b) => b.length - a.length).map(own => causeOf(own, requirement))
}

/**
 * Makes a cause of specs. First comes one that was seen again when it was tried alone, since its line to repeat it shows nothing else: best one
 * with the requirement's own consequence, of the area that most of the specs are of. It shows the usual case, and other areas special ones.
 */
function causeOf(own: Some<SpecRecord>, requirement: RequirementRef | undefined): Cause {
  const general = requirement?.consequence
  const isGeneral = (spec: SpecRecord) => general !== undefined && missedStep(spec)?.consequence === general
  const areas = [...grouped(own, ({ area }) => area)].sort(([, a], [, b]) => b.length - a.length)
  const isAgain = (spec: SpecRecord) => !spec.seenOnce
  const again = own.some(isAgain) ? own.filter(isAgain) : own
  const usual = again.filter(({ area }) => area === areas[0]?.[0])
  const speaking = usual.find(isGeneral) ?? again.find(isGeneral) ?? usual[0] ?? again[0] ?? own[0]
  return { specs: [speaking, ...own.filter(spec => spec !== speaking)] }
}

/** Returns what a failed spec saw, in words. */
export function seenBy(spec: SpecRecord): string {
  return missedStep(spec)?.seen ?? why(spec)
}

/**
 * Groups specs of a list, such as the known failures: specs with one baseline entry's words, one requirement and one kind of answer
 * are one entry, with their number and one example.
 */
export function alikeIn(specs: readonly SpecRecord[]): Some<SpecRecord>[] {
  const groups = grouped(specs, spec => {
    const { reason = spec.message, issue, expires, requirement: known } = spec.known ?? {}
    const step = missedStep(spec)
    const requirement = known ?? accused(spec)[0]?.id ?? spec.requirements[0]?.id
    const kinds = [answerKind(step?.expected), answerKind(step?.got)]
    return JSON.stringify([spec.outcome, reason, issue, expires, requirement, ...kinds])
  })
  return [...groups.values()]
}
