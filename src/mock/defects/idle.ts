/** Defects of the idle timer, in one file because they are one table. */
import type { ApiRequest } from '../messages.js'
import { pathOf } from '../messages.js'
import { USERS_PATH } from '../routes.js'
import type { TokenRecord } from '../tokens.js'
import { breaking, type Defect, type DefectTable, defect, defectsOf, type Subject } from './defect.js'
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
  ...breaking(['IDLE-2'], [], {
    'idle-reset-by-first-on-connection': defect(
      'Only the first use of a token on a connection resets the idle timer.',
      subject => {
        const known = new WeakSet<object>()
        resetIf(subject, ({ connection }) => {
          const isFirst = !known.has(connection)
          known.add(connection)
          return isFirst
        })
      },
    ),
    'idle-counted-from-logon': defect(
      'Tokens expire an idle lifetime after their logon, however much they are used.',
      subject => resetIf(subject, () => false),
    ),
    'idle-not-reset-by-get': defect('A GET does not reset the idle timer; other methods do.', subject =>
      resetIf(subject, request => request.method !== 'GET'),
    ),
    'idle-reset-by-first-use-only': defect('Only the first use of a token resets its idle timer.', subject =>
      resetIf(subject, oncePerToken()),
    ),
    'idle-reset-on-users-only': defect('Only requests on the users path reset the idle timer.', subject =>
      resetIf(subject, request => pathOf(request.target) === USERS_PATH),
    ),
    'idle-not-reset-on-users': defect(
      'Requests on the users path do not reset the idle timer; those on others do.',
      subject => resetIf(subject, request => pathOf(request.target) !== USERS_PATH),
    ),
    'idle-reset-in-second-half-only': defect(
      'A use in the first half of the idle lifetime does not reset the timer.',
      subject => resetIf(subject, (_request, _record, idleMs) => idleMs >= subject.idleLifetimeMs / 2),
    ),
    'idle-reset-in-first-half-only': defect(
      'A use in the second half of the idle lifetime does not reset the timer.',
      subject => resetIf(subject, (_request, _record, idleMs) => idleMs < subject.idleLifetimeMs / 2),
    ),
    'idle-not-reset-late': defect('A use in the last 30 % of the idle lifetime does not reset the timer.', subject =>
      resetIf(subject, (_request, _record, idleMs) => idleMs < subject.idleLifetimeMs * 0.7),
    ),
  }),
  ...breaking(['IDLE-1'], [], {
    'idle-never-expires': defect('Tokens never expire.', ({ tokens }) => {
      tokens.isExpired = () => false
    }),
    'idle-unused-never-expires': defect(
      'A token that was never used does not expire: its timer starts with its first use.',
      ({ device, tokens }) => {
        const used = new WeakSet<TokenRecord>()
        replace(device, 'useToken', useToken => (token, request) => {
          const valid = useToken(token, request)
          const record = tokens.find(token)
          if (record !== undefined) used.add(record)
          return valid
        })
        replace(tokens, 'isExpired', isExpired => record => used.has(record) && isExpired(record))
      },
    ),
    'idle-use-adds-lifetime': defect(
      'A use does not reset the idle timer but adds a whole idle lifetime to what is left.',
      subject => {
        const { device, tokens, idleLifetimeMs } = subject
        replace(device, 'useToken', useToken => (token, request) => {
          const record = tokens.find(token)
          const beforeMs = record?.lastUsedMs
          const valid = useToken(token, request)
          if (valid && record !== undefined && beforeMs !== undefined) record.lastUsedMs = beforeMs + idleLifetimeMs
          return valid
        })
      },
    ),
    'idle-reset-by-other-token': defect('A use of a token resets the timers of all tokens of the user.', subject =>
      resetAllIf(subject, (_, valid) => valid),
    ),
    'idle-reset-by-any-request': defect(
      'Any API request, with or without a token, resets the timers of all tokens.',
      subject => resetAllIf(subject, () => true),
    ),
    'idle-reset-by-rejected-request': defect(
      'A request that is rejected for its token, or for having none, resets the timers of all tokens.',
      subject => {
        replace(subject.device, 'reject', reject => (path, request, presented) => {
          const response = reject(path, request, presented)
          resetAll(subject)
          return response
        })
      },
    ),
    'idle-reset-by-lookalike': defect(
      'A request that is rejected resets the timer of the token whose first eight characters it carries.',
      subject => {
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
    ),
    'idle-reset-by-logon': defect('A logon resets the timers of all earlier tokens that have not expired.', subject => {
      replace(subject.tokens, 'issue', issue => () => {
        resetAll(subject)
        return issue()
      })
    }),
    'idle-comes-back': defect(
      'An expired token is valid again once it was unused for 1.9 lifetimes: its timer overflows.',
      ({ tokens, clock, idleLifetimeMs }) =>
        replace(
          tokens,
          'isExpired',
          isExpired => record => isExpired(record) && clock.nowMs() - record.lastUsedMs < idleLifetimeMs * 1.9,
        ),
    ),
    'idle-revived-by-use': defect(
      'A request with an expired token is rejected, and makes the token valid again.',
      ({ device, tokens, clock }) => {
        replace(device, 'reject', reject => (path, request, presented) => {
          const response = reject(path, request, presented)
          const record = presented === undefined ? undefined : tokens.find(presented)
          if (record !== undefined && tokens.state(record) === 'expired') record.lastUsedMs = clock.nowMs()
          return response
        })
      },
    ),
    'idle-revived-by-logon': defect('The next logon makes all expired tokens valid again.', ({ tokens, clock }) => {
      replace(tokens, 'issue', issue => () => {
        const expired = [...tokens.records.values()].filter(record => tokens.state(record) === 'expired')
        for (const record of expired) record.lastUsedMs = clock.nowMs()
        return issue()
      })
    }),
    'idle-expired-on-users-only': defect(
      'An expired token is rejected on the users path and accepted on all others.',
      subject => forgiveIf(subject, request => pathOf(request.target) !== USERS_PATH),
    ),
    'idle-expired-for-get-only': defect(
      'An expired token is rejected with GET and accepted with all other methods.',
      subject => forgiveIf(subject, request => request.method !== 'GET'),
    ),
    'idle-expired-not-on-users': defect(
      'An expired token is accepted on the users path and rejected on all others.',
      subject => forgiveIf(subject, request => pathOf(request.target) === USERS_PATH),
    ),
    'idle-noticed-on-second-use': defect('The first request with an expired token is still accepted.', subject =>
      forgiveIf(subject, oncePerToken()),
    ),
    'idle-noticed-at-next-logon': defect(
      'Expired tokens are accepted until the next logon, which ends them.',
      subject => {
        const { tokens } = subject
        const ended = new WeakSet<TokenRecord>()
        const isExpired = tokens.isExpired.bind(tokens)
        replace(tokens, 'issue', issue => () => {
          for (const record of tokens.records.values()) if (isExpired(record)) ended.add(record)
          return issue()
        })
        tokens.isExpired = record => ended.has(record)
      },
    ),
  }),
  ...breaking(['IDLE-3'], ['IDLE-2', 'ACCESS-2'], {
    // The tokens that end were in use, and the request that ends them was rejected.
    'idle-expiry-ends-all-tokens': defect(
      'When a token is found expired, all tokens of the user end.',
      subject => {
        const { device, tokens } = subject
        replace(device, 'reject', reject => (path, request, presented) => {
          const record = presented === undefined ? undefined : tokens.find(presented)
          const expired = record !== undefined && tokens.state(record) === 'expired'
          const response = reject(path, request, presented)
          if (expired) for (const other of liveRecords(subject)) other.revoked = true
          return response
        })
      },
      { isLikeRestart: true },
    ),
  }),
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
