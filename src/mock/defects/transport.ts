import type { ApiResponse } from '../messages.js'
import { type Defect, defectsOf } from './defect.js'
import { isLogon, replace, reword } from './tools.js'

/** How long a cache keeps an answer, on the mock's clock. */
const CACHED_MS = 60_000

/** Defects in sending answers. */
export const TRANSPORT: Defect[] = defectsOf('transport', {
  'transport-logon-never-answered': {
    requirements: ['LOGON-1'],
    about: 'A right logon is not answered for a minute; then its connection is closed.',
    install: subject =>
      reword(subject, ['loggedOn'], response => ({ ...response, delivery: { fate: 'dropped', delayMs: 60_000 } })),
  },
  'transport-logon-cut-off': {
    requirements: ['LOGON-1'],
    about: 'The answer to a right logon ends in the middle of its body.',
    install: subject => reword(subject, ['loggedOn'], response => ({ ...response, delivery: { fate: 'cut' } })),
  },
  'transport-accepted-cut-off': {
    requirements: ['ACCESS-2'],
    about: 'The answer to a request with a valid token ends in the middle of its body.',
    install: subject => reword(subject, ['users', 'core'], response => ({ ...response, delivery: { fate: 'cut' } })),
  },
  'transport-answers-cached': {
    requirements: ['ACCESS-1', 'REVOKE-1'],
    // A GET from the cache does not use the token, and the cache also answers an expired token.
    mayAlso: ['IDLE-1', 'IDLE-2'],
    about: 'An answer to a valid token is kept in a cache for a minute and given to every client.',
    install({ device, clock }) {
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
  },
  'transport-rejection-cached': {
    requirements: ['ACCESS-2'],
    // A token that is looked at after a wait may get what another request left in the cache.
    mayAlso: ['IDLE-2', 'IDLE-3'],
    about: 'After a GET was rejected, the next one of the same path gets the same rejection, even with a valid token.',
    install({ device }) {
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
  },
  'transport-logon-cached': {
    requirements: ['LOGON-1'],
    // One client logs the other off, and a reused token may be dead when it is issued again.
    mayAlso: ['REVOKE-2', 'ACCESS-2'],
    about: 'A logon with the same body as the one before gets the same answer from a cache for a minute.',
    install({ device, clock }) {
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
  },
})
