/** Defects of revocations, in one file because they are one table. */
import type { ApiRequest } from '../messages.js'
import { headerValues, pathOf } from '../messages.js'
import { USERS_PATH } from '../routes.js'
import type { TokenRecord } from '../tokens.js'
import { breaking, type Defect, defect, defectsOf, type Subject } from './defect.js'
import { endAll, isRevocation, issuedTokens, liveRecords, oncePerToken, replace, reword } from './tools.js'

/** Delay of a late revocation, in milliseconds; far longer than a suite waits before its check. */
const LATE_MS = 5_000

/** Defects of revocations. */
export const REVOCATION: Defect[] = defectsOf('revocation', {
  ...breaking(['REVOKE-1'], [], {
    // With fewer slots the survey fills them for good: REVOKE-1 is in doubt, and nothing can be tested.
    'revoke-does-nothing': defect(
      'A revocation is accepted and has no effect.',
      ({ tokens }) => {
        tokens.revoke = () => {}
      },
      { needsTokens: 5 },
    ),
    'revoke-not-allowed': defect('A revocation with a valid token is answered 405 and has no effect.', ({ device }) => {
      device.revoke = () => device.say('methodNotAllowed', { allow: 'POST' })
    }),
    'revoke-wants-content-type': defect(
      'A revocation without a Content-Type header is answered 415 and has no effect.',
      ({ device }) => {
        replace(device, 'revoke', revoke => visit => {
          const typed = headerValues(visit.request.headers, 'content-type').length > 0
          return typed ? revoke(visit) : device.say('contentTypeRefused')
        })
      },
    ),
    'revoke-every-second-ignored': defect('Of the revocations, every second one has no effect.', ({ tokens }) => {
      let revocations = 0
      replace(tokens, 'revoke', revoke => token => {
        if (++revocations % 2 === 1) revoke(token)
      })
    }),
    'revoke-ignored-before-first-use': defect(
      'A token that was not used before its revocation is not revoked.',
      ({ device, tokens }) => {
        const used = new WeakSet<TokenRecord>()
        replace(device, 'useToken', useToken => (token, request) => {
          const record = tokens.find(token)
          if (record !== undefined && !isRevocation(request)) used.add(record)
          return useToken(token, request)
        })
        replace(tokens, 'revoke', revoke => token => {
          const record = tokens.find(token)
          if (record !== undefined && used.has(record)) revoke(token)
        })
      },
    ),
    'revoke-on-users-only': defect(
      'A revoked token is rejected on the users path and accepted on all others.',
      subject => forgiveIf(subject, request => pathOf(request.target) !== USERS_PATH),
    ),
    'revoke-not-on-users': defect(
      'A revoked token is accepted on the users path and rejected on all others.',
      subject => forgiveIf(subject, request => pathOf(request.target) === USERS_PATH),
    ),
    'revoke-for-get-only': defect(
      'A revoked token is rejected with GET and accepted with all other methods.',
      subject => forgiveIf(subject, request => request.method !== 'GET'),
    ),
    'revoke-on-same-connection-only': defect(
      'A revoked token is rejected on the connection that it was revoked on, and accepted on all others.',
      subject => {
        const connections = new WeakMap<TokenRecord, object>()
        const { device, tokens } = subject
        replace(device, 'revoke', revoke => visit => {
          const record = visit.token === undefined ? undefined : tokens.find(visit.token)
          if (record !== undefined) connections.set(record, visit.request.connection)
          return revoke(visit)
        })
        forgiveIf(subject, (request, record) => connections.get(record) !== request.connection)
      },
    ),
    'revoke-late-by-5-seconds': defect('A revocation takes effect 5 seconds late.', subject => {
      const revokedMs = revocationTimes(subject)
      forgiveIf(subject, (_, record) => subject.clock.nowMs() - (revokedMs.get(record) ?? 0) < LATE_MS)
    }),
    'revoke-late-by-one-request': defect('The first request with a revoked token is still accepted.', subject =>
      forgiveIf(subject, oncePerToken()),
    ),
    // With fewer slots some logons fill them all: REVOKE-1 is in doubt, and the rest cannot be tested.
    'revoke-undone-by-logon': defect(
      'The next logon makes all revoked tokens valid again.',
      subject => {
        const { tokens } = subject
        replace(tokens, 'issue', issue => () => {
          for (const record of tokens.records.values()) record.revoked = false
          return issue()
        })
      },
      { needsTokens: 5 },
    ),
    'revoke-undone-by-time': defect('A revoked token is accepted again after half its idle lifetime.', subject => {
      const revokedMs = revocationTimes(subject)
      const { clock, idleLifetimeMs } = subject
      forgiveIf(subject, (_, record) => clock.nowMs() - (revokedMs.get(record) ?? 0) >= idleLifetimeMs / 2)
    }),
    'revoke-undone-by-second-delete': defect(
      'A DELETE with a revoked token is rejected, and makes the token valid again.',
      ({ device, tokens }) => {
        replace(device, 'answer', answer => request => {
          const token = isRevocation(request) ? device.presentedToken(request) : undefined
          const record = token === undefined ? undefined : tokens.find(token)
          const wasRevoked = record?.revoked === true
          const response = answer(request)
          if (record !== undefined && wasRevoked) record.revoked = false
          return response
        })
      },
    ),
    'revoke-later-requests-answered-200': defect(
      'Requests with a revoked token are answered 200, with the body of a rejection.',
      subject => reword(subject, ['tokenRevoked'], response => ({ ...response, status: 200 })),
    ),
  }),
  ...breaking(['REVOKE-2'], [], {
    'revoke-ends-all-tokens': defect('A revocation ends all tokens of the user.', subject =>
      alsoEnd(subject, () => liveRecords(subject)),
    ),
    'revoke-ends-earlier-tokens': defect(
      'A revocation ends also the tokens that were issued before the revoked one.',
      subject => alsoEnd(subject, record => liveRecords(subject).slice(0, liveRecords(subject).indexOf(record))),
    ),
    'revoke-ends-later-tokens': defect(
      'A revocation ends also the tokens that were issued after the revoked one.',
      subject => alsoEnd(subject, record => liveRecords(subject).slice(liveRecords(subject).indexOf(record))),
    ),
    'revoke-without-token-ends-newest': defect(
      "A DELETE without a token is rejected, and ends the user's newest token.",
      subject => onRejectedDelete(subject, token => (token === undefined ? liveRecords(subject).slice(-1) : [])),
    ),
    'revoke-unknown-token-ends-all': defect(
      'A DELETE with a token that was never issued is rejected, and ends all tokens.',
      subject =>
        onRejectedDelete(subject, token =>
          token !== undefined && subject.tokens.find(token) === undefined ? liveRecords(subject) : [],
        ),
    ),
    'revoke-shortened-token-ends-it': defect(
      'A DELETE with the first part of a token is rejected, and ends the token.',
      subject => {
        const issued = issuedTokens(subject)
        onRejectedDelete(subject, part => {
          const token = part === undefined ? undefined : issued.findLast(token => token.startsWith(part))
          const record = token === undefined ? undefined : subject.tokens.find(token)
          return record === undefined ? [] : [record]
        })
      },
    ),
  }),
  ...breaking(['REVOKE-1', 'REVOKE-2'], [], {
    'revoke-ends-newest-instead': defect("A revocation ends the user's newest token, whichever it carries.", subject =>
      endInstead(subject, live => live.at(-1)),
    ),
    'revoke-ends-oldest-instead': defect("A revocation ends the user's oldest token, whichever it carries.", subject =>
      endInstead(subject, live => live[0]),
    ),
    'revoke-ends-another-instead': defect('A revocation ends another token of the user, if there is one.', subject =>
      endInstead(subject, (live, record) => live.find(other => other !== record)),
    ),
  }),
})

/** Accepts a revoked token. The token still expires. */
function forgiveIf(
  { device, tokens, clock }: Subject,
  isForgiven: (request: ApiRequest, record: TokenRecord) => boolean,
) {
  replace(device, 'useToken', useToken => (token, request) => {
    const record = tokens.find(token)
    if (!record?.revoked || tokens.isExpired(record) || !isForgiven(request, record)) return useToken(token, request)
    record.lastUsedMs = clock.nowMs()
    return true
  })
}

/** Records the time at which each token was revoked. */
function revocationTimes({ tokens, clock }: Subject): WeakMap<TokenRecord, number> {
  const times = new WeakMap<TokenRecord, number>()
  replace(tokens, 'revoke', revoke => token => {
    const record = tokens.find(token)
    if (record !== undefined && !record.revoked) times.set(record, clock.nowMs())
    revoke(token)
  })
  return times
}

/** Lets a revocation end further tokens beside its own. */
function alsoEnd({ tokens }: Subject, others: (record: TokenRecord) => TokenRecord[]): void {
  replace(tokens, 'revoke', revoke => token => {
    const record = tokens.find(token)
    if (record !== undefined) endAll(others(record))
    revoke(token)
  })
}

/** Lets a revocation end another token in place of its own. */
function endInstead(
  subject: Subject,
  choose: (live: TokenRecord[], record: TokenRecord | undefined) => TokenRecord | undefined,
): void {
  subject.tokens.revoke = token => {
    const chosen = choose(liveRecords(subject), subject.tokens.find(token))
    if (chosen !== undefined) endAll([chosen])
  }
}

/** Lets a rejected DELETE end tokens. */
function onRejectedDelete({ device }: Subject, chosen: (token: string | undefined) => TokenRecord[]): void {
  replace(device, 'reject', reject => (path, request, presented) => {
    const response = reject(path, request, presented)
    if (isRevocation(request)) endAll(chosen(presented))
    return response
  })
}
