/** Defects that show on one connection, or after many equal requests. */
import { TLSSocket } from 'node:tls'
import { headerValues, type RequestHead } from '../messages.js'
import type { TokenRecord } from '../tokens.js'
import { breaking, type Defect, type DefectTable, defect, defectsOf, type Subject } from './defect.js'
import { isLogon, liveRecords, openIf, replace } from './tools.js'
import { afterwards, ignoreRevocationIf, letInIf, ofToken, refuseIf, trailOf } from './trail.js'

/** Repetitions after which the defect shows: more equal requests than any spec sends, except those that repeat on purpose. */
const MANY = 60

const ACCESS: DefectTable = {
  ...breaking(['ACCESS-1', 'REVOKE-1', 'IDLE-1', 'HOST-1'], [], {
    'access-pipelined-request-inherits': defect(
      'A request that comes before the one before it is answered is taken to be as good as that one.',
      subject => {
        const good = new WeakSet<object>()
        const inherits = ({ connection, isPipelined }: RequestHead) => isPipelined === true && good.has(connection)
        replace(subject.device, 'isHostMissing', isHostMissing => head => isHostMissing(head) && !inherits(head))
        letInIf(subject, inherits)
        afterwards(subject, head => {
          if (hasGoodToken(subject, head)) good.add(head.connection)
          else if (!head.isPipelined) good.delete(head.connection)
        })
      },
    ),
  }),
  ...breaking(['ACCESS-1', 'REVOKE-1'], [], {
    'access-resumed-session-inherits': defect(
      'On a connection that resumes a TLS session, a request needs no token once a good one was seen.',
      subject => {
        let isKnown = false
        afterwards(subject, head => {
          isKnown ||= hasGoodToken(subject, head)
        })
        letInIf(subject, ({ connection }) => {
          return isKnown && connection instanceof TLSSocket && connection.isSessionReused()
        })
      },
      { needsTls: true },
    ),
  }),
  ...breaking(['ACCESS-1'], [], {
    'access-open-after-refused-logon': defect(
      'On a connection on which a logon was refused, a request needs no token.',
      subject => {
        const tried = new WeakSet<object>()
        replace(subject.device, 'refuse', refuse => request => {
          if (isLogon(request)) tried.add(request.connection)
          return refuse(request)
        })
        openIf(subject, ({ connection }) => tried.has(connection))
      },
    ),
    'access-chunked-needs-no-token': defect('A request with a body in chunks is accepted without a token.', subject =>
      openIf(subject, ({ headers }) => headerValues(headers, 'transfer-encoding').length > 0),
    ),
    'access-no-token-accepted-after-many-refusals': defect(
      'After sixty requests in a row without a token, the next one is accepted.',
      subject => {
        const trail = trailOf(subject)
        letInIf(subject, (_request, _record, presented) => {
          return presented === undefined && trail.slice(0, MANY).filter(({ asked }) => asked === 'none').length === MANY
        })
      },
    ),
  }),
  ...breaking(['ACCESS-2'], ['IDLE-2', 'IDLE-3'], {
    // A spec that goes on with such a token finds it dead and suspects its own last step.
    'access-token-usable-120-times': defect('A token is accepted 120 times.', subject => {
      const uses = new WeakMap<TokenRecord, number>()
      refuseIf(subject, (_, record) => {
        const times = (uses.get(record) ?? 0) + 1
        uses.set(record, times)
        return times > 2 * MANY
      })
    }),
  }),
}

const REVOCATION: DefectTable = {
  ...breaking(['REVOKE-1'], [], {
    'revoke-forgotten-in-resumed-session': defect(
      'A revoked token is accepted on a connection that resumes a TLS session.',
      subject =>
        letInIf(subject, ({ connection }, record) => {
          return record?.revoked === true && connection instanceof TLSSocket && connection.isSessionReused()
        }),
      { needsTls: true },
    ),
    'revoke-forgotten-after-long': defect(
      'A revoked token is accepted again when it was unused for 1.5 lifetimes: the list of revocations is cleared too early.',
      subject =>
        letInIf(
          subject,
          (_, record) =>
            record?.revoked === true && subject.clock.nowMs() - record.lastUsedMs > subject.idleLifetimeMs * 1.5,
        ),
    ),
    'revoke-forgotten-after-many-looks': defect(
      'A revoked token is accepted again once it was refused fifty times.',
      subject => {
        const trail = trailOf(subject)
        letInIf(subject, (_, record) => {
          const looks = ofToken(trail, record).filter(({ asked }) => asked === 'dead').length
          return record?.revoked === true && looks >= 50
        })
      },
    ),
    'revoke-http10-does-nothing': defect(
      'DELETE logon over HTTP/1.0 is answered as if it revoked the token, and does not.',
      subject => {
        let version = ''
        replace(subject.device, 'answer', answer => request => {
          version = request.httpVersion
          return answer(request)
        })
        ignoreRevocationIf(subject, () => version === '1.0')
      },
    ),
  }),
  ...breaking(['REVOKE-2'], [], {
    'revoke-oldest-of-four-ends-next': defect(
      'Where four tokens or more are valid, the revocation of the oldest ends the next one, too.',
      subject => {
        const { tokens } = subject
        replace(tokens, 'revoke', revoke => token => {
          const [oldest, next, ...others] = liveRecords(subject)
          const isOldest = oldest !== undefined && oldest === tokens.find(token)
          revoke(token)
          if (isOldest && next && others.length >= 2) next.revoked = true
        })
      },
      { needsTokens: 4 },
    ),
  }),
}

const IDLE: DefectTable = breaking(['IDLE-1'], [], {
  'idle-forgotten-on-connection': defect(
    'A connection on which a token was used goes on accepting that token when it has expired.',
    subject => {
      const { device, tokens } = subject
      const known = new WeakMap<object, Set<TokenRecord>>()
      replace(device, 'useToken', useToken => (token, request) => {
        const record = tokens.find(token)
        const used = known.get(request.connection) ?? new Set()
        known.set(request.connection, used)
        const isExpired = record !== undefined && tokens.state(record) === 'expired'
        const valid = useToken(token, request) || (isExpired && used.has(record))
        if (valid && record) used.add(record)
        return valid
      })
    },
  ),
  'idle-reset-by-unknown-tokens': defect(
    'A request with a token that was never issued resets the timers of all tokens.',
    subject => {
      const { tokens, clock } = subject
      const trail = trailOf(subject)
      afterwards(subject, () => {
        if (trail[0]?.asked !== 'unknown') return
        for (const record of liveRecords(subject))
          if (tokens.state(record) === 'issued') record.lastUsedMs = clock.nowMs()
      })
    },
  ),
})

/** Tells whether a request carries a valid token in its header. */
function hasGoodToken({ tokens }: Subject, { headers }: RequestHead): boolean {
  const token = /^Bearer (\S+)$/.exec(headerValues(headers, 'authorization')[0] ?? '')?.[1]
  const record = token === undefined ? undefined : tokens.find(token)
  return record !== undefined && tokens.state(record) === 'issued'
}

/** Every defect of connections. */
export const CONNECTIONS: Defect[] = [
  ...defectsOf('access', ACCESS),
  ...defectsOf('idle', IDLE),
  ...defectsOf('revocation', REVOCATION),
]
