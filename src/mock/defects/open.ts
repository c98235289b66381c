import type { Defect } from './defect.js'
import { table } from './table.js'

/** A Core with access control off that asks for a token all the same. With access control on they change nothing. */
export const OPEN: Defect[] = table(
  'open',
  `
HOST-1
  open-host-missing-served: bare→served
    With access control off, a request without the Host header is answered as any other.
  open-host-missing-with-query-served: bare+query→served
    With access control off, a request with a query and without the Host header is answered as any other.
OPEN-1
  open-absolute-form-needs-token: no-token+absolute-form→needs-a-token
    With access control off, a request whose target is a whole URL needs a token.
  open-behind-user-needs-token: no-token+pipelined+after-token-here→needs-a-token
    With access control off, a request that comes right behind one with a token, before that is answered, needs one too.
  open-core-forbidden: no-token+core-path→forbidden
    With access control off, the Core itself is described to those with a token only; others get a 403.
  open-core-needs-token: no-token+not-users→needs-a-token
    With access control off, every path but that of the users needs a token.
  open-debug-forbidden: no-token+x-debug→forbidden
    With access control off, a request with X-Debug is answered 403 without a token.
  open-doubled-slash-needs-token: no-token+doubled-slash→needs-a-token
    With access control off, a request with a doubled slash in its path is answered 401.
  open-fifth-connection-needs-token: no-token+connection%5→needs-a-token
    With access control off, requests on every fifth connection need a token.
  open-fourth-connection-in-a-row-needs-token: no-token+fourth-connection-in-a-row→needs-a-token
    With access control off, a request needs a token where it and the three before it came on four connections.
  open-head-needs-token: no-token+head→needs-a-token
    With access control off, HEAD needs a token.
  open-http10-needs-token: no-token+http-1.0→needs-a-token
    With access control off, a request over HTTP/1.0 needs a token.
  open-long-connection-needs-token: no-token+nth>=61→needs-a-token
    With access control off, requests need a token once their connection has carried sixty.
  open-long-query-needs-token: no-token+target>=1001→needs-a-token
    With access control off, a request whose target is longer than a thousand characters needs a token.
  open-many-headers-need-token: no-token+headers>=21→needs-a-token
    With access control off, a request with more than twenty headers needs a token.
  open-needs-token: no-token→needs-a-token
    With access control off, every request needs a token.
  open-needs-token-after-expiry: no-token+first-after-expiry→needs-a-token
    With access control off, the first request without a token after one has expired is refused.
  open-needs-token-after-odd-token: no-token+unknown-token-here→needs-a-token
    With access control off, requests on a connection that has carried a token that was never issued need a token.
  open-needs-token-after-refused-logon: no-token+refused-logon-here→needs-a-token
    With access control off, requests on a connection on which a logon was refused need a token.
  open-needs-token-after-revocation: no-token+revoked-here→needs-a-token
    With access control off, requests on a connection on which a token was revoked need a token.
  open-needs-token-while-one-lives: no-token+live>=1→needs-a-token
    With access control off, requests need a token as long as one is valid.
  open-needs-token-while-two-live (2 tokens): no-token+live>=2→needs-a-token
    With access control off, requests need a token as long as two are valid.
  open-page-forbidden: no-token+accept-html→forbidden
    With access control off, a request that accepts a page is answered 403 without a token.
  open-pipelined-needs-token: no-token+pipelined→needs-a-token
    With access control off, a request that comes before the one before it is answered needs a token.
  open-query-needs-token: no-token+query→needs-a-token
    With access control off, a request with a query needs a token.
  open-resumed-session-needs-token: no-token+resumed-session→needs-a-token
    With access control off, a request on a connection that resumes a TLS session needs a token.
  open-resumed-session-of-user-needs-token: no-token+resumed-session+a-token-was-used→needs-a-token
    With access control off, once a token was used, a request in a resumed TLS session needs one.
  open-tenth-request-needs-token: no-token+nth=10→needs-a-token
    With access control off, the tenth request of a connection needs a token.
`,
).map(each => ({
  ...each,
  accessControl: 'off',
  install: (subject, tell) => {
    if (subject.device.parts.accessControl === 'off') each.install(subject, tell)
  },
}))
