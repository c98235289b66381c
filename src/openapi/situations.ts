/** Lists the situations in which an operation was seen to answer, with the answers. */
import type { ExchangeRecord, ResponseRecord, RunResult } from '../result.js'
import { issuedBody } from './body.js'

/** The operations of the document, by their ids. */
export type OperationId = 'logon' | 'revokeToken' | 'getUsers'

/** Whether the Core did what the request asked. */
export type Kind = 'accepted' | 'refused'

/** A request of a client in one situation, and the Core's answers. */
export interface Situation {
  operation: OperationId
  /** The name of the facts about it; `missing-host` has no facts. */
  name: string
  /** A short description of the request. */
  about: string
  /** The reaction that the reference demands, where it says so. */
  kind: Kind
  status: number
  /** The recorded answers in exactly this situation. */
  answers: ResponseRecord[]
}

/** The situations that client teams meet: name, request, demanded reaction, and the spec whose last step it is. */
const KNOWN: Record<OperationId, [name: string, about: string, kind: Kind, spec: string][]> = {
  logon: [
    ['logon', 'correct credentials', 'accepted', 'observe-logon'],
    ['logon-wrong-password', 'a wrong password', 'refused', 'logon-wrong-password'],
    ['logon-wrong-username', 'a wrong user name', 'refused', 'logon-wrong-username'],
    ['logon-malformed', 'a JSON object without the fields', 'refused', 'logon-empty-body'],
    ['logon-form', 'a form instead of JSON', 'refused', 'observe-form-logon'],
  ],
  revokeToken: [
    ['revocation', 'a valid token', 'accepted', 'observe-revocation'],
    ['revocation-repeated', 'a token that is revoked already', 'refused', 'observe-revocation-repeated'],
    ['revocation-without-token', 'a request without a token', 'refused', 'observe-revocation-without-token'],
  ],
  getUsers: [
    ['access', 'a valid token', 'accepted', 'observe-access'],
    ['no-token', 'a request without a token', 'refused', 'observe-no-token'],
    ['unknown-token', 'a token that was never issued', 'refused', 'observe-unknown-token'],
    ['revoked-token', 'a revoked token', 'refused', 'observe-revoked-token'],
    ['expired-token', 'an expired token', 'refused', 'observe-expired-token'],
  ],
}

/** Returns the situations of an operation that a run saw, in the order of the document. */
export function situationsOf(result: RunResult, operation: OperationId): Situation[] {
  const { configuration, dialect } = result
  const known = KNOWN[operation].flatMap(([name, about, wanted, spec]): Situation[] => {
    const status = statusOf(result, name)
    if (status === undefined) return []
    const { steps = [], exchanges = [] } = result.specs.find(({ id }) => id === spec) ?? {}
    const told = (steps.at(-1)?.exchanges ?? []).flatMap(index => exchanges[index]?.response ?? [])
    const answers = told.filter(answer => answer.status === status)
    // With access control off nothing is refused for a missing token.
    const isOpen =
      configuration.accessControl === 'off' && operation === 'getUsers' && status === dialect.acceptedStatus
    return [{ operation, name, about, kind: isOpen ? 'accepted' : wanted, status, answers }]
  })
  return [...known, ...missingHost(result, operation)]
}

/**
 * Tells whether an answer contradicts the reference, such as a token for wrong credentials. Such an answer is a fault of this
 * Core, not a part of its API: no client may rely on it.
 */
export function isFault({ operation, name, kind, status, answers }: Situation, { dialect }: RunResult): boolean {
  if (kind === 'accepted') return false
  if (name === 'missing-host') return status !== 406
  if (operation === 'logon') return answers.some(answer => issuedBody(answer, dialect) !== undefined)
  return operation === 'getUsers' && (status < 400 || status > 499)
}

/** Returns every answer of an operation with this status to a request with a Host header, in the order sent. */
export function answersWith(result: RunResult, operation: OperationId, status: number): ResponseRecord[] {
  return answersOf(result, operation, hasHost).filter(answer => answer.status === status)
}

/** Finds the status of a situation. A run that did not reach the specs still has the findings of the survey. */
function statusOf({ facts, dialect, configuration }: RunResult, name: string): number | undefined {
  const isOpen = configuration.accessControl === 'off'
  const surveyed: Record<string, number | null> = {
    // A logon without a token does not show the form of a logon with one.
    logon: dialect.token && dialect.logonStatus,
    // With access control off, the survey asks without a token.
    access: isOpen ? null : dialect.acceptedStatus,
    'no-token': isOpen ? dialect.acceptedStatus : dialect.rejectedStatus,
    'unknown-token': dialect.unknownTokenStatus,
  }
  const status = facts[`${name}.status`] ?? surveyed[name]
  return typeof status === 'number' ? status : undefined
}

/** Returns the situations without Host. A single answer other than 406 outweighs all the others. */
function missingHost(result: RunResult, operation: OperationId): Situation[] {
  const all = answersOf(result, operation, each => !hasHost(each) && each.request.httpVersion === '1.1')
  const status = all.find(answer => answer.status !== 406)?.status ?? all[0]?.status
  if (status === undefined) return []
  const answers = all.filter(answer => answer.status === status)
  return [{ operation, name: 'missing-host', about: 'a request without Host', kind: 'refused', status, answers }]
}

/** Returns the answers to those requests of an operation that are wanted. */
function answersOf(
  { survey, specs, configuration }: RunResult,
  operation: OperationId,
  isWanted: (exchange: ExchangeRecord) => boolean,
): ResponseRecord[] {
  const [method, path] = {
    logon: ['POST', '/api/v0/logon'],
    revokeToken: ['DELETE', '/api/v0/logon'],
    getUsers: ['GET', configuration.probePath],
  }[operation]
  return [...survey, ...specs.flatMap(({ exchanges }) => exchanges)]
    .filter(each => each.request.method === method && each.request.path === path && isWanted(each))
    .flatMap(({ response }) => response ?? [])
}

function hasHost({ request }: ExchangeRecord): boolean {
  return request.headers.some(([name]) => name.toLowerCase() === 'host')
}
