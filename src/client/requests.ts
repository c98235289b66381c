import type { RecordedRequest } from '../mock/index.js'

const LOGON_PATH = '/api/v0/logon'

/** Whether a request asks for a token. */
export function isLogon({ method, path }: RecordedRequest): boolean {
  return method === 'POST' && path === LOGON_PATH
}

/** Whether a request revokes a token. */
export function isRevocation({ method, path }: RecordedRequest): boolean {
  return method === 'DELETE' && path === LOGON_PATH
}

/** Whether a request is a client's own work: to the API, and neither a logon nor a revocation. */
export function isWork(request: RecordedRequest): boolean {
  const { path } = request
  return (path === '/api' || path.startsWith('/api/')) && !isLogon(request) && !isRevocation(request)
}

/** Returns the bearer token that a request presents, issued or not; undefined for none. */
export function presentedToken({ token, headers }: RecordedRequest): string | undefined {
  return token === null ? undefined : /^bearer +(\S+)/i.exec(headers.authorization ?? '')?.[1]
}

/** Returns when the answer to a request had gone out, on the clock of `atMs`; infinity for a request without an answer. */
export function endMs({ atMs, durationMs }: RecordedRequest): number {
  return atMs + (durationMs ?? Number.POSITIVE_INFINITY)
}

/** The statuses by which scenarios refuse work. */
const STAGED = [406, 429, 503]

/** Whether a request is work with a valid token. */
export function isRightWork(request: RecordedRequest): boolean {
  return isWork(request) && request.token?.state === 'valid'
}

/** Whether a request is work that the Core accepted: sent with a valid token, and not refused by the scenario. */
export function isAccepted(request: RecordedRequest): boolean {
  return isRightWork(request) && request.status !== null && !STAGED.includes(request.status)
}

/** Returns the path of a request with its query. */
export function targetOf({ path, query }: RecordedRequest): string {
  return query === '' ? path : `${path}?${query}`
}

/** Names the work of a request. Two requests with the same name are the same work, or one is a retry of the other. */
export function workOf(request: RecordedRequest): string {
  return `${request.method} ${targetOf(request)}`
}
