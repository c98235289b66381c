/** Turns a mock Core's record of a client into exchanges without secrets, in the form of a run's exchanges. */

import { randomPart } from '../../client/printed.js'
import { presentedToken, targetOf } from '../../client/requests.js'
import type { ClientRecord } from '../../client/result.js'
import { type Candidate, candidates } from '../../core/candidates.js'
import type { Redactor } from '../../core/redact.js'
import { redactorFor } from '../../core/redactor-for.js'
import { decoded } from '../../ground/decoded.js'
import { parseJson } from '../../ground/json.js'
import type { RecordedRequest } from '../../mock/recorded-request.js'
import { KEPT_BODY_LENGTH } from '../../mock/recorder.js'
import type { ExchangeRecord } from '../../result.js'

/** The headers that matter to a Core. Other headers describe the client's libraries. */
const HEADERS: [name: string, title: string][] = [
  ['accept', 'Accept'],
  ['content-type', 'Content-Type'],
  ['authorization', 'Authorization'],
]

/** Returns the place of the token in this Core's logon answer (see `Candidate`); undefined where no issued token was used. */
export function tokenPointer(records: readonly ClientRecord[]): string | undefined {
  for (const { requests } of records) {
    const used = new Set(requests.map(presentedToken))
    for (const request of requests) {
      const found = request.issued === null ? undefined : given(request).find(({ value }) => used.has(value))
      if (found) return found.pointer
    }
  }
  return undefined
}

function given({ responseHeaders, responseBody }: RecordedRequest): Candidate[] {
  return candidates({ headers: responseHeaders, body: responseBody })
}

/** Makes a redactor that knows every secret of a record: the password, and all tokens issued or presented. */
export function redactorOf({ credentials, requests }: ClientRecord, pointer: string | undefined): Redactor {
  const redactor = redactorFor(credentials)
  redactor.hide(randomPart(credentials.password), 'password')
  for (const request of requests) {
    const own = request.issued === null ? [] : given(request)
    const tokens = [presentedToken(request), own.find(candidate => candidate.pointer === pointer)?.value]
    for (const token of tokens) if (token !== undefined) redactor.hide(token, 'token of the client')
  }
  return redactor
}

/**
 * Turns one request with its answer into an exchange without secrets.
 * @returns the exchange, or the reason in a few words why no contract can express it
 */
export function exchangeOf(
  request: RecordedRequest,
  { username }: ClientRecord['credentials'],
  redactor: Redactor,
): ExchangeRecord | string {
  const { method, headers, body, responseBody } = request
  const target = targetOf(request)
  const { pathname, searchParams } = new URL(target, 'https://core')
  if (!/^\/api(\/|$)/.test(request.path)) return 'it is not under /api'
  if (pathname !== request.path) return 'its path is not written as in a URL'
  if (!('host' in headers)) return 'it has no Host header, and a contract cannot say that a header is missing'
  const words = [...pathname.split('/').map(decoded), ...[...searchParams].flat()]
  if (words.includes(username)) return "its path holds the user's name"
  if (headers.authorization !== undefined && presentedToken(request) === undefined)
    return 'its header Authorization holds what a contract cannot bring'
  const bodyProblem = problemOfBody(request, username)
  if (bodyProblem !== undefined) return bodyProblem
  const sent = HEADERS.flatMap(([name, title]): [string, string][] => {
    const value = headers[name]
    return value === undefined ? [] : [[title, redactor.text(value)]]
  })
  // The mock Core records a body for the answer to a HEAD, but sends none.
  const answer = method === 'HEAD' ? '' : responseBody
  return {
    atMs: 0,
    durationMs: 0,
    request: {
      method,
      path: redactor.text(target),
      httpVersion: '1.1',
      headers: sent,
      ...(body !== '' && { body: redactor.text(body) }),
    },
    response: {
      status: request.status ?? 0,
      statusText: '',
      httpVersion: '1.1',
      headers: request.responseHeaders.map(([name, value]): [string, string] => [name, redactor.text(value)]),
      // a run marks a cut body the same way
      body: redactor.text(answer) + (answer.length < KEPT_BODY_LENGTH ? '' : '…'),
      bodyBytes: Buffer.byteLength(answer),
      complete: true,
    },
  }
}

/** The kinds of a request body. */
export type BodyKind = 'none' | 'JSON' | 'text'

/** Returns the kind of a body. The Content-Type decides, because Pact compares bodies by it. */
export function bodyKind({ body, headers }: RecordedRequest): BodyKind {
  if (body === '') return 'none'
  return /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '') ? 'JSON' : 'text'
}

function problemOfBody(request: RecordedRequest, username: string): string | undefined {
  const { body, headers } = request
  const kind = bodyKind(request)
  if (kind === 'none') return undefined
  if (body.length >= KEPT_BODY_LENGTH) return 'its body is too long'
  if (headers['content-type'] === undefined) return 'it has a body without a Content-Type'
  if ((parseJson(body) !== undefined) !== (kind === 'JSON')) return 'its body is not what its Content-Type says'
  if (kind === 'text' && body.includes(username)) return "its body holds the user's name"
  return undefined
}
