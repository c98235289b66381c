/** Defects of the idle timer, in one file because they are one table. */
import type { ApiRequest } from '../messages.js'
import { pathOf } from '../messages.js'
import { USERS_PATH } from '../routes.js'
import type { TokenRecord } from '../tokens.js'
import { type Defect, type DefectTable, defectsOf, type Subject } from './defect.js'
import { issuedTokens, liveRecords, oncePerToken, replace, resetIf } from './tools.js'

const LIFETIMES: DefectTable = Object.fromEntries(
  (
    [
      ['idle-lifetime-halved', 0.5, 'half the idle lifetime'],
      ['idle-lifetime-a-tenth-shorter', 0.9, '90 % of the idle lifetime'],
      ['idle-lifetime-a-tenth-longer', 1.1, '110 % of the idle lifetime'],
      ['idle-lifetime-a-half-longer', 1.5, 'one and a half idle lifetimes'],
      ['idle-lifetime-doubled', 2, 'two idle lifetimes'],
    ] as const
  ).map(([name, factor, words]) => [
    name,
    {
      requirements: [factor < 1 ? 'IDLE-3' : 'IDLE-1'],
      // With a far shorter lifetime, a use that does not reset the timer cannot be told from a lifetime that is over.
      ...(factor === 0.5 && { mayAlso: ['IDLE-2'] }),
      about: `Tokens expire after ${words}.`,
      install: ({ tokens, idleLifetimeMs }) =>
        replace(tokens, 'endsAtMs', endsAtMs => record => endsAtMs(record) + (factor - 1) * idleLifetimeMs),
    } satisfies DefectTable[string],
  ]),
)

/** Defects of the idle timer. */
export const IDLE: Defect[] = defectsOf('idle', {
  ...LIFETIMES,
  'idle-reset-by-first-on-connection': {
    requirements: ['IDLE-2'],
    about: 'Only the first use of a token on a connection resets the idle timer.',
    install: subject => {
      const known = new WeakSet<object>()
      resetIf(subject, ({ connection }) => {
        const isFirst = !known.has(connection)
        known.add(connection)
        return isFirst
      })
    },
  },
  'idle-never-expires': {
    requirements: ['IDLE-1'],
    about: 'Tokens never expire.',
    install({ tokens }) {
      tokens.isExpired = () => false
    },
  },
  'idle-unused-never-expires': {
    requirements: ['IDLE-1'],
    about: 'A token that was never used does not expire: its timer starts with its first use.',
    install({ device, tokens }) {
      const used = new WeakSet<TokenRecord>()
      replace(device, 'useToken', useToken => (token, request) => {
        const valid = useToken(token, request)
        const record = tokens.find(token)
        if (record !== undefined) used.add(record)
        return valid
      })
      replace(tokens, 'isExpired', isExpired => record => used.has(record) && isExpired(record))
    },
  },
  'idle-counted-from-logon': {
    requirements: ['IDLE-2'],
    about: 'Tokens expire an idle lifetime after their logon, however much they are used.',
    install: subject => resetIf(subject, () => false),
  },
  'idle-not-reset-by-get': {
    requirements: ['IDLE-2'],
    about: 'A GET does not reset the idle timer; other methods do.',
    install: subject => resetIf(subject, request => request.method !== 'GET'),
  },
  'idle-reset-by-first-use-only': {
    requirements: ['IDLE-2'],
    about: 'Only the first use of a token resets its idle timer.',
    install: subject => resetIf(subject, oncePerToken()),
  },
  'idle-reset-on-users-only': {
    requirements: ['IDLE-2'],
    about: 'Only requests on the users path reset the idle timer.',
    install: subject => resetIf(subject, request => pathOf(request.target) === USERS_PATH),
  },
  'idle-not-reset-on-users': {
    requirements: ['IDLE-2'],
    about: 'Requests on the users path do not reset the idle timer; those on others do.',
    install: subject => resetIf(subject, request => pathOf(request.target) !== USERS_PATH),
  },
  'idle-reset-in-second-half-only': {
    requirements: ['IDLE-2'],
    about: 'A use in the first half of the idle lifetime does not reset the timer.',
    install: subject => resetIf(subject, (_request, _record, idleMs) => idleMs >= subject.idleLifetimeMs / 2),
  },
  'idle-reset-in-first-half-only': {
    requirements: ['IDLE-2'],
    about: 'A use in the second half of the idle lifetime does not reset the timer.',
    install: subject => resetIf(subject, (_request, _record, idleMs) => idleMs < subject.idleLifetimeMs / 2),
  },
  'idle-not-reset-late': {
    requirements: ['IDLE-2'],
    about: 'A use in the last 30 % of the idle lifetime does not reset the timer.',
    install: subject => resetIf(subject, (_request, _record, idleMs) => idleMs < subject.idleLifetimeMs * 0.7),
  },
  'idle-use-adds-lifetime': {
    requirements: ['IDLE-1'],
    about: 'A use does not reset the idle timer but adds a whole idle lifetime to what is left.',
    install(subject) {
      const { device, tokens, idleLifetimeMs } = subject
      replace(device, 'useToken', useToken => (token, request) => {
        const record = tokens.find(token)
        const beforeMs = record?.lastUsedMs
        const valid = useToken(token, request)
        if (valid && record !== undefined && beforeMs !== undefined) record.lastUsedMs = beforeMs + idleLifetimeMs
        return valid
      })
    },
  },
  'idle-reset-by-other-token': {
    requirements: ['IDLE-1'],
    about: 'A use of a token resets the timers of all tokens of the user.',
    install: subject => resetAllIf(subject, (_, valid) => valid),
  },
  'idle-reset-by-any-request': {
    requirements: ['IDLE-1'],
    about: 'Any API request, with or without a token, resets the timers of all tokens.',
    install: subject => resetAllIf(subject, () => true),
  },
  'idle-reset-by-rejected-request': {
    requirements: ['IDLE-1'],
    about: 'A request that is rejected for its token, or for having none, resets the timers of all tokens.',
    install(subject) {
      replace(subject.device, 'reject', reject => (path, request, presented) => {
        const response = reject(path, request, presented)
        resetAll(subject)
        return response
      })
    },
  },
  'idle-reset-by-lookalike': {
    requirements: ['IDLE-1'],
    about: 'A request that is rejected resets the timer of the token whose first eight characters it carries.',
    install(subject) {
      const { device, tokens, clock } = subject
      const issued = issuedTokens(subject)
      replace(device, 'reject', reject => (path, request, presented) => {
        const response = reject(path, request, presented)
        const isAlike = (token: string) => token !== presented && token.slice(0, 8) === presented?.slice(0, 8)
        for (const record of issued.filter(isAlike).flatMap(token => tokens.find(token) ?? []))
          if (tokens.state(record) === 'issued') record.lastUsedMs = clock.nowMs()
        return response
      })
    },
  },
  'idle-reset-by-logon': {
    requirements: ['IDLE-1'],
    about: 'A logon resets the timers of all earlier tokens that have not expired.',
    install(subject) {
      replace(subject.tokens, 'issue', issue => () => {
        resetAll(subject)
        return issue()
      })
    },
  },
  'idle-comes-back': {
    requirements: ['IDLE-1'],
    about: 'An expired token is valid again once it was unused for 1.9 lifetimes: its timer overflows.',
    install: ({ tokens, clock, idleLifetimeMs }) =>
      replace(
        tokens,
        'isExpired',
        isExpired => record => isExpired(record) && clock.nowMs() - record.lastUsedMs < idleLifetimeMs * 1.9,
      ),
  },
  'idle-revived-by-use': {
    requirements: ['IDLE-1'],
    about: 'A request with an expired token is rejected, and makes the token valid again.',
    install({ device, tokens, clock }) {
      replace(device, 'reject', reject => (path, request, presented) => {
        const response = reject(path, request, presented)
        const record = presented === undefined ? undefined : tokens.find(presented)
        if (record !== undefined && tokens.state(record) === 'expired') record.lastUsedMs = clock.nowMs()
        return response
      })
    },
  },
  'idle-revived-by-logon': {
    requirements: ['IDLE-1'],
    about: 'The next logon makes all expired tokens valid again.',
    install({ tokens, clock }) {
      replace(tokens, 'issue', issue => () => {
        const expired = [...tokens.records.values()].filter(record => tokens.state(record) === 'expired')
        for (const record of expired) record.lastUsedMs = clock.nowMs()
        return issue()
      })
    },
  },
  'idle-expired-on-users-only': {
    requirements: ['IDLE-1'],
    about: 'An expired token is rejected on the users path and accepted on all others.',
    install: subject => forgiveIf(subject, request => pathOf(request.target) !== USERS_PATH),
  },
  'idle-expired-for-get-only': {
    requirements: ['IDLE-1'],
    about: 'An expired token is rejected with GET and accepted with all other methods.',
    install: subject => forgiveIf(subject, request => request.method !== 'GET'),
  },
  'idle-expired-not-on-users': {
    requirements: ['IDLE-1'],
    about: 'An expired token is accepted on the users path and rejected on all others.',
    install: subject => forgiveIf(subject, request => pathOf(request.target) === USERS_PATH),
  },
  'idle-noticed-on-second-use': {
    requirements: ['IDLE-1'],
    about: 'The first request with an expired token is still accepted.',
    install: subject => forgiveIf(subject, oncePerToken()),
  },
  'idle-noticed-at-next-logon': {
    requirements: ['IDLE-1'],
    about: 'Expired tokens are accepted until the next logon, which ends them.',
    install(subject) {
      const { tokens } = subject
      const ended = new WeakSet<TokenRecord>()
      const isExpired = tokens.isExpired.bind(tokens)
      replace(tokens, 'issue', issue => () => {
        for (const record of tokens.records.values()) if (isExpired(record)) ended.add(record)
        return issue()
      })
      tokens.isExpired = record => ended.has(record)
    },
  },
  'idle-expiry-ends-all-tokens': {
    requirements: ['IDLE-3'],
    // The tokens that end were in use, and the request that ends them was rejected.
    mayAlso: ['IDLE-2', 'ACCESS-2'],
    isLikeRestart: true,
    about: 'When a token is found expired, all tokens of the user end.',
    install(subject) {
      const { device, tokens } = subject
      replace(device, 'reject', reject => (path, request, presented) => {
        const record = presented === undefined ? undefined : tokens.find(presented)
        const expired = record !== undefined && tokens.state(record) === 'expired'
        const response = reject(path, request, presented)
        if (expired) for (const other of liveRecords(subject)) other.revoked = true
        return response
      })
    },
  },
})

/** Resets the timers of all valid tokens. */
function resetAll(subject: Subject): void {
  for (const record of liveRecords(subject)) record.lastUsedMs = subject.clock.nowMs()
}

/** Resets the timers of all valid tokens after some requests. */
function resetAllIf(subject: Subject, isOne: (request: ApiRequest, valid: boolean) => boolean): void {
  const { device, tokens } = subject
  replace(device, 'answer', answer => request => {
    const token = device.presentedToken(request)
    const record = token === undefined ? undefined : tokens.find(token)
    const valid = record !== undefined && tokens.state(record) === 'issued'
    if (isOne(request, valid)) resetAll(subject)
    return answer(request)
  })
}

/** Accepts an expired token, without a reset of its timer. */
function forgiveIf(
  { device, tokens }: Subject,
  isForgiven: (request: ApiRequest, record: TokenRecord) => boolean,
): void {
  replace(device, 'useToken', useToken => (token, request) => {
    const record = tokens.find(token)
    const expired = record !== undefined && tokens.state(record) === 'expired'
    return (expired && isForgiven(request, record)) || useToken(token, request)
  })
}
