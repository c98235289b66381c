import { headerValues, type RequestHead } from '../messages.js'
import { LOGON_PATH } from '../routes.js'
import { breaking, type Defect, type DefectTable, defect, defectsOf, type Subject } from './defect.js'
import { checkHostIf, endAll, isLogon, isRevocation, replace, reword, withHost } from './tools.js'
import { afterwards, trailOf } from './trail.js'

const STATUSES: DefectTable = Object.fromEntries(
  [200, 400, 401, 403, 404, 421, 500].map(status => [
    `host-missing-answered-${status}`,
    {
      requirements: ['HOST-1'],
      about: `A missing Host is answered ${status} instead of 406.`,
      install: subject => reword(subject, ['hostMissing'], response => ({ ...response, status })),
    } satisfies DefectTable[string],
  ]),
)

const METHODS: DefectTable = Object.fromEntries(
  ['GET', 'POST', 'DELETE'].flatMap(method => {
    const name = method.toLowerCase()
    const only: DefectTable[string] = {
      requirements: ['HOST-1', 'HOST-2'],
      about: `A missing Host is noticed with ${method} only; other requests are answered as if it were there.`,
      install: subject => checkHostIf(subject, head => head.method === method),
    }
    const not: DefectTable[string] = {
      // A GET that is served has no effect that a client could see.
      requirements: method === 'GET' ? ['HOST-1'] : ['HOST-1', 'HOST-2'],
      about: `A missing Host is not noticed with ${method}.`,
      install: subject => checkHostIf(subject, head => head.method !== method),
    }
    return [
      [`host-checked-on-${name}-only`, only],
      [`host-not-checked-on-${name}`, not],
    ]
  }),
)

/** Defects in the treatment of a missing Host. */
export const HOST: Defect[] = defectsOf('host', {
  ...STATUSES,
  ...METHODS,
  ...breaking(['HOST-1', 'HOST-2'], [], {
    'host-not-checked': defect('A missing Host is not noticed at all.', subject => checkHostIf(subject, () => false)),
    'host-not-checked-on-http10': defect(
      'A missing Host is noticed over HTTP/1.1 only, where HTTP itself wants one.',
      subject => checkHostIf(subject, head => head.httpVersion !== '1.0'),
    ),
    'host-not-checked-on-http11': defect('A missing Host is noticed over HTTP/1.0 only.', subject =>
      checkHostIf(subject, head => head.httpVersion === '1.0'),
    ),
    'host-checked-with-token-only': defect(
      'A missing Host is noticed only in requests with an Authorization header.',
      subject => checkHostIf(subject, hasAuthorization),
    ),
    'host-checked-without-token-only': defect(
      'A missing Host is forgiven in requests with an Authorization header.',
      subject => checkHostIf(subject, head => !hasAuthorization(head)),
    ),
    'host-missing-every-second-served': defect(
      'Of the requests without Host, every second one is answered as if it were there.',
      subject => {
        let missing = 0
        // The check runs once or twice for a request, and must give the same answer each time.
        const judged = new WeakMap<RequestHead['headers'], boolean>()
        replace(subject.device, 'isHostMissing', isHostMissing => head => {
          const before = judged.get(head.headers)
          if (before !== undefined) return before
          const found = isHostMissing(head) && ++missing % 2 === 1
          judged.set(head.headers, found)
          return found
        })
      },
    ),
    'host-remembered-on-connection': defect(
      'A missing Host is forgiven on a connection where an earlier request had one.',
      ({ device }) => {
        const named = new WeakSet<object>()
        replace(device, 'isHostMissing', isHostMissing => head => {
          if (isHostMissing(head)) return !named.has(head.connection)
          named.add(head.connection)
          return false
        })
      },
    ),
  }),
  ...breaking(['HOST-2'], [], {
    'host-missing-brings-token-back': defect(
      'A request without Host is answered 406, and makes the revoked or expired token valid again that it carries.',
      subject => {
        const trail = trailOf(subject)
        afterwards(subject, () => {
          const { asked, record } = trail[0] ?? {}
          if (asked !== 'bare' || !record || subject.tokens.state(record) === 'issued') return
          record.revoked = false
          record.lastUsedMs = subject.clock.nowMs()
        })
      },
    ),
    'host-missing-logon-issues-token': defect(
      'A right logon without Host is answered 406, with a valid token in its body.',
      subject => serveButSay406(subject, isLogon, served => (served.status < 300 ? { body: served.body ?? '' } : {})),
    ),
    'host-missing-delete-revokes': defect(
      'A DELETE without Host is answered 406, and revokes its token all the same.',
      subject => serveButSay406(subject, isRevocation, () => ({})),
    ),
    'host-missing-get-ends-token': defect(
      'A GET without Host is answered 406, and its token is revoked.',
      ({ device, tokens }) => {
        replace(device, 'screen', screen => head => {
          if (head.method === 'GET' && device.isHostMissing(head)) {
            const token = device.presentedToken({ ...head, body: new Uint8Array(), bodyTooLarge: false })
            const record = token === undefined ? undefined : tokens.find(token)
            if (record !== undefined) endAll([record])
          }
          return screen(head)
        })
      },
    ),
  }),
  ...breaking(['HOST-1'], ['HOST-2'], {
    // A logon or revocation whose target is a whole URL reaches no known path, yet takes effect.
    'host-checked-on-logon-path-only': defect(
      'A missing Host is noticed on the logon path only, with any method.',
      subject => checkHostIf(subject, head => head.target.startsWith(LOGON_PATH)),
    ),
  }),
  ...breaking(['HOST-1'], [], {
    'host-missing-connection-dropped': defect(
      'A request without Host gets no answer: its connection is closed.',
      subject => reword(subject, ['hostMissing'], response => ({ ...response, delivery: { fate: 'dropped' } })),
    ),
    'host-missing-never-answered': defect(
      'A request without Host is not answered for a minute; then its connection is closed.',
      subject =>
        reword(subject, ['hostMissing'], response => ({ ...response, delivery: { fate: 'dropped', delayMs: 60_000 } })),
    ),
  }),
})

function hasAuthorization(head: RequestHead): boolean {
  return headerValues(head.headers, 'authorization').length > 0
}

/** Serves some requests without Host, but answers that Host was missing. */
function serveButSay406(
  { device }: Subject,
  isServed: (head: RequestHead) => boolean,
  extra: (served: ReturnType<typeof device.answer>) => { body?: string },
): void {
  const isOne = (head: RequestHead) => isServed(head) && device.isHostMissing(head)
  replace(device, 'screen', screen => head => {
    if (!isOne(head)) return screen(head)
    device.requests += 1
    return undefined
  })
  replace(device, 'answer', answer => request => {
    if (!isOne(request)) return answer(request)
    const served = answer(withHost(request))
    return { ...device.say('hostMissing'), ...extra(served) }
  })
}
