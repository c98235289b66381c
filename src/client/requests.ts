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

/** Whether a request is one that a client makes for its own sake: to the API, neither a logon nor a revocation. */
export function isWork(request: RecordedRequest): boolean {
  const { path } = request
  return (path === '/api' || path.startsWith('/api/')) && !isLogon(request) && !isRevocation(request)
}

/** Whether a request may be sent again though nobody knows what became of it: it changes nothing (RFC 9110 9.2.1). */
export function isRepeatable({ method }: RecordedRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** When the answer to a request had gone out, as its `atMs`. */
export function endMs({ atMs, durationMs }: RecordedRequest): number {
  return atMs + (durationMs ?? Number.POSITIVE_INFINITY)
}

/** What a scenario lets a Core answer that is at work. */
const STAGED = [406, 429, 503]

/** Whether it is work that a Core took up: sent with a valid token, and answered. What its user may do there is another matter. */
export function isAccepted(request: RecordedRequest): boolean {
  return (
    isWork(request) && request.token?.state === 'valid' && request.status !== null && !STAGED.includes(request.status)
  )
}

/** What a request asks for: two of the same are the same work, or the same tried again. */
export function targetOf({ method, path, query }: RecordedRequest): string {
  return `${method} ${path}?${query}`
}
