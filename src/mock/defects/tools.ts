import type { Device } from '../device.js'
import type { AnswerName } from '../dialect.js'
import { type ApiRequest, type ApiResponse, pathOf, type RequestHead } from '../messages.js'
import { LOGON_PATH } from '../routes.js'
import type { TokenRecord } from '../tokens.js'
import type { Subject } from './defect.js'

/** Replaces one method of an object. `make` gets the original method. */
export function replace<T extends object, K extends keyof T>(owner: T, name: K, make: (original: T[K]) => T[K]): void {
  const original = owner[name]
  owner[name] = make(typeof original === 'function' ? original.bind(owner) : original)
}

/** Changes the words of some answers. */
export function reword(
  { device }: Subject,
  names: readonly AnswerName[],
  change: (response: ApiResponse) => ApiResponse,
): void {
  replace(device, 'say', say => (name, variables) => {
    const response = say(name, variables)
    return names.includes(name) ? change(response) : response
  })
}

/** Returns the texts of all tokens issued from now on, oldest first. The store itself keeps no texts. */
export function issuedTokens({ tokens }: Subject): readonly string[] {
  const issued: string[] = []
  replace(tokens, 'issue', issue => () => {
    const token = issue()
    issued.push(token)
    return token
  })
  return issued
}

/** Makes a token text valid now, whatever its state was. */
export function makeValid({ tokens, clock }: Subject, token: string): void {
  tokens.add(token, { lastUsedMs: clock.nowMs(), revoked: false })
}

/** Returns the records of all tokens that are valid now, oldest first. */
export function liveRecords({ tokens }: Subject): TokenRecord[] {
  return [...tokens.records.values()].filter(record => tokens.state(record) === 'issued')
}

/** Ends tokens, as a revocation does. */
export function endAll(records: readonly TokenRecord[]): void {
  for (const record of records) record.revoked = true
}

/**
 * Makes a function that ends tokens after a delay on the mock's clock, as a revocation does.
 *
 * @returns takes the records and the delay; a token that is to end twice ends at the earlier time
 */
export function endLater({ tokens, clock }: Subject): (records: readonly TokenRecord[], delayMs: number) => void {
  const endsMs = new WeakMap<TokenRecord, number>()
  replace(tokens, 'state', state => record => {
    if ((endsMs.get(record) ?? Number.POSITIVE_INFINITY) <= clock.nowMs()) record.revoked = true
    return state(record)
  })
  return (records, delayMs) => {
    const atMs = clock.nowMs() + delayMs
    for (const record of records) endsMs.set(record, Math.min(atMs, endsMs.get(record) ?? atMs))
  }
}

/** Tells whether a request asks for a token. */
export function isLogon({ method, target }: RequestHead): boolean {
  return method === 'POST' && pathOf(target) === LOGON_PATH
}

/** Tells whether a request revokes a token. */
export function isRevocation({ method, target }: RequestHead): boolean {
  return method === 'DELETE' && pathOf(target) === LOGON_PATH
}

/** Returns the request with a Host header added. */
export function withHost(request: ApiRequest): ApiRequest {
  return { ...request, headers: [...request.headers, ['Host', 'core']] }
}

/** Checks the Host header of some requests only. */
export function checkHostIf({ device }: Subject, isChecked: (head: RequestHead) => boolean): void {
  replace(device, 'isHostMissing', isHostMissing => head => isChecked(head) && isHostMissing(head))
}

/** Answers some requests right after the check of Host. `early` returns undefined for the other requests. */
export function answerFirst(device: Device, early: (request: ApiRequest) => ApiResponse | undefined): void {
  replace(device, 'answer', answer => request => early(request) ?? answer(request))
}

/** Accepts a presented text as the issued token that it resembles. */
export function acceptResembling(subject: Subject, resembles: (presented: string, token: string) => boolean): void {
  const issued = issuedTokens(subject)
  replace(subject.device, 'presentedToken', presentedToken => request => {
    const presented = presentedToken(request)
    if (presented === undefined || subject.tokens.find(presented) !== undefined) return presented
    return issued.findLast(token => resembles(presented, token)) ?? presented
  })
}

/** Looks for a token in another place when there is none in the right place. */
export function alsoLookIn({ device }: Subject, find: (request: ApiRequest) => string | undefined): void {
  replace(device, 'presentedToken', presentedToken => request => presentedToken(request) ?? find(request))
}

/** Accepts some requests without a token. */
export function openIf({ device }: Subject, isOpen: (request: ApiRequest, path: string) => boolean): void {
  replace(device, 'needsToken', needsToken => (path, request) => {
    return needsToken(path, request) && !(device.presentedToken(request) === undefined && isOpen(request, path))
  })
}

/** Resets the idle timer only for some uses of a valid token. */
export function resetIf(
  { device, tokens, clock }: Subject,
  resets: (request: ApiRequest, record: TokenRecord, idleMs: number) => boolean,
): void {
  replace(device, 'useToken', useToken => (token, request) => {
    const record = tokens.find(token)
    const beforeMs = record?.lastUsedMs
    const valid = useToken(token, request)
    if (valid && record !== undefined && beforeMs !== undefined && !resets(request, record, clock.nowMs() - beforeMs)) {
      record.lastUsedMs = beforeMs
    }
    return valid
  })
}

/** Returns a condition that holds once for each token: for the first request that it is asked about. */
export function oncePerToken(): (request: unknown, record: TokenRecord) => boolean {
  const asked = new WeakSet<TokenRecord>()
  return (_, record) => {
    if (asked.has(record)) return false
    asked.add(record)
    return true
  }
}

/** Makes the answer to a right logon take 25 ms; tells whether one is being answered. */
export function slowLogon({ device, clock }: Subject): () => boolean {
  let untilMs = 0
  replace(device, 'admit', admit => request => {
    const response = admit(request)
    untilMs = clock.nowMs() + 20
    return { ...response, delivery: { ...response.delivery, delayMs: 25 } }
  })
  return () => clock.nowMs() < untilMs
}

/** Accepts further passwords of the right user. */
export function acceptPassword(
  { device, username, password }: Subject,
  isAccepted: (given: string, right: string, request: ApiRequest) => boolean,
): void {
  replace(device, 'matches', matches => (body, request) => {
    return matches(body, request) || (body.username === username && isAccepted(body.password, password, request))
  })
}

/** Accepts the right password with further names. */
export function acceptUsername({ device, password }: Subject, isAccepted: (given: string) => boolean): void {
  replace(device, 'matches', matches => (body, request) => {
    return matches(body, request) || (body.password === password && isAccepted(body.username))
  })
}
