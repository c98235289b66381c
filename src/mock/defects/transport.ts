import type { ApiResponse } from '../messages.js'
import type { Defect, Subject } from './defect.js'
import { table } from './table.js'
import { isLogon, replace } from './tools.js'

/** How long a cache keeps an answer, on the mock's clock. */
const CACHED_MS = 60_000

/** Answers that are sent wrongly. */
export const TRANSPORT: Defect[] = table(
  'transport',
  `
ACCESS-1 REVOKE-1 (IDLE-1 IDLE-2): a GET from the cache uses no token, and an expired one gets it, too
  transport-answers-cached
    An answer to a valid token is kept in a cache for a minute and given to every client.
ACCESS-2
  transport-accepted-cut-off: use+granted→cut-off
    The answer to a request with a valid token ends in the middle of its body.
ACCESS-2 (IDLE-2 IDLE-3): a token that is looked at after a wait may get what another request left in the cache
  transport-rejection-cached
    After a GET was rejected, the next one of the same path gets the same rejection, even with a valid token.
LOGON-1
  transport-logon-cut-off: logon+granted→cut-off
    The answer to a right logon ends in the middle of its body.
  transport-logon-never-answered: logon+granted→never-answered
    A right logon is not answered for a minute; then its connection is closed.
LOGON-1 (REVOKE-2 ACCESS-2): one client logs the other off, and a reused token may be dead when it is issued again
  transport-logon-cached
    A logon with the same body as the one before gets the same answer from a cache for a minute.
`,
  {
    'transport-answers-cached': subject => {
      const cached = cache(subject)
      replace(subject.device, 'answer', answer => request => {
        const isKept = ({ status }: ApiResponse) => request.method === 'GET' && status === 200
        return cached(`${request.method} ${request.target}`, () => answer(request), isKept)
      })
    },
    'transport-rejection-cached': ({ device }) => {
      const kept = new Map<string, ApiResponse>()
      replace(device, 'reject', reject => (path, request, presented) => {
        const response = reject(path, request, presented)
        if (request.method === 'GET') kept.set(request.target, response)
        return response
      })
      replace(device, 'answer', answer => request => {
        const found = request.method === 'GET' ? kept.get(request.target) : undefined
        if (found === undefined) return answer(request)
        kept.delete(request.target)
        return found
      })
    },
    'transport-logon-cached': subject => {
      const cached = cache(subject)
      replace(
        subject.device,
        'admit',
        admit => request => cached(isLogon(request) ? Buffer.from(request.body).toString() : '', () => admit(request)),
      )
    },
  },
)

/** Keeps answers of one key for a while. */
function cache({ clock }: Subject) {
  const kept = new Map<string, { response: ApiResponse; atMs: number }>()
  return (key: string, answer: () => ApiResponse, isKept = (_: ApiResponse) => true): ApiResponse => {
    const found = kept.get(key)
    if (found !== undefined && clock.nowMs() - found.atMs < CACHED_MS) return found.response
    const response = answer()
    if (isKept(response)) kept.set(key, { response, atMs: clock.nowMs() })
    return response
  }
}
