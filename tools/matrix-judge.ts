/** What the matrix makes of a run: whether the suite saw a defect, and whether it accused what is broken and nothing else. */
import type { DefectInfo } from '../dist/mock/index.js'
import type { Outcome, RunResult, Verdict } from '../dist/result.js'
import type { Subject } from './matrix-subjects.js'

/** What the suite made of a subject. */
export interface SubjectResult {
  subject: Subject
  verdict: Verdict
  reason: string
  outcomes: Record<string, Outcome>
  /** Why each spec failed, was blocked or inconclusive. */
  messages: Record<string, string>
  /** The ids of the requirements that are not met, each with the specs that failed and name it. */
  notMet: Record<string, string[]>
  refusedLogons: number
  /** The ids of the requirements that the explorer found broken. */
  found: string[]
  /** Whether tokens were told to be lost at once, as by a restart of the Core. */
  hasEvent: boolean
  tokensLeft: number
  durationMs: number
}

/** What is wrong with what the suite made of a defect. */
export interface Judgement {
  /** The suite did not see the defect. */
  escaped: boolean
  /** The requirements that were accused and are not broken. */
  wrongly: string[]
}

/** Takes from a result what the matrix is about. */
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
    found: (result.exploration?.findings ?? []).flatMap(({ requirement, state }) =>
      state === 'flaky' ? [] : requirement,
    ),
    hasEvent: (result.events ?? []).length > 0,
    tokensLeft: result.tokens.left,
    durationMs,
  }
}

/**
 * The requirements that are not met by their state in the result. In a result without states they are those that failed specs
 * name.
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
 * Judges what the suite made of a defect. It is seen when one of the requirements that it breaks is not met; where no logon
 * succeeds, there is nothing to test, and it is seen when the run ends by that. What looks like a restart is seen when it is told as one,
 * and the run is not conformant.
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

/** Whether an honest Core got what it should: it conforms, and nothing is not met. */
export function isAcquitted({ verdict, notMet }: SubjectResult): boolean {
  return verdict === 'conformant' && Object.keys(notMet).length === 0
}
