import type { ApiResponse } from '../messages.js'
import { breaking, type Defect, defect, defectsOf } from './defect.js'
import { isLogon, replace, reword } from './tools.js'

/** How long a cache keeps an answer, on the mock's clock. */
const CACHED_MS = 60_000

/** Defects in sending answers. */
export const TRANSPORT: Defect[] = defectsOf('transport', {
  ...breaking(['LOGON-1'], [], {
    'transport-logon-never-answered': defect(
      'A right logon is not answered for a minute; then its connection is closed.',
      subject =>
        reword(subject, ['loggedOn'], response => ({ ...response, delivery: { fate: 'dropped', delayMs: 60_000 } })),
    ),
    'transport-logon-cut-off': defect('The answer to a right logon ends in the middle of its body.', subject =>
      reword(subject, ['loggedOn'], response => ({ ...response, delivery: { fate: 'cut' } })),
    ),
  }),
  ...breaking(['ACCESS-2'], [], {
    'transport-accepted-cut-off': defect(
      'The answer to a request with a valid token ends in the middle of its body.',
      subject => reword(subject, ['users', 'core'], response => ({ ...response, delivery: { fate: 'cut' } })),
    ),
  }),
  ...breaking(['ACCESS-1', 'REVOKE-1'], ['IDLE-1', 'IDLE-2'], {
    // A GET from the cache does not use the token, and the cache also answers an expired token.
    'transport-answers-cached': defect(
      'An answer to a valid token is kept in a cache for a minute and given to every client.',
      ({ device, clock }) => {
        const cache = new Map<string, { response: ApiResponse; atMs: number }>()
        replace(device, 'answer', answer => request => {
          const key = `${request.method} ${request.target}`
          const cached = cache.get(key)
          if (cached !== undefined && clock.nowMs() - cached.atMs < CACHED_MS) return cached.response
          const response = answer(request)
          if (request.method === 'GET' && response.status === 200) cache.set(key, { response, atMs: clock.nowMs() })
          return response
        })
      },
    ),
  }),
  ...breaking(['ACCESS-2'], ['IDLE-2', 'IDLE-3'], {
    // A token that is looked at after a wait may get what another request left in the cache.
    'transport-rejection-cached': defect(
      'After a GET was rejected, the next one of the same path gets the same rejection, even with a valid token.',
      ({ device }) => {
        const cache = new Map<string, ApiResponse>()
        replace(device, 'reject', reject => (path, request, presented) => {
          const response = reject(path, request, presented)
          if (request.method === 'GET') cache.set(request.target, response)
          return response
        })
        replace(device, 'answer', answer => request => {
          const cached = request.method === 'GET' ? cache.get(request.target) : undefined
          if (cached === undefined) return answer(request)
          cache.delete(request.target)
          return cached
        })
      },
    ),
  }),
  ...breaking(['LOGON-1'], ['REVOKE-2', 'ACCESS-2'], {
    // One client logs the other off, and a reused token may be dead when it is issued again.
    'transport-logon-cached': defect(
      'A logon with the same body as the one before gets the same answer from a cache for a minute.',
      ({ device, clock }) => {
        const cache = new Map<string, { response: ApiResponse; atMs: number }>()
        replace(device, 'admit', admit => request => {
          const key = isLogon(request) ? Buffer.from(request.body).toString() : ''
          const cached = cache.get(key)
          if (cached !== undefined && clock.nowMs() - cached.atMs < CACHED_MS) return cached.response
          const response = admit(request)
          cache.set(key, { response, atMs: clock.nowMs() })
          return response
        })
      },
    ),
  }),
})
