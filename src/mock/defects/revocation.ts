/** Defects of revocations, in one file because they are one table. */
import type { ApiRequest } from '../messages.js'
import { headerValues, pathOf } from '../messages.js'
import { USERS_PATH } from '../routes.js'
import type { TokenRecord } from '../tokens.js'
import { type Defect, defectsOf, type Subject } from './defect.js'
import { endAll, isRevocation, issuedTokens, liveRecords, oncePerToken, replace, reword } from './tools.js'

/** Delay of a late revocation, in milliseconds; far longer than a suite waits before its check. */
const LATE_MS = 5_000

/** Defects of revocations. */
export const REVOCATION: Defect[] = defectsOf('revocation', {
  'revoke-does-nothing': {
    requirements: ['REVOKE-1'],
    // With fewer slots the survey fills them for good: REVOKE-1 is in doubt, and nothing can be tested.
    needsTokens: 5,
    about: 'A revocation is accepted and has no effect.',
    install({ tokens }) {
      tokens.revoke = () => {}
    },
  },
  'revoke-not-allowed': {
    requirements: ['REVOKE-1'],
    about: 'A revocation with a valid token is answered 405 and has no effect.',
    install({ device }) {
      device.revoke = () => device.say('methodNotAllowed', { allow: 'POST' })
    },
  },
  'revoke-wants-content-type': {
    requirements: ['REVOKE-1'],
    about: 'A revocation without a Content-Type header is answered 415 and has no effect.',
    install({ device }) {
      replace(device, 'revoke', revoke => visit => {
        const typed = headerValues(visit.request.headers, 'content-type').length > 0
        return typed ? revoke(visit) : device.say('contentTypeRefused')
      })
    },
  },
  'revoke-every-second-ignored': {
    requirements: ['REVOKE-1'],
    about: 'Of the revocations, every second one has no effect.',
    install({ tokens }) {
      let revocations = 0
      replace(tokens, 'revoke', revoke => token => {
        if (++revocations % 2 === 1) revoke(token)
      })
    },
  },
  'revoke-ignored-before-first-use': {
    requirements: ['REVOKE-1'],
    about: 'A token that was not used before its revocation is not revoked.',
    install({ device, tokens }) {
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
  },
  'revoke-on-users-only': {
    requirements: ['REVOKE-1'],
    about: 'A revoked token is rejected on the users path and accepted on all others.',
    install: subject => forgiveIf(subject, request => pathOf(request.target) !== USERS_PATH),
  },
  'revoke-not-on-users': {
    requirements: ['REVOKE-1'],
    about: 'A revoked token is accepted on the users path and rejected on all others.',
    install: subject => forgiveIf(subject, request => pathOf(request.target) === USERS_PATH),
  },
  'revoke-for-get-only': {
    requirements: ['REVOKE-1'],
    about: 'A revoked token is rejected with GET and accepted with all other methods.',
    install: subject => forgiveIf(subject, request => request.method !== 'GET'),
  },
  'revoke-on-same-connection-only': {
    requirements: ['REVOKE-1'],
    about: 'A revoked token is rejected on the connection that it was revoked on, and accepted on all others.',
    install(subject) {
      const connections = new WeakMap<TokenRecord, object>()
      const { device, tokens } = subject
      replace(device, 'revoke', revoke => visit => {
        const record = visit.token === undefined ? undefined : tokens.find(visit.token)
        if (record !== undefined) connections.set(record, visit.request.connection)
        return revoke(visit)
      })
      forgiveIf(subject, (request, record) => connections.get(record) !== request.connection)
    },
  },
  'revoke-late-by-5-seconds': {
    requirements: ['REVOKE-1'],
    about: 'A revocation takes effect 5 seconds late.',
    install(subject) {
      const revokedMs = revocationTimes(subject)
      forgiveIf(subject, (_, record) => subject.clock.nowMs() - (revokedMs.get(record) ?? 0) < LATE_MS)
    },
  },
  'revoke-late-by-one-request': {
    requirements: ['REVOKE-1'],
    about: 'The first request with a revoked token is still accepted.',
    install: subject => forgiveIf(subject, oncePerToken()),
  },
  'revoke-undone-by-logon': {
    requirements: ['REVOKE-1'],
    // With fewer slots some logons fill them all: REVOKE-1 is in doubt, and the rest cannot be tested.
    needsTokens: 5,
    about: 'The next logon makes all revoked tokens valid again.',
    install(subject) {
      const { tokens } = subject
      replace(tokens, 'issue', issue => () => {
        for (const record of tokens.records.values()) record.revoked = false
        return issue()
      })
    },
  },
  'revoke-undone-by-time': {
    requirements: ['REVOKE-1'],
    about: 'A revoked token is accepted again after half its idle lifetime.',
    install(subject) {
      const revokedMs = revocationTimes(subject)
      const { clock, idleLifetimeMs } = subject
      forgiveIf(subject, (_, record) => clock.nowMs() - (revokedMs.get(record) ?? 0) >= idleLifetimeMs / 2)
    },
  },
  'revoke-undone-by-second-delete': {
    requirements: ['REVOKE-1'],
    about: 'A DELETE with a revoked token is rejected, and makes the token valid again.',
    install({ device, tokens }) {
      replace(device, 'answer', answer => request => {
        const token = isRevocation(request) ? device.presentedToken(request) : undefined
        const record = token === undefined ? undefined : tokens.find(token)
        const wasRevoked = record?.revoked === true
        const response = answer(request)
        if (record !== undefined && wasRevoked) record.revoked = false
        return response
      })
    },
  },
  'revoke-ends-all-tokens': {
    requirements: ['REVOKE-2'],
    about: 'A revocation ends all tokens of the user.',
    install: subject => alsoEnd(subject, () => liveRecords(subject)),
  },
  'revoke-ends-earlier-tokens': {
    requirements: ['REVOKE-2'],
    about: 'A revocation ends also the tokens that were issued before the revoked one.',
    install: subject => alsoEnd(subject, record => liveRecords(subject).slice(0, liveRecords(subject).indexOf(record))),
  },
  'revoke-ends-later-tokens': {
    requirements: ['REVOKE-2'],
    about: 'A revocation ends also the tokens that were issued after the revoked one.',
    install: subject => alsoEnd(subject, record => liveRecords(subject).slice(liveRecords(subject).indexOf(record))),
  },
  'revoke-ends-newest-instead': {
    requirements: ['REVOKE-1', 'REVOKE-2'],
    about: "A revocation ends the user's newest token, whichever it carries.",
    install: subject => endInstead(subject, live => live.at(-1)),
  },
  'revoke-ends-oldest-instead': {
    requirements: ['REVOKE-1', 'REVOKE-2'],
    about: "A revocation ends the user's oldest token, whichever it carries.",
    install: subject => endInstead(subject, live => live[0]),
  },
  'revoke-ends-another-instead': {
    requirements: ['REVOKE-1', 'REVOKE-2'],
    about: 'A revocation ends another token of the user, if there is one.',
    install: subject => endInstead(subject, (live, record) => live.find(other => other !== record)),
  },
  'revoke-without-token-ends-newest': {
    requirements: ['REVOKE-2'],
    about: "A DELETE without a token is rejected, and ends the user's newest token.",
    install: subject => onRejectedDelete(subject, token => (token === undefined ? liveRecords(subject).slice(-1) : [])),
  },
  'revoke-unknown-token-ends-all': {
    requirements: ['REVOKE-2'],
    about: 'A DELETE with a token that was never issued is rejected, and ends all tokens.',
    install: subject =>
      onRejectedDelete(subject, token =>
        token !== undefined && subject.tokens.find(token) === undefined ? liveRecords(subject) : [],
      ),
  },
  'revoke-shortened-token-ends-it': {
    requirements: ['REVOKE-2'],
    about: 'A DELETE with the first part of a token is rejected, and ends the token.',
    install(subject) {
      const issued = issuedTokens(subject)
      onRejectedDelete(subject, part => {
        const token = part === undefined ? undefined : issued.findLast(token => token.startsWith(part))
        const record = token === undefined ? undefined : subject.tokens.find(token)
        return record === undefined ? [] : [record]
      })
    },
  },
  'revoke-later-requests-answered-200': {
    requirements: ['REVOKE-1'],
    about: 'Requests with a revoked token are answered 200, with the body of a rejection.',
    install: subject => reword(subject, ['tokenRevoked'], response => ({ ...response, status: 200 })),
  },
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
