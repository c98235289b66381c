/** Judges a run of the matrix: whether the suite saw the defect, and whether it accused only broken requirements. */
import type { DefectInfo } from '../dist/mock/index.js'
import type { Outcome, RunResult, Verdict } from '../dist/result.js'
import type { Subject } from './matrix-subjects.js'

/** The suite's findings on a subject. */
export interface SubjectResult {
  subject: Subject
  verdict: Verdict
  reason: string
  outcomes: Record<string, Outcome>
  /** The message of each spec that failed, was blocked or inconclusive. */
  messages: Record<string, string>
  /** The ids of the requirements that are not met, each with the failed specs that name it. */
  notMet: Record<string, string[]>
  refusedLogons: number
  /** The ids of the requirements in doubt. */
  inDoubt: string[]
  /**
   * With a mutant, its parts that some request had, the number of requests that had all, and of answers that no honest Core would
   * have given.
   */
  did?: { met: string[]; triggered: number; shown: number }
  /** The ids of the requirements that the explorer found broken. */
  found: string[]
  /** Whether the run reported a loss of all tokens, as by a restart of the Core. */
  hasEvent: boolean
  tokensLeft: number
  durationMs: number
}

/** The judgement on the suite's findings about a defect. */
export interface Judgement {
  /** The suite did not see the defect. */
  escaped: boolean
  /** The requirements that were accused but are not broken. */
  wrongly: string[]
}

/** Extracts the data of the matrix from a result. */
export function summaryOf(subject: Subject, result: RunResult, durationMs: number): SubjectResult {
  const told = result.specs.filter(({ outcome }) => ['failed', 'blocked', 'inconclusive'].includes(outcome))
  return {
    subject,
    verdict: result.verdict,
    reason: result.reason,
    outcomes: Object.fromEntries(result.specs.map(({ id, outcome }) => [id, outcome])),
    messages: Object.fromEntries(told.map(({ id, message }) => [id, message ?? ''])),
    notMet: notMetOf(result),
    refusedLogons: result.refusedLogons,
    inDoubt: (result.requirements ?? []).flatMap(({ id, state }) => (state === 'in doubt' ? id : [])),
    found: (result.exploration?.findings ?? []).flatMap(({ requirement, state }) =>
      state === 'flaky' ? [] : requirement,
    ),
    hasEvent: (result.events ?? []).length > 0,
    tokensLeft: result.tokens.left,
    durationMs,
  }
}

/**
 * Returns the requirements that are not met by their state in the result. Without states, these are the requirements of the
 * failed specs.
 */
export function notMetOf({ requirements = [], specs }: RunResult): Record<string, string[]> {
  const failed = specs.filter(({ outcome, level }) => outcome === 'failed' && level === 'must')
  const naming = (id: string) =>
    failed.filter(spec => spec.requirements.some(known => known.id === id)).map(({ id }) => id)
  const states = requirements.flatMap(record =>
    'state' in record && typeof record.state === 'string' ? [{ id: record.id, state: record.state }] : [],
  )
  const ids =
    states.length > 0
      ? states.filter(({ state }) => state === 'not met').map(({ id }) => id)
      : [...new Set(failed.flatMap(spec => spec.requirements.map(({ id }) => id)))].sort()
  return Object.fromEntries(ids.map(id => [id, naming(id)]))
}

/**
 * Judges the suite's findings about a defect. The suite saw it when one of its broken requirements is not met. Where no logon
 * succeeds, nothing can be tested, and the suite saw it when the run ends with that verdict. A defect like a restart is seen
 * when the run reports a restart and is not conformant.
 */
export function judgeDefect(defect: DefectInfo, { verdict, notMet, hasEvent }: SubjectResult): Judgement {
  const { requirements, mayAlso = [] } = defect
  const accused = Object.keys(notMet)
  const isUntestable = verdict === 'untestable' && accused.length === 0 && requirements.includes('LOGON-1')
  const isTold = defect.isLikeRestart === true && hasEvent && verdict !== 'conformant'
  return {
    escaped: !isUntestable && !isTold && !accused.some(id => requirements.includes(id)),
    wrongly: accused.filter(id => !requirements.includes(id) && !mayAlso.includes(id)),
  }
}

/** Tells whether an honest Core was judged as honest: conformant, with every requirement met. */
export function isAcquitted({ verdict, notMet }: SubjectResult): boolean {
  return verdict === 'conformant' && Object.keys(notMet).length === 0
}
