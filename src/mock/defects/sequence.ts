/** Defects that show only after a sequence of requests, in one file because they are one table. */
import { bearerToken } from '../bearer.js'
import type { TokenRecord } from '../tokens.js'
import { breaking, type Defect, defect, defectsOf } from './defect.js'
import { SEQUENCE_FAMILIES } from './sequence-families.js'
import { SEQUENCE_TIMES } from './sequence-times.js'
import { endAll, isLogon, isRevocation, liveRecords, makeValid, replace } from './tools.js'
import { afterwards, ignoreRevocationIf, inARow, letInIf, ofToken, type Past, refuseIf, trailOf } from './trail.js'

const asked =
  (...kinds: Past['asked'][]) =>
  (past: Past) =>
    kinds.includes(past.asked)
/** Tells whether the latest requests were of these kinds, the latest first, with nothing between them. */
const endsWith = (trail: readonly Past[], ...kinds: Past['asked'][]) =>
  trail.length >= kinds.length && kinds.every((kind, index) => trail[index]?.asked === kind)

/** Defects that show only after a sequence of requests that nobody would write down. */
export const SEQUENCE: Defect[] = defectsOf('sequence', {
  ...SEQUENCE_FAMILIES,
  ...SEQUENCE_TIMES,
  ...breaking(['REVOKE-1'], [], {
    'sequence-revoked-token-forgiven-after-looks': defect(
      'A revoked token is accepted again once it was refused seven times.',
      subject => {
        const trail = trailOf(subject)
        letInIf(subject, (_, record) => {
          return record?.revoked === true && ofToken(trail, record).filter(asked('dead')).length >= 7
        })
      },
    ),
    'sequence-revocation-forgotten-after-logons': defect(
      'The fifth logon in a row makes the token valid again that was revoked last before it.',
      subject => {
        const { tokens } = subject
        let last: TokenRecord | undefined
        const trail = trailOf(subject)
        replace(tokens, 'revoke', revoke => token => {
          revoke(token)
          last = tokens.find(token)
        })
        afterwards(subject, () => {
          if (last && inARow(trail, asked('logon')) >= 5) last.revoked = false
        })
      },
    ),
    'sequence-revocation-of-busy-token-ignored': defect(
      'A revocation has no effect on a token of which the last eight requests were uses.',
      subject => {
        const trail = trailOf(subject)
        ignoreRevocationIf(subject, record => inARow(ofToken(trail, record), asked('use')) >= 8)
      },
    ),
    'sequence-third-revocation-revives': defect(
      'The third revocation of the same token makes it valid again.',
      subject => {
        const counts = new WeakMap<TokenRecord, number>()
        afterwards(subject, request => {
          const presented = bearerToken(request.headers, true)
          const record = presented === undefined ? undefined : subject.tokens.find(presented)
          if (!record || !isRevocation(request) || subject.device.isHostMissing(request)) return
          const times = (counts.get(record) ?? 0) + 1
          counts.set(record, times)
          if (times === 3 && presented !== undefined) makeValid(subject, presented)
        })
      },
    ),
    'sequence-revocation-after-refusals-ignored': defect(
      'A revocation right after four refused requests in a row has no effect.',
      subject => {
        const trail = trailOf(subject)
        ignoreRevocationIf(subject, () => inARow(trail, asked('none', 'unknown', 'dead')) >= 4)
      },
    ),
    'sequence-third-revocation-in-a-row-ignored': defect(
      'Of three tokens that are revoked one after another, each looked at in between, the third stays valid.',
      subject => {
        const trail = trailOf(subject)
        ignoreRevocationIf(subject, () => endsWith(trail, 'dead', 'revoke', 'dead', 'revoke'))
      },
    ),
    'sequence-revoked-token-back-after-bare-requests': defect(
      'After two requests without Host in a row, the newest revoked token is valid until it is refused once.',
      subject => {
        const trail = trailOf(subject)
        letInIf(subject, (_, record) => record?.revoked === true && endsWith(trail, 'bare', 'bare'))
      },
    ),
  }),
  ...breaking(['REVOKE-2'], [], {
    'sequence-token-ended-by-late-revocation': defect(
      'A second revocation of a token right after a logon ends the token of that logon.',
      subject => {
        const trail = trailOf(subject)
        let newest: TokenRecord | undefined
        replace(subject.tokens, 'issue', issue => () => {
          const token = issue()
          newest = subject.tokens.find(token)
          return token
        })
        afterwards(subject, () => {
          if (trail[0]?.asked === 'dead' && trail[0].method === 'DELETE' && trail[1]?.asked === 'logon' && newest)
            newest.revoked = true
        })
      },
    ),
    'sequence-unused-token-takes-another-along': defect(
      'The revocation of a token that was never used ends the token that was issued before it, when that was never used either.',
      subject => {
        const { tokens } = subject
        const trail = trailOf(subject)
        replace(tokens, 'revoke', revoke => token => {
          const record = tokens.find(token)
          const live = liveRecords(subject)
          const before = record && live[live.indexOf(record) - 1]
          revoke(token)
          const isUnused = (each: TokenRecord) => ofToken(trail, each).filter(asked('use')).length === 0
          if (record && before && isUnused(record) && isUnused(before)) before.revoked = true
        })
      },
      { needsTokens: 2 },
    ),
    'sequence-vain-revocations-end-newest': defect(
      'The second revocation in a row of tokens that are not valid ends the newest token that is.',
      subject => {
        const trail = trailOf(subject)
        const isVain = (past: Past | undefined) => past?.method === 'DELETE' && ['dead', 'unknown'].includes(past.asked)
        afterwards(subject, () => {
          if (isVain(trail[0]) && isVain(trail[1])) endAll(liveRecords(subject).slice(-1))
        })
      },
    ),
  }),
  ...breaking(['REVOKE-2', 'LOGON-4'], [], {
    // Where other tokens are older, the defect shows only after logons, and a logon then seems to end the token.
    'sequence-revocations-newest-first-end-oldest': defect(
      'When the newest token is revoked and then the next newest, the oldest one ends too.',
      subject => {
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
      { needsTokens: 3 },
    ),
  }),
  ...breaking(['LOGON-4'], ['LOGON-1', 'ACCESS-2'], {
    'sequence-fifth-logon-in-a-row-ends-oldest': defect(
      'Four logons in a row with a use before them end the token that was used.',
      subject => {
        const trail = trailOf(subject)
        afterwards(subject, () => {
          const used = trail[4]
          if (endsWith(trail, 'logon', 'logon', 'logon', 'logon', 'use') && used?.record) used.record.revoked = true
        })
      },
      { needsTokens: 5 },
    ),
  }),
  ...breaking(['LOGON-4'], ['ACCESS-2'], {
    // Where a sequence can't be shortened, what is told is that the token is refused.
    'sequence-wrong-logon-ends-last-used': defect(
      'A logon with wrong credentials right after two uses of the same token ends that token.',
      subject => {
        const trail = trailOf(subject)
        afterwards(subject, () => {
          const [, one, other] = trail
          if (endsWith(trail, 'wrong', 'use', 'use') && one?.record && one.record === other?.record)
            one.record.revoked = true
        })
      },
    ),
  }),
  ...breaking(['LOGON-4'], ['HOST-2'], {
    'sequence-logon-after-bare-logon-ends-oldest': defect(
      'A logon right after a request without Host ends the token that was used last before both.',
      subject => {
        const trail = trailOf(subject)
        afterwards(subject, () => {
          if (endsWith(trail, 'logon', 'bare', 'use') && trail[2]?.record) trail[2].record.revoked = true
        })
      },
    ),
  }),
  ...breaking(['ACCESS-2', 'LOGON-1', 'REVOKE-2'], [], {
    'sequence-logon-after-revocation-and-refusal-dead': defect(
      'The token of a logon right after a revocation and one refused request is never accepted.',
      subject => {
        const trail = trailOf(subject)
        const dead = new WeakSet<TokenRecord>()
        replace(subject.tokens, 'issue', issue => () => {
          const token = issue()
          const record = subject.tokens.find(token)
          if (record && endsWith(trail, 'none', 'dead', 'revoke')) dead.add(record)
          return token
        })
        refuseIf(subject, (_, record) => dead.has(record))
      },
    ),
  }),
  ...breaking(['ACCESS-2', 'LOGON-1'], ['LOGON-4'], {
    'sequence-fourth-logon-in-a-row-dead': defect(
      'The token of the fourth logon in a row is dead from the start.',
      subject => {
        const trail = trailOf(subject)
        replace(subject.tokens, 'issue', issue => () => {
          const token = issue()
          const record = subject.tokens.find(token)
          if (record && inARow(trail, asked('logon')) === 3) record.revoked = true
          return token
        })
      },
      { needsTokens: 4 },
    ),
  }),
  ...breaking(['LOGON-1'], ['REVOKE-2', 'REVOKE-1'], {
    'sequence-logon-gives-token-again': defect(
      'The logon right after a token was issued and revoked twice in a row gives the last of these again.',
      subject => {
        const trail = trailOf(subject)
        const issued: string[] = []
        replace(subject.tokens, 'issue', issue => () => {
          const last = issued.at(-1)
          const token = last !== undefined && endsWith(trail, 'revoke', 'logon', 'revoke', 'logon') ? last : issue()
          if (token === last) makeValid(subject, token)
          issued.push(token)
          return token
        })
      },
    ),
  }),
  ...breaking(['ACCESS-2'], [], {
    'sequence-refused-after-eight-uses': defect(
      'A token that was used eight times with nothing in between is refused from then on.',
      subject => {
        const trail = trailOf(subject)
        const worn = new WeakSet<TokenRecord>()
        refuseIf(subject, (_, record) => {
          if (inARow(trail, past => past.asked === 'use' && past.record === record) >= 8) worn.add(record)
          return worn.has(record)
        })
      },
    ),
    'sequence-refused-once-now-and-then': defect(
      'Every sixth use in a row of the same token is refused once.',
      subject => {
        const trail = trailOf(subject)
        refuseIf(
          subject,
          (_, record) => inARow(trail, past => past.asked === 'use' && past.record === record) % 6 === 5,
        )
      },
    ),
  }),
  ...breaking(['ACCESS-2'], ['LOGON-4'], {
    'sequence-alternating-tokens-confused': defect(
      'Two tokens that are used in turn, twice each, are no longer told apart: the next use of the first ends it.',
      subject => {
        const trail = trailOf(subject)
        afterwards(subject, () => {
          const [a, b, c, d] = trail.slice(0, 4).map(past => (past.asked === 'use' ? past.record : undefined))
          if (a && b && a !== b && a === c && b === d) a.revoked = true
        })
      },
      { needsTokens: 2 },
    ),
  }),
  ...breaking(['ACCESS-2', 'REVOKE-2'], ['LOGON-4'], {
    'sequence-refused-after-look-alikes': defect(
      'After three refused tokens in a row that were never issued, the token that was issued last is refused for good.',
      subject => {
        const trail = trailOf(subject)
        afterwards(subject, () => {
          if (inARow(trail, asked('unknown')) >= 3) endAll(liveRecords(subject).slice(-1))
        })
      },
    ),
    // Each of the three may be a GET, or a DELETE.
    'sequence-refused-after-no-token-requests': defect(
      'Three requests without a token in a row end the token that was used right before them.',
      subject => {
        const trail = trailOf(subject)
        afterwards(subject, () => {
          const used = trail[3]
          if (inARow(trail, asked('none')) === 3 && used?.asked === 'use' && used.record) used.record.revoked = true
        })
      },
    ),
  }),
  ...breaking(['ACCESS-1'], [], {
    'sequence-let-in-after-uses': defect(
      'A request without a token is let in right after five uses of the same token.',
      subject => {
        const trail = trailOf(subject)
        letInIf(subject, (_request, _record, presented) => {
          const record = trail[0]?.record
          return presented === undefined && inARow(trail, past => past.asked === 'use' && past.record === record) >= 5
        })
      },
    ),
    'sequence-let-in-after-refusals': defect('The ninth request without a token in a row is let in.', subject => {
      const trail = trailOf(subject)
      letInIf(subject, (_request, _record, presented) => presented === undefined && inARow(trail, asked('none')) === 8)
    }),
    'sequence-unknown-token-let-in-after-logons': defect(
      'A token that was never issued is accepted right after three logons in a row.',
      subject => {
        const trail = trailOf(subject)
        letInIf(subject, (_request, record, presented) => {
          return presented !== undefined && record === undefined && inARow(trail, asked('logon')) >= 3
        })
      },
    ),
    'sequence-unknown-token-let-in-after-refusals': defect(
      'The eighth token in a row that was never issued is accepted.',
      subject => {
        const trail = trailOf(subject)
        letInIf(subject, (_request, record, presented) => {
          return presented !== undefined && record === undefined && inARow(trail, asked('unknown')) === 7
        })
      },
    ),
    'sequence-let-in-after-bare-requests': defect(
      'A request without a token is let in right after two requests without Host.',
      subject => {
        const trail = trailOf(subject)
        letInIf(subject, (_request, _record, presented) => {
          return presented === undefined && endsWith(trail, 'bare', 'bare')
        })
      },
    ),
    'sequence-let-in-after-two-revocations': defect(
      'A request without a token is let in right after two tokens were revoked one after another.',
      subject => {
        const trail = trailOf(subject)
        letInIf(
          subject,
          (_request, _record, presented) => presented === undefined && endsWith(trail, 'revoke', 'revoke'),
        )
      },
    ),
  }),
  ...breaking(['HOST-2'], ['REVOKE-2'], {
    'sequence-bare-revocations-add-up': defect(
      'The second revocation without Host in a row has its effect.',
      subject => {
        const trail = trailOf(subject)
        afterwards(subject, () => {
          const [one, other] = trail
          const isBare = (past: Past | undefined) => past?.asked === 'bare' && past.method === 'DELETE' && past.record
          if (isBare(one) && isBare(other) && one?.record) one.record.revoked = true
        })
      },
    ),
    'sequence-bare-requests-of-dead-token-end-another': defect(
      'A request without Host with a token that is revoked ends the newest valid token.',
      subject => {
        const trail = trailOf(subject)
        afterwards(subject, () => {
          const [bare] = trail
          if (bare?.asked === 'bare' && bare.record?.revoked) endAll(liveRecords(subject).slice(-1))
        })
      },
    ),
  }),
  ...breaking(['HOST-2'], [], {
    'sequence-bare-use-after-use-ends-token': defect(
      'A request without Host with a token that was just used twice ends it.',
      subject => {
        const trail = trailOf(subject)
        afterwards(subject, () => {
          const [bare, one, other] = trail
          const isSame = bare?.record && bare.record === one?.record && one.record === other?.record
          if (endsWith(trail, 'bare', 'use', 'use') && isSame && bare?.record) bare.record.revoked = true
        })
      },
    ),
    'sequence-bare-logon-issues-after-refusal': defect(
      'A logon without Host right after a use is answered 406, and gives a token in its body.',
      subject => {
        const { device } = subject
        const trail = trailOf(subject)
        replace(device, 'finish', finish => (head, plain) => {
          const isGiven = isLogon(head) && device.isHostMissing(head) && trail[0]?.asked === 'use'
          const response = finish(head, plain)
          if (!isGiven) return response
          const given = device.say('loggedOn', { bearer: device.issueToken() })
          return { ...given, status: response.status }
        })
      },
    ),
  }),
  ...breaking(['LOGON-2'], [], {
    'sequence-wrong-logon-let-in-after-logons': defect(
      'A logon with wrong credentials right after three good ones gives a token.',
      subject => {
        const { device } = subject
        const trail = trailOf(subject)
        replace(device, 'refuse', refuse => request => {
          return inARow(trail, asked('logon')) >= 3 ? device.admit(request) : refuse(request)
        })
      },
    ),
    'sequence-wrong-logon-let-in-after-revocation': defect(
      'A logon with wrong credentials right after a revocation and a look at that token gives a token.',
      subject => {
        const { device } = subject
        const trail = trailOf(subject)
        replace(device, 'refuse', refuse => request => {
          return endsWith(trail, 'dead', 'revoke') ? device.admit(request) : refuse(request)
        })
      },
    ),
  }),
  ...breaking(['LOGON-4', 'LOGON-1', 'ACCESS-2'], ['REVOKE-2'], {
    'sequence-race-of-logons': defect(
      'Of two logons that come within 15 ms on two connections, the first one gives a token that is dead.',
      subject => {
        const { device, tokens } = subject
        let last: { record: TokenRecord; atMs: number; on: object } | undefined
        replace(device, 'admit', admit => request => {
          const atMs = performance.now()
          const on = request.connection
          if (last && last.on !== on && atMs - last.atMs < RACE_MS) last.record.revoked = true
          const response = admit(request)
          const record = [...tokens.records.values()].at(-1)
          last = record && { record, atMs, on }
          return response
        })
      },
      { needsTokens: 2 },
    ),
  }),
})

/**
 * Longest gap between requests on two new connections that are sent side by side, in milliseconds. Requests one after
 * another are further apart.
 */
const RACE_MS = 15
