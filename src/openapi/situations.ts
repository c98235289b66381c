/** The situations in which an operation was seen to answer, and with what. */
import type { ExchangeRecord, ResponseRecord, RunResult } from '../result.js'
import { issuedBody } from './body.js'

/** The operations of the document, by their ids. */
export type OperationId = 'logon' | 'revokeToken' | 'getUsers'

/** Whether the Core did what it was asked. */
export type Kind = 'accepted' | 'refused'

/** What a client did, and what the Core answered to that. */
export interface Situation {
  operation: OperationId
  /** The name of the facts about it; `missing-host` has none. */
  name: string
  /** What was sent, in a few words. */
  about: string
  /** What the reference wants of the Core here, where it says so. */
  kind: Kind
  status: number
  /** What was answered in just this situation, if that is in the record. */
  answers: ResponseRecord[]
}

/** Name, what was sent, what is wanted, and the spec whose last step it is: those that client teams meet. */
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

/** The situations of an operation that a run saw, in the order in which the document tells them. */
export function situationsOf(result: RunResult, operation: OperationId): Situation[] {
  const { configuration, dialect } = result
  const known = KNOWN[operation].flatMap(([name, about, wanted, spec]): Situation[] => {
    const status = statusOf(result, name)
    if (status === undefined) return []
    const answers = answersOf(result, spec).filter(answer => answer.status === status)
    // With access control off nothing is refused for want of a token.
    const isOpen =
      configuration.accessControl === 'off' && operation === 'getUsers' && status === dialect.acceptedStatus
    return [{ operation, name, about, kind: isOpen ? 'accepted' : wanted, status, answers }]
  })
  return [...known, ...missingHost(result, operation)]
}

/**
 * Whether a situation was answered against the reference: with a token to wrong credentials, say. That is a fault of this
 * Core and no part of its API: no client may rely on it.
 */
export function isFault({ operation, name, kind, status, answers }: Situation, { dialect }: RunResult): boolean {
  if (kind === 'accepted') return false
  if (name === 'missing-host') return status !== 406
  if (operation === 'logon') return answers.some(answer => issuedBody(answer, dialect) !== undefined)
  return operation === 'getUsers' && (status < 400 || status > 499)
}

/** Every answer of an operation with this status, to whatever request with a Host header, in the order sent. */
export function answersWith(result: RunResult, operation: OperationId, status: number): ResponseRecord[] {
  return exchangesOf(result, operation).flatMap(exchange =>
    hasHost(exchange) && exchange.response?.status === status ? [exchange.response] : [],
  )
}

/** What the survey found counts too, for runs that did not get as far as the specs. */
function statusOf({ facts, dialect, configuration }: RunResult, name: string): number | undefined {
  const isOpen = configuration.accessControl === 'off'
  const surveyed: Record<string, number | null> = {
    // A logon that brought no token tells nothing of what one looks like that does.
    logon: dialect.token && dialect.logonStatus,
    // Of an open Core, the survey asks without a token.
    access: isOpen ? null : dialect.acceptedStatus,
    'no-token': isOpen ? dialect.acceptedStatus : dialect.rejectedStatus,
    'unknown-token': dialect.unknownTokenStatus,
  }
  const status = facts[`${name}.status`] ?? surveyed[name]
  return typeof status === 'number' ? status : undefined
}

/** The answers to the last step of a spec. */
function answersOf({ specs }: RunResult, id: string): ResponseRecord[] {
  const spec = specs.find(candidate => candidate.id === id)
  return (spec?.steps.at(-1)?.exchanges ?? []).flatMap(index => spec?.exchanges[index]?.response ?? [])
}

/** One answer other than 406 is what counts of many. */
function missingHost(result: RunResult, operation: OperationId): Situation[] {
  const all = exchangesOf(result, operation).flatMap(exchange =>
    hasHost(exchange) || exchange.request.httpVersion !== '1.1' || !exchange.response ? [] : [exchange.response],
  )
  const status = all.find(answer => answer.status !== 406)?.status ?? all[0]?.status
  if (status === undefined) return []
  const answers = all.filter(answer => answer.status === status)
  return [{ operation, name: 'missing-host', about: 'a request without Host', kind: 'refused', status, answers }]
}

function exchangesOf({ survey, specs, configuration }: RunResult, operation: OperationId): ExchangeRecord[] {
  const [method, path] = {
    logon: ['POST', '/api/v0/logon'],
    revokeToken: ['DELETE', '/api/v0/logon'],
    getUsers: ['GET', configuration.probePath],
  }[operation]
  return [...survey, ...specs.flatMap(({ exchanges }) => exchanges)].filter(
    ({ request }) => request.method === method && request.path === path,
  )
}

function hasHost({ request }: ExchangeRecord): boolean {
  return request.headers.some(([name]) => name.toLowerCase() === 'host')
}
