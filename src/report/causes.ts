/** Failures of one cause, which are told once: the statement and what it means for clients, then the specs under it. */
import { accused, isMiss } from '../accused.js'
import type { RequirementRef, RunResult, SpecRecord, StepRecord } from '../result.js'
import { grouped } from './grouped.js'
import { failedSinceOpen, OPEN_CORE, type OpenCoreSource } from './open-core.js'
import { deciding, why } from './words.js'

/** Specs that failed on the same requirement, expecting and getting the same kind of thing. */
export interface Cause {
  /** The step that the first of the specs missed; absent where a result says nothing of steps. */
  step?: StepRecord
  /** What it means for clients, in one sentence; absent where nobody wrote it down. */
  consequence?: string
  /** What to do about it, in one sentence; absent where that is to mend the Core. */
  advice?: string
  /** At least one: the one that speaks for all, then the others in the order of the run. */
  specs: SpecRecord[]
}

/** One requirement with the causes for which specs failed on it. */
export interface Failure {
  /** Absent where the specs name none. */
  requirement?: RequirementRef
  /** The most specs first. */
  causes: Cause[]
}

/** What tells of failures: a run, or what is none, which knows nothing of configuration and dialect. */
export type FailureSource = OpenCoreSource & Pick<RunResult, 'requirements'>

/**
 * What failed, by the requirement that is accused and by what was seen, in the order of the ledger; then what is no requirement
 * of the reference (pins, the baseline). A spec that accuses several stands under the first. That a Core is open is one failure
 * before all others.
 */
export function failuresOf(result: FailureSource): Failure[] {
  const { specs, requirements = [] } = result
  const open = failedSinceOpen(result)
  const failed = specs.filter(spec => spec.outcome === 'failed' && !open.includes(spec))
  const place = new Map(requirements.map(({ id }, index) => [id, index]))
  const of = (spec: SpecRecord) => accused(spec)[0]
  const byRequirement = [...grouped(failed, spec => of(spec)?.id ?? '')]
  const rank = ([id]: [string, SpecRecord[]]) => place.get(id) ?? requirements.length
  const [first] = open
  const requirement = first && of(first)
  const ofOpen: Failure[] =
    first === undefined
      ? []
      : [{ ...(requirement && { requirement }), causes: [{ ...causeOf(open, requirement), advice: OPEN_CORE }] }]
  const others = byRequirement
    .sort((a, b) => rank(a) - rank(b))
    .map(([, own]) => {
      const [first] = own
      const requirement = first && of(first)
      return { ...(requirement && { requirement }), causes: causesOf(own, requirement) }
    })
  return [...ofOpen, ...others]
}

function causesOf(specs: SpecRecord[], requirement: RequirementRef | undefined): Cause[] {
  const groups = grouped(specs, spec => {
    const step = missed(spec)
    return JSON.stringify([kindOf(step?.expected), kindOf(step?.got)])
  })
  return [...groups.values()].sort((a, b) => b.length - a.length).map(own => causeOf(own, requirement))
}

/** Where specs mean different things for clients, the one of which the requirement as a whole holds speaks for all. */
function causeOf(own: SpecRecord[], requirement: RequirementRef | undefined): Cause {
  const general = requirement?.consequence
  const isGeneral = (spec: SpecRecord) => general !== undefined && meaning(missed(spec), requirement) === general
  const speaking = own.find(isGeneral) ?? own[0]
  const specs = speaking ? [speaking, ...own.filter(spec => spec !== speaking)] : own
  const step = speaking && missed(speaking)
  const consequence = meaning(step, requirement)
  return { ...(step && { step }), ...(consequence !== undefined && { consequence }), specs }
}

function missed(spec: SpecRecord): StepRecord | undefined {
  return spec.steps.find(isMiss) ?? deciding(spec)[0]
}

/** What a miss means for clients; of a result of an older version, what its requirement says in general. */
function meaning(step: StepRecord | undefined, requirement: RequirementRef | undefined): string | undefined {
  return step?.seen === undefined ? requirement?.consequence : step.consequence
}

/** The kind of what was expected or came: a status or a few words, without what varies from one exchange to the next. */
function kindOf(text = ''): string {
  const [status] = /^\d{3}\b/.exec(text) ?? []
  const isOpen = text.includes('as a fresh token gets') || text.includes('with a token')
  return `${status ?? text.replace(/[:(,].*$/s, '').replace(/\d+/g, '#')}${isOpen ? ', accepted' : ''}`
}

/** What a failed spec has seen, in words. */
export function seenBy(spec: SpecRecord): string {
  return missed(spec)?.seen ?? why(spec)
}

/** The other failed specs of the same cause, by spec; a spec that failed alone has none. */
export function sameCause(result: FailureSource): Map<SpecRecord, Cause> {
  const causes = failuresOf(result).flatMap(failure => failure.causes)
  return new Map(causes.flatMap(cause => cause.specs.map((spec): [SpecRecord, Cause] => [spec, cause])))
}
