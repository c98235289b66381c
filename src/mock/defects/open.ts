/**
 * Defects of a Core with access control off: it asks for a token all the same, in some form of a request, state of a connection or
 * moment. With access control on they change nothing. In one file because they are one table.
 */
import { TLSSocket } from 'node:tls'
import { type ApiRequest, headerValues, isApiPath, pathOf, type RequestHead } from '../messages.js'
import { breaking, type Defect, type DefectRows, defect, defectsOf, type Subject } from './defect.js'
import { answerFirst, isLogon, isRevocation, liveRecords, replace } from './tools.js'
import { afterwards } from './trail.js'

/** Headers that a usual request does not exceed. */
const MANY_HEADERS = 20
/** Requests on a connection that no client of a page sends. */
const MANY_REQUESTS = 60

const FORMS: DefectRows = {
  'open-needs-token': defect('With access control off, every request needs a token.', subject =>
    askIf(subject, () => true),
  ),
  'open-http10-needs-token': defect('With access control off, a request over HTTP/1.0 needs a token.', subject =>
    askIf(subject, ({ httpVersion }) => httpVersion === '1.0'),
  ),
  'open-head-needs-token': defect('With access control off, HEAD needs a token.', subject =>
    askIf(subject, ({ method }) => method === 'HEAD'),
  ),
  'open-query-needs-token': defect('With access control off, a request with a query needs a token.', subject =>
    askIf(subject, ({ target }) => target.includes('?')),
  ),
  'open-long-query-needs-token': defect(
    'With access control off, a request whose target is longer than a thousand characters needs a token.',
    subject => askIf(subject, ({ target }) => target.length > 1000),
  ),
  'open-many-headers-need-token': defect(
    'With access control off, a request with more than twenty headers needs a token.',
    subject => askIf(subject, ({ headers }) => headers.length > MANY_HEADERS),
  ),
  'open-absolute-form-needs-token': defect(
    'With access control off, a request whose target is a whole URL needs a token.',
    subject => askIf(subject, ({ target }) => target.startsWith('http')),
  ),
  'open-doubled-slash-needs-token': defect(
    'With access control off, a request with a doubled slash in its path is answered 401.',
    ({ device }) =>
      answerFirst(device, request =>
        isAnonymous(device, request) && pathOf(request.target).includes('//') ? device.say('tokenMissing') : undefined,
      ),
  ),
  'open-core-needs-token': defect('With access control off, every path but that of the users needs a token.', subject =>
    askIf(subject, ({ target }) => !pathOf(target).endsWith('/users')),
  ),
  'open-page-forbidden': defect(
    'With access control off, a request that accepts a page is answered 403 without a token.',
    subject => forbidIf(subject, ({ headers }) => headerValues(headers, 'accept').includes('text/html')),
  ),
  'open-debug-forbidden': defect(
    'With access control off, a request with X-Debug is answered 403 without a token.',
    subject => forbidIf(subject, ({ headers }) => headerValues(headers, 'x-debug').length > 0),
  ),
  'open-core-forbidden': defect(
    'With access control off, the Core itself is described to those with a token only; others get a 403.',
    subject => forbidIf(subject, ({ target }) => pathOf(target) === '/api/v0/cores/self'),
  ),
}

const CONNECTIONS: DefectRows = {
  'open-tenth-request-needs-token': defect(
    'With access control off, the tenth request of a connection needs a token.',
    subject => askAt(subject, nth => nth === 10),
  ),
  'open-long-connection-needs-token': defect(
    'With access control off, requests need a token once their connection has carried sixty.',
    subject => askAt(subject, nth => nth > MANY_REQUESTS),
  ),
  'open-pipelined-needs-token': defect(
    'With access control off, a request that comes before the one before it is answered needs a token.',
    subject => askIf(subject, ({ isPipelined }) => isPipelined === true),
  ),
  'open-resumed-session-needs-token': defect(
    'With access control off, a request on a connection that resumes a TLS session needs a token.',
    subject => askIf(subject, ({ connection }) => connection instanceof TLSSocket && connection.isSessionReused()),
    { needsTls: true },
  ),
  'open-resumed-session-of-user-needs-token': defect(
    'With access control off, once a token was used, a request in a resumed TLS session needs one.',
    subject => {
      let isKnown = false
      afterwards(subject, request => {
        isKnown ||= !isAnonymous(subject.device, request)
      })
      askIf(subject, ({ connection }) => isKnown && connection instanceof TLSSocket && connection.isSessionReused())
    },
    { needsTls: true },
  ),
  'open-behind-user-needs-token': defect(
    'With access control off, a request that comes right behind one with a token, before that is answered, needs one too.',
    subject => {
      const users = new WeakSet<object>()
      afterwards(subject, request => {
        if (isAnonymous(subject.device, request)) users.delete(request.connection)
        else users.add(request.connection)
      })
      askIf(subject, ({ connection, isPipelined }) => isPipelined === true && users.has(connection))
    },
  ),
  'open-fifth-connection-needs-token': defect(
    'With access control off, requests on every fifth connection need a token.',
    subject => {
      const numbers = new WeakMap<object, number>()
      let connections = 0
      askIf(subject, ({ connection }) => {
        const number = numbers.get(connection) ?? ++connections
        numbers.set(connection, number)
        return number % 5 === 0
      })
    },
  ),
  'open-fourth-connection-in-a-row-needs-token': defect(
    'With access control off, a request needs a token where it and the three before it came on four connections.',
    subject => {
      const latest: object[] = []
      askIf(subject, ({ connection }) => {
        latest.unshift(connection)
        latest.splice(4)
        return new Set(latest).size === 4
      })
    },
  ),
}

const MOMENTS: DefectRows = {
  'open-needs-token-while-one-lives': defect(
    'With access control off, requests need a token as long as one is valid.',
    subject => askIf(subject, () => liveRecords(subject).length > 0),
  ),
  'open-needs-token-while-two-live': defect(
    'With access control off, requests need a token as long as two are valid.',
    subject => askIf(subject, () => liveRecords(subject).length > 1),
    { needsTokens: 2 },
  ),
  'open-needs-token-after-refused-logon': defect(
    'With access control off, requests on a connection on which a logon was refused need a token.',
    subject => {
      const refused = new WeakSet<object>()
      replace(subject.device, 'refuse', refuse => request => {
        if (isLogon(request)) refused.add(request.connection)
        return refuse(request)
      })
      askIf(subject, ({ connection }) => refused.has(connection))
    },
  ),
  'open-needs-token-after-revocation': defect(
    'With access control off, requests on a connection on which a token was revoked need a token.',
    subject => askAfter(subject, isRevocation),
  ),
  'open-needs-token-after-odd-token': defect(
    'With access control off, requests on a connection that has carried a token that was never issued need a token.',
    subject =>
      askAfter(subject, ({ headers }) => {
        const [text] = headerValues(headers, 'authorization')
        return text !== undefined && subject.tokens.find(text.replace(/^Bearer ?/, '')) === undefined
      }),
  ),
  'open-needs-token-after-expiry': defect(
    'With access control off, the first request without a token after one has expired is refused.',
    subject => {
      const { tokens } = subject
      const seen = new WeakSet<object>()
      askIf(subject, () => {
        const expired = [...tokens.records.values()].filter(
          record => tokens.state(record) === 'expired' && !seen.has(record),
        )
        for (const record of expired) seen.add(record)
        return expired.length > 0
      })
    },
  ),
}

const HOST: DefectRows = {
  'open-host-missing-served': defect(
    'With access control off, a request without the Host header is answered as any other.',
    ({ device }) =>
      replace(
        device,
        'isHostMissing',
        isHostMissing => head => device.parts.accessControl === 'on' && isHostMissing(head),
      ),
  ),
  'open-host-missing-with-query-served': defect(
    'With access control off, a request with a query and without the Host header is answered as any other.',
    ({ device }) =>
      replace(
        device,
        'isHostMissing',
        isHostMissing => head =>
          isHostMissing(head) && (device.parts.accessControl === 'on' || !head.target.includes('?')),
      ),
  ),
}

/** Asks for a token with access control off, for some requests to an endpoint that wants one with access control on. */
function askIf({ device }: Subject, asks: (request: ApiRequest) => boolean): void {
  replace(device, 'needsToken', needsToken => (path, request) => {
    const isOpen = device.routes[path]?.[request.method]?.open === true
    return needsToken(path, request) || (isOff(device) && !isOpen && isAnonymous(device, request) && asks(request))
  })
}

/** Asks for a token with access control off, by the number of the request on its connection, from 1 on. */
function askAt(subject: Subject, asks: (nth: number) => boolean): void {
  const counts = new WeakMap<object, number>()
  askIf(subject, ({ connection }) => {
    const nth = (counts.get(connection) ?? 0) + 1
    counts.set(connection, nth)
    return asks(nth)
  })
}

/** Asks for a token with access control off, on a connection that has carried a request of some kind. */
function askAfter(subject: Subject, is: (request: RequestHead) => boolean): void {
  const seen = new WeakSet<object>()
  afterwards(subject, request => {
    if (is(request)) seen.add(request.connection)
  })
  askIf(subject, ({ connection }) => seen.has(connection))
}

/** Answers some requests 403 with access control off, unless they carry a token. */
function forbidIf({ device }: Subject, is: (request: ApiRequest) => boolean): void {
  answerFirst(device, request => {
    const isForbidden = isApiPath(pathOf(request.target)) && isAnonymous(device, request) && is(request)
    return isForbidden ? { ...device.say('tokenMissing'), status: 403, headers: [] } : undefined
  })
}

type Device = Subject['device']

function isOff({ parts }: Device): boolean {
  return parts.accessControl === 'off'
}

/** Whether a request has no Authorization header, on a device with access control off. */
function isAnonymous(device: Device, { headers }: RequestHead): boolean {
  return isOff(device) && headerValues(headers, 'authorization').length === 0
}

/** Every defect of a Core with access control off. */
export const OPEN: Defect[] = defectsOf('open', {
  ...breaking(['OPEN-1'], [], { ...FORMS, ...CONNECTIONS, ...MOMENTS }),
  ...breaking(['HOST-1'], [], HOST),
}).map(each => ({ ...each, accessControl: 'off' }))
