/** Defects that show only after a sequence in which time passes. */
import type { TokenRecord } from '../tokens.js'
import { breaking, type DefectTable, defect, type Subject } from './defect.js'
import { isRevocation, replace, resetIf } from './tools.js'
import { afterwards, inARow, letInIf, neverExpireIf, ofToken, type Past, refuseIf, trailOf } from './trail.js'

/** Counts the uses of a token that came after at least `leastMs` without use. */
function agedUses(trail: readonly Past[], record: TokenRecord, leastMs: number): number {
  return ofToken(trail, record).filter(({ asked, idleMs }) => asked === 'use' && idleMs >= leastMs).length
}

/** Remembers the tokens to which something happened. */
function rememberTokens(subject: Subject, is: (past: Past, trail: readonly Past[]) => TokenRecord | undefined | false) {
  const trail = trailOf(subject)
  const found = new WeakSet<TokenRecord>()
  afterwards(subject, () => {
    const [latest] = trail
    const record = latest && is(latest, trail)
    if (record) found.add(record)
  })
  return found
}

/** The defects of this file, which are part of `SEQUENCE`. */
export const SEQUENCE_TIMES: DefectTable = {
  ...breaking(['IDLE-1'], [], {
    'sequence-timer-sticks-after-two-late-uses': defect(
      'A token never expires after it was used twice in the second half of its lifetime.',
      subject => {
        const trail = trailOf(subject)
        const stuck = new WeakSet<TokenRecord>()
        resetIf(subject, (_, record) => {
          if (agedUses(trail, record, subject.idleLifetimeMs * 0.5) >= 1) stuck.add(record)
          return true
        })
        neverExpireIf(subject, record => stuck.has(record))
      },
    ),
    'sequence-timer-sticks-after-an-expiry': defect(
      'Once two tokens were seen to be expired, a token that is issued then never expires.',
      subject => {
        const { tokens } = subject
        const expired = new Set<TokenRecord>()
        const stuck = new WeakSet<TokenRecord>()
        const trail = trailOf(subject)
        afterwards(subject, () => {
          const [latest] = trail
          const { asked, record } = latest ?? {}
          if (asked === 'dead' && record && !record.revoked) expired.add(record)
          // Requests side by side are no sequence: only one after another counts.
          if (asked === 'use' || asked === 'revoke') expired.clear()
        })
        replace(tokens, 'issue', issue => () => {
          const token = issue()
          const record = tokens.find(token)
          if (record && expired.size >= 1 && inARow(trail, past => past.asked === 'dead') >= 2) stuck.add(record)
          return token
        })
        neverExpireIf(subject, record => stuck.has(record))
      },
    ),
    'sequence-timer-sticks-after-a-bare-request': defect(
      'A token that came without Host in the second third of its lifetime never expires.',
      subject => {
        const stuck = rememberTokens(
          subject,
          ({ asked, record, idleMs }) => asked === 'bare' && idleMs > subject.idleLifetimeMs / 3 && record,
        )
        neverExpireIf(subject, record => stuck.has(record))
      },
    ),
    'sequence-expired-token-forgiven-after-looks': defect(
      'An expired token is accepted once it was refused four times.',
      subject => {
        const trail = trailOf(subject)
        letInIf(subject, (_, record) => {
          const isExpired = record !== undefined && !record.revoked && subject.tokens.state(record) === 'expired'
          return isExpired && ofToken(trail, record).filter(({ asked }) => asked === 'dead').length >= 4
        })
      },
    ),
    'sequence-expired-token-back-after-logons': defect(
      'Two logons in a row after an expired token was refused make it valid again.',
      subject => {
        const trail = trailOf(subject)
        afterwards(subject, () => {
          const [one, other, dead] = trail
          const isBack = one?.asked === 'logon' && other?.asked === 'logon' && dead?.asked === 'dead'
          if (isBack && dead?.record && !dead.record.revoked) dead.record.lastUsedMs = subject.clock.nowMs()
        })
      },
    ),
    'sequence-expired-token-back-after-revocation': defect(
      'A look at an expired token right after another token was revoked is let in.',
      subject => {
        const trail = trailOf(subject)
        letInIf(subject, (request, record) => {
          const isExpired = record !== undefined && !record.revoked && subject.tokens.state(record) === 'expired'
          return isExpired && !isRevocation(request) && trail[0]?.asked === 'dead' && trail[1]?.asked === 'revoke'
        })
      },
    ),
  }),
  ...breaking(['IDLE-2', 'IDLE-3'], [], {
    'sequence-third-late-use-resets-nothing': defect(
      'The third use of a token after more than a tenth of its lifetime does not reset its timer.',
      subject => {
        const trail = trailOf(subject)
        resetIf(subject, (_, record, idleMs) => {
          const leastMs = subject.idleLifetimeMs * 0.1
          return idleMs < leastMs || agedUses(trail, record, leastMs) !== 2
        })
      },
    ),
  }),
  ...breaking(['IDLE-3', 'IDLE-2'], ['HOST-2'], {
    'sequence-lifetime-halved-by-bare-request': defect(
      'A token that came without Host once lives for half a lifetime only.',
      subject => {
        const halved = rememberTokens(subject, ({ asked, record }) => asked === 'bare' && record)
        refuseIf(subject, (_, record) => {
          return halved.has(record) && subject.clock.nowMs() - record.lastUsedMs > subject.idleLifetimeMs / 2
        })
      },
    ),
  }),
  ...breaking(['LOGON-4', 'IDLE-3', 'IDLE-2'], [], {
    'sequence-lifetime-halved-by-wrong-logon': defect(
      'A token that was used right before a logon with wrong credentials lives for half a lifetime only.',
      subject => {
        const halved = rememberTokens(
          subject,
          ({ asked }, trail) => asked === 'wrong' && trail[1]?.asked === 'use' && trail[1].record,
        )
        refuseIf(subject, (_, record) => {
          return halved.has(record) && subject.clock.nowMs() - record.lastUsedMs > subject.idleLifetimeMs / 2
        })
      },
    ),
  }),
  ...breaking(['IDLE-3', 'IDLE-2'], [], {
    'sequence-lifetime-halved-after-four-uses': defect(
      'A token that was used four times in a row lives for half a lifetime from then on.',
      subject => {
        const halved = rememberTokens(subject, ({ asked, record }, trail) => {
          return asked === 'use' && inARow(trail, past => past.record === record && past.asked === 'use') >= 4 && record
        })
        refuseIf(subject, (_, record) => {
          return halved.has(record) && subject.clock.nowMs() - record.lastUsedMs > subject.idleLifetimeMs / 2
        })
      },
    ),
  }),
}
