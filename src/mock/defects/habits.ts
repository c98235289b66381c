/** Defects that only the habits of some clients show: further headers, many uses, special moments. */
import { headerValues, pathOf, type RequestHead } from '../messages.js'
import { LOGON_PATH } from '../routes.js'
import type { TokenRecord } from '../tokens.js'
import { breaking, type Defect, type DefectTable, defect, defectsOf, type Subject } from './defect.js'
import { isLogon, isRevocation, replace, resetIf, slowLogon } from './tools.js'
import { afterwards, ignoreRevocationIf, letInIf, neverExpireIf, refuseIf, trailOf } from './trail.js'

const ACCESS: DefectTable = {
  ...breaking(['ACCESS-2'], [], {
    'access-get-logon-ends-token': defect(
      'GET on the logon path revokes the token that it carries: the method is not looked at.',
      subject => {
        const trail = trailOf(subject)
        afterwards(subject, ({ method, target }) => {
          const [latest] = trail
          if (method === 'GET' && pathOf(target) === LOGON_PATH && latest?.asked === 'use' && latest.record)
            latest.record.revoked = true
        })
      },
    ),
  }),
  ...breaking(['ACCESS-1'], [], {
    'access-open-after-many-uses': defect(
      'A connection that has carried a hundred good requests needs no token.',
      subject => {
        const uses = new WeakMap<object, number>()
        const trail = trailOf(subject)
        afterwards(subject, ({ connection }) => {
          if (trail[0]?.asked === 'use') uses.set(connection, (uses.get(connection) ?? 0) + 1)
        })
        letInIf(
          subject,
          ({ connection }, _, presented) => presented === undefined && (uses.get(connection) ?? 0) >= 100,
        )
      },
    ),
  }),
}

const IDLE: DefectTable = {
  ...breaking(['IDLE-2'], [], {
    'idle-use-noted-once-a-quarter': defect(
      'A use resets the timer only where the last reset is a quarter of the idle lifetime ago: writes are spared.',
      subject => resetIf(subject, (_request, _record, idleMs) => idleMs >= subject.idleLifetimeMs / 4),
    ),
    'idle-ended-before-two-lifetimes': defect(
      'A token ends 1.9 idle lifetimes after its logon, however much it is used.',
      subject => {
        const { tokens, clock, idleLifetimeMs } = subject
        const issuedMs = new WeakMap<TokenRecord, number>()
        replace(tokens, 'issue', issue => () => {
          const token = issue()
          const record = tokens.find(token)
          if (record) issuedMs.set(record, clock.nowMs())
          return token
        })
        refuseIf(subject, (_, record) => clock.nowMs() - (issuedMs.get(record) ?? clock.nowMs()) > 1.9 * idleLifetimeMs)
      },
    ),
  }),
  ...breaking(['IDLE-1'], [], {
    'idle-much-used-never-expires': defect(
      'A token that was used ten times does not expire: it is kept where nobody looks at its timer.',
      subject => {
        const uses = new WeakMap<TokenRecord, number>()
        resetIf(subject, (_, record) => {
          uses.set(record, (uses.get(record) ?? 0) + 1)
          return true
        })
        neverExpireIf(subject, record => (uses.get(record) ?? 0) >= 10)
      },
    ),
    'idle-brought-back-by-revocation': defect(
      'DELETE logon with an expired token is rejected, and resets the timer of that token.',
      subject => {
        const trail = trailOf(subject)
        afterwards(subject, head => {
          const record = trail[0]?.asked === 'dead' ? trail[0].record : undefined
          if (record && !record.revoked && isRevocation(head)) record.lastUsedMs = subject.clock.nowMs()
        })
      },
    ),
  }),
}

const LOGON: DefectTable = breaking(['LOGON-4'], [], {
  'logon-ends-token-that-it-carries': defect(
    'A logon with the right credentials that carries a valid token ends that token.',
    subject =>
      afterRightLogons(subject, record => {
        record.revoked = true
      }),
  ),
})

const REVOCATION: DefectTable = breaking(['REVOKE-1'], [], {
  'revoke-undone-by-logon-with-token': defect(
    'A logon with the right credentials that carries a revoked token makes that token valid again.',
    subject =>
      afterRightLogons(subject, record => {
        record.revoked = false
      }),
  ),
  // In less room no logon succeeds any more, since revoked tokens fill it. The run is incomplete then, and REVOKE-1 in doubt.
  'revoke-forgotten-after-sixteen': defect(
    'Only the latest sixteen revocations are remembered: a token that was revoked before them is valid again.',
    subject => rememberRevocations(subject, 16),
    { needsTokens: 40 },
  ),
  'revoke-forgotten-after-thirty-two': defect(
    'Only the latest 32 revocations are remembered: a token that was revoked before them is valid again.',
    subject => rememberRevocations(subject, 32),
    { needsTokens: 56 },
  ),
  'revoke-lost-beside-logon': defect(
    'While a right logon is being answered, which takes 25 ms, the revocation of an earlier token is lost.',
    subject => {
      const isAnswering = slowLogon(subject)
      const { tokens } = subject
      ignoreRevocationIf(subject, record => isAnswering() && record !== [...tokens.records.values()].at(-1))
    },
  ),
  'revoke-with-accept-does-nothing': defect(
    'DELETE logon with an Accept header is answered as if it revoked the token, and does not.',
    subject => {
      let hasAccept = false
      replace(subject.device, 'answer', answer => request => {
        hasAccept = headerValues(request.headers, 'accept').length > 0
        return answer(request)
      })
      replace(subject.tokens, 'revoke', revoke => token => {
        if (!hasAccept) revoke(token)
      })
    },
  ),
})

/** Forgets all revocations but the latest: what was revoked before them is valid again. */
function rememberRevocations({ tokens }: Subject, most: number): void {
  const revoked: TokenRecord[] = []
  replace(tokens, 'revoke', revoke => token => {
    const record = tokens.find(token)
    revoke(token)
    if (record?.revoked && !revoked.includes(record)) revoked.push(record)
    const forgotten = revoked.length > most ? revoked.shift() : undefined
    if (forgotten) forgotten.revoked = false
  })
}

/** Changes the token that a logon carried, after a logon with the right credentials. */
function afterRightLogons(subject: Subject, act: (record: TokenRecord) => void): void {
  const trail = trailOf(subject)
  afterwards(subject, (head: RequestHead) => {
    const [latest] = trail
    if (latest?.asked === 'logon' && latest.record && isLogon(head)) act(latest.record)
  })
}

/** All defects of this file. */
export const HABITS: Defect[] = [
  ...defectsOf('access', ACCESS),
  ...defectsOf('idle', IDLE),
  ...defectsOf('logon', LOGON),
  ...defectsOf('revocation', REVOCATION),
]
