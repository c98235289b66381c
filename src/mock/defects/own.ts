/** The defects that no rows say: how each is given to a mock Core. */
import { randomBytes } from 'node:crypto'
import { bearerToken } from '../bearer.js'
import type { ApiResponse } from '../messages.js'
import type { TokenRecord } from '../tokens.js'
import type { Defect, Subject } from './defect.js'
import { endAll, isLogon, liveRecords, replace } from './tools.js'

/** How long the first request of a connection takes, so that its client can break it off, on the clock of the mock. */
const TAKES_MS = 20
/** How long no token is needed after that. */
const OPEN_MS = 1000
/** A gap within the head of a request that counts as a pause. */
const PAUSE_MS = 200

/**
 * Longest gap between requests on two new connections that are sent side by side, in milliseconds. Requests one after
 * another are further apart.
 */
const RACE_MS = 15
/** How long a cache keeps an answer, on the clock of the mock. */
const CACHED_MS = 60_000

/** By their names. */
export const OWN: Readonly<Record<string, Defect['install']>> = {
  'access-open-after-broken-off': subject => {
    let untilMs = 0
    whenBrokenOff(subject, () => {
      untilMs = performance.now() + OPEN_MS
    })
    replace(
      subject.device,
      'needsToken',
      needsToken => (path, request) => performance.now() > untilMs && needsToken(path, request),
    )
  },
  'access-broken-off-use-ends-token': subject => whenBrokenOff(subject, record => endAll([record])),
  'access-token-case-ignored': ({ device, tokens }) => {
    const issued = new Map<string, string>()
    tokens.generate = () => {
      const token = randomBytes(24).toString('base64url')
      issued.set(token.toLowerCase(), token)
      return token
    }
    replace(device, 'useToken', useToken => (token, request) => {
      return useToken(issued.get(token.toLowerCase()) ?? token, request)
    })
  },
  'access-pause-in-head-refused': ({ device, clock, onConnection }) => {
    const lastMs = new WeakMap<object, number>()
    const paused = new WeakSet<object>()
    onConnection(socket => {
      // Before the parser, which calls the device as soon as a head is whole.
      socket.prependListener('data', () => {
        const nowMs = clock.nowMs()
        if (nowMs - (lastMs.get(socket) ?? nowMs) > PAUSE_MS) paused.add(socket)
        lastMs.set(socket, nowMs)
      })
    })
    replace(device, 'finish', finish => (head, response) => {
      lastMs.delete(head.connection)
      return finish(head, response)
    })
    replace(device, 'useToken', useToken => (token, request) => {
      return !paused.delete(request.connection) && useToken(token, request)
    })
  },
  'logon-token-chosen-at-head': ({ device, tokens }) => {
    const generate = tokens.generate.bind(tokens)
    const chosen = new WeakMap<object, string>()
    let next = generate()
    replace(device, 'holdMs', holdMs => head => {
      if (isLogon(head)) chosen.set(head.connection, next)
      return holdMs(head)
    })
    replace(device, 'admit', admit => request => {
      tokens.generate = () => chosen.get(request.connection) ?? next
      next = generate()
      return admit(request)
    })
  },
  'logon-token-is-credentials': ({ tokens, username, password }) => {
    tokens.generate = () => Buffer.from(`${username}:${password}`).toString('base64')
  },
  'logon-token-is-password': ({ tokens, password }) => {
    tokens.generate = () => password
  },
  'logon-token-holds-credentials': ({ tokens, username, password }) => {
    tokens.generate = () => Buffer.from(`${randomBytes(4).toString('hex')}:${username}:${password}`).toString('base64')
  },
  'sequence-revocations-newest-first-end-oldest': subject => {
    const { tokens } = subject
    let streak = 0
    replace(tokens, 'revoke', revoke => token => {
      const live = liveRecords(subject)
      const isNewest = live.length > 2 - streak && live.at(-1) === tokens.find(token)
      revoke(token)
      streak = isNewest ? streak + 1 : 0
      if (streak === 2) endAll(liveRecords(subject).slice(0, 1))
    })
  },
  'sequence-race-of-logons': ({ device, tokens }) => {
    let last: { record: TokenRecord; atMs: number; on: object } | undefined
    replace(device, 'admit', admit => request => {
      const [atMs, on] = [performance.now(), request.connection]
      if (last && last.on !== on && atMs - last.atMs < RACE_MS) last.record.revoked = true
      const response = admit(request)
      const record = [...tokens.records.values()].at(-1)
      last = record && { record, atMs, on }
      return response
    })
  },
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
}

/** Calls back with the token of each request that carries a valid one and whose client breaks it off. */
function whenBrokenOff({ device, tokens, onConnection }: Subject, then: (record: TokenRecord) => void): void {
  const underWay = new Map<object, TokenRecord>()
  const known = new WeakSet<object>()
  onConnection(socket => {
    socket.once('close', () => {
      const record = underWay.get(socket)
      underWay.delete(socket)
      if (record) then(record)
    })
  })
  replace(device, 'holdMs', holdMs => head => {
    const record = tokens.find(bearerToken(head.headers) ?? '')
    if (record && tokens.state(record) === 'issued') underWay.set(head.connection, record)
    const takesMs = known.has(head.connection) ? 0 : TAKES_MS
    known.add(head.connection)
    return Math.max(holdMs(head), takesMs)
  })
  replace(device, 'finish', finish => (head, response) => {
    underWay.delete(head.connection)
    return finish(head, response)
  })
}

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
