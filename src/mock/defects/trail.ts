/** The trail: the latest requests to a mock Core, for defects that show only after a sequence of requests. */

import { bearerToken } from '../bearer.js'
import { type ApiRequest, headerValues, type RequestHead } from '../messages.js'
import type { TokenRecord } from '../tokens.js'
import type { Subject } from './defect.js'
import { isLogon, isRevocation, replace } from './tools.js'

/** The kind of a request. `dead`: with a revoked or expired token; `bare`: without Host. */
export type Asked = 'logon' | 'wrong' | 'use' | 'revoke' | 'dead' | 'none' | 'unknown' | 'bare'

/** One earlier request. */
export interface Past {
  asked: Asked
  method: string
  target: string
  httpVersion: string
  /** The record of its token; absent where the request carried no issued token. */
  record?: TokenRecord
  /** How long the token had been unused, in milliseconds. */
  idleMs: number
}

/** Number of requests that the trail keeps. */
const REMEMBERED = 64

/** Returns the trail, the latest request first. The list grows with each request. */
export function trailOf(subject: Subject): readonly Past[] {
  const trail: Past[] = []
  const under = new WeakMap<RequestHead, Past>()
  replace(subject.device, 'screen', screen => head => {
    under.set(head, pastOf(subject, head))
    return screen(head)
  })
  replace(subject.device, 'finish', finish => (head, response) => {
    const past = under.get(head)
    const isAnswered = past !== undefined && isLogon(head) && past.asked !== 'bare'
    const asked = isAnswered ? (response.status < 300 ? 'logon' : 'wrong') : past?.asked
    if (past && asked) trail.unshift({ ...past, asked })
    trail.splice(REMEMBERED)
    return finish(head, response)
  })
  return trail
}

/** Counts how many of the latest requests satisfy a condition without a gap. */
export function inARow(trail: readonly Past[], is: (past: Past) => boolean): number {
  const end = trail.findIndex(past => !is(past))
  return end < 0 ? trail.length : end
}

/** Returns the requests with one token, the latest first. */
export function ofToken(trail: readonly Past[], record: TokenRecord | undefined): Past[] {
  return record === undefined ? [] : trail.filter(past => past.record === record)
}

/** Accepts some requests whose token is missing or not valid. */
export function letInIf(
  { device, tokens }: Subject,
  is: (request: ApiRequest, record: TokenRecord | undefined, presented: string | undefined) => boolean,
): void {
  replace(device, 'useToken', useToken => (token, request) => {
    return useToken(token, request) || is(request, tokens.find(token), token)
  })
  replace(device, 'needsToken', needsToken => (path, request) => {
    if (!needsToken(path, request)) return false
    return device.presentedToken(request) !== undefined || !is(request, undefined, undefined)
  })
}

/** Rejects some requests with a valid token. */
export function refuseIf({ device, tokens }: Subject, is: (request: ApiRequest, record: TokenRecord) => boolean): void {
  replace(device, 'useToken', useToken => (token, request) => {
    const record = tokens.find(token)
    const isRefused = record !== undefined && tokens.state(record) === 'issued' && is(request, record)
    return !isRefused && useToken(token, request)
  })
}

/** Makes some revocations ineffective. */
export function ignoreRevocationIf({ tokens }: Subject, is: (record: TokenRecord) => boolean): void {
  replace(tokens, 'revoke', revoke => token => {
    const record = tokens.find(token)
    if (record === undefined || !is(record)) revoke(token)
  })
}

/** Keeps some tokens from expiring. */
export function neverExpireIf({ tokens }: Subject, is: (record: TokenRecord) => boolean): void {
  replace(tokens, 'isExpired', isExpired => record => isExpired(record) && !is(record))
}

/** Does something after each request. The request itself is answered as it should be. */
export function afterwards({ device }: Subject, then: (request: RequestHead) => void): void {
  replace(device, 'finish', finish => (head, response) => {
    const finished = finish(head, response)
    then(head)
    return finished
  })
}

function pastOf({ tokens, clock }: Subject, request: RequestHead): Past {
  const { method, target, httpVersion } = request
  const plain = { method, target, httpVersion, idleMs: 0 }
  const presented = bearerToken(request.headers, true)
  const record = presented === undefined ? undefined : tokens.find(presented)
  const told = { ...plain, ...(record && { record, idleMs: clock.nowMs() - record.lastUsedMs }) }
  if (headerValues(request.headers, 'host').length === 0) return { ...told, asked: 'bare' }
  if (presented === undefined) return { ...told, asked: 'none' }
  if (record === undefined) return { ...told, asked: 'unknown' }
  if (tokens.state(record) !== 'issued') return { ...told, asked: 'dead' }
  return { ...told, asked: isRevocation(request) ? 'revoke' : 'use' }
}
