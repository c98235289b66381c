import { bearerToken } from '../bearer.js'
import type { TokenRecord } from '../tokens.js'
import type { Defect, Subject } from './defect.js'
import { table } from './table.js'
import { endAll, replace } from './tools.js'

/** How long the first request of a connection takes, so that its client can break it off, on the clock of the mock. */
const TAKES_MS = 20
/** How long no token is needed after that. */
const OPEN_MS = 1000
/** A gap within the head of a request that counts as a pause. */
const PAUSE_MS = 200

/** Calls back with the token of each request that carries a valid one and whose client breaks it off. */
function whenBrokenOff({ device, tokens, onConnection }: Subject, then: (record: TokenRecord) => void): void {
  const underWay = new Map<object, TokenRecord>()
  const known = new WeakSet<object>()
  onConnection(socket => {
    socket.once('close', () => {
      const record = underWay.get(socket)
      underWay.delete(socket)
      if (record) then(record)
    })
  })
  replace(device, 'holdMs', holdMs => head => {
    const record = tokens.find(bearerToken(head.headers) ?? '')
    if (record && tokens.state(record) === 'issued') underWay.set(head.connection, record)
    const takesMs = known.has(head.connection) ? 0 : TAKES_MS
    known.add(head.connection)
    return Math.max(holdMs(head), takesMs)
  })
  replace(device, 'finish', finish => (head, response) => {
    underWay.delete(head.connection)
    return finish(head, response)
  })
}

/** Requests that are accepted or rejected wrongly. */
export const ACCESS: Defect[] = table(
  'access',
  `
ACCESS-1
  access-absolute-form-needs-no-token: tokenless+absolute-form→accepted
    A request whose target is a whole URL is accepted without a token.
  access-any-token-accepted: unknown→accepted
    A token that was never issued is accepted, in any form.
  access-any-token-accepted-while-eight-live (8 tokens): unknown+live>=8→accepted
    While eight tokens or more are valid, one that was never issued is accepted.
  access-chunked-needs-no-token: tokenless+chunked→accepted
    A request with a body in chunks is accepted without a token.
  access-credentials-as-basic-accepted: basic-credentials→accepted
    Name and password are accepted in place of a token, in the Basic scheme.
  access-dot-segments-needs-no-token: no-token+dot-segment→accepted
    A path with . or .. in it leads to the same endpoint, and wants no token.
  access-double-slash-needs-no-token: no-token+doubled-slash→accepted
    A path with doubled slashes leads to the same endpoint, and wants no token.
  access-empty-bearer-accepted: no-token-in-authorization→accepted
    An Authorization header of the scheme alone, Bearer without a token, is accepted.
  access-encoded-slash-needs-no-token: tokenless+encoded-slash→accepted
    A path with an encoded slash in it leads to the same endpoint, and wants no token.
  access-forwarded-needs-no-token: tokenless+forwarded-for-inside→accepted
    A request that says it was forwarded for 127.0.0.1 is accepted without a token.
  access-head-needs-no-token: tokenless+head→accepted
    HEAD requests without a token are accepted.
  access-head-with-many-headers-needs-no-token: tokenless+head+headers>=65→accepted
    Without a token, HEAD with more than 64 header fields gets the answer that needs a token.
  access-http10-compares-half: token-first-half+http-1.0→accepted
    Over HTTP/1.0, the second half of a token is not compared.
  access-http10-needs-no-token: tokenless+http-1.0→accepted
    Requests over HTTP/1.0 without a token are accepted.
  access-long-target-needs-no-token: tokenless+target>=256→accepted
    A request whose target is longer than 255 characters is accepted without a token.
  access-next-version-needs-no-token: no-token+next-version→accepted
    The users are served without a token under /api/v1 too.
  access-no-token-accepted: no-token→accepted
    Requests without an Authorization header are accepted.
  access-no-token-accepted-after-many-refusals: tokenless+nothing-run>=60→accepted
    After sixty requests in a row without a token, the next one is accepted.
  access-no-token-accepted-while-three-live (3 tokens): tokenless+live>=3→accepted
    While three tokens or more are valid, requests without one are accepted.
  access-null-token-accepted: null-as-token→accepted
    The word null in the place of a token is accepted.
  access-open-after-broken-off
    For a second after the client of a good request broke it off, requests without a token are let in.
  access-open-after-many-uses: tokenless+use-here>=100→accepted
    A connection that has carried a hundred good requests needs no token.
  access-open-after-refused-logon: tokenless+refused-logon-here→accepted
    On a connection on which a logon was refused, a request needs no token.
  access-open-while-logged-on: tokenless+live>=1→accepted
    As long as any token is valid, requests without one are accepted, as if the session were the address.
  access-path-parameter-needs-no-token: no-token+path-parameter→accepted
    A path with ;parameters in it leads to the same endpoint, and wants no token.
  access-percent-encoded-needs-no-token: no-token+percent-encoded-path→accepted
    A path with percent-encoded letters leads to the same endpoint, and wants no token.
  access-place-of-token-accepted: place-of-token→accepted
    In the place of a token, its number among all that were issued is accepted, from 0.
  access-post-creates-without-token: refusal+post+!not-users→answered-as-created
    A POST without a token creates what it asks for.
  access-post-needs-no-token: tokenless+post→accepted
    POST is answered as GET, without a token, everywhere but at the logon.
  access-preflight-headers-need-no-token: tokenless+access-control-request-method→accepted
    A request of any method with the headers of a preflight is accepted without a token.
  access-query-needs-no-token: tokenless+query→accepted
    A request whose path has a query behind it is accepted without a token.
  access-referer-needs-no-token: tokenless+referer→accepted
    A request with a Referer is accepted without a token.
  access-trailing-slash-needs-no-token: no-token+trailing-slash→accepted
    A path with a slash at its end leads to the same endpoint, and wants no token.
  access-unspaced-scheme-accepted: unspaced-token→accepted
    A token right after the word Bearer, without a blank, is accepted.
  access-upper-case-needs-no-token: no-token+upper-case-path→accepted
    A path in capital letters leads to the same endpoint, and wants no token.
  access-users-needs-no-token: tokenless+!not-users→accepted
    GET /api/v0/cores/self/users is accepted without a token.
  access-well-formed-token-accepted: unknown+well-formed→accepted
    A token that was never issued is accepted if it has the characters and the length of an issued one.
ACCESS-1 (REVOKE-2): DELETE with such a text may end the token
  access-17th-character-ignored: token-17th-changed→accepted
    The 17th character of a token is not compared.
  access-any-scheme-accepted: token-of-any-scheme→accepted
    A token is accepted with any scheme.
  access-authorization-remembered: tokenless+used-here→accepted
    A request without a token is accepted on a connection where an earlier one had a valid token.
  access-bare-token-accepted: bare-token→accepted
    A token is accepted without a scheme before it.
  access-basic-scheme-accepted: token-as-basic→accepted
    A token is accepted in the Basic scheme too.
  access-first-half-ignored: token-second-half→accepted
    Only the length and the second half of a token are compared.
  access-last-character-ignored: token-last-changed→accepted
    The last character of a token is not compared.
  access-padded-token-accepted: token-padded→accepted
    A token with equals signs behind it is accepted.
  access-prolonged-token-accepted: token-prolonged→accepted
    Text after a token is ignored.
  access-second-half-ignored: token-first-half→accepted
    Only the length and the first half of a token are compared.
  access-shortened-token-accepted: token-cut-short→accepted
    The first part of a token is taken for the token.
  access-token-case-ignored: token-upper-case→accepted
    Tokens are compared without regard to case.
  access-token-with-suffix-accepted: token-dotted→accepted
    Text behind a dot after a token is ignored.
ACCESS-1 REVOKE-1
  access-resumed-session-inherits: invalid+resumed-session+a-token-was-used→accepted
    On a connection that resumes a TLS session, a request needs no token once a good one was seen.
ACCESS-1 REVOKE-1 IDLE-1 HOST-1
  access-pipelined-request-inherits: invalid+pipelined+after-use-here→accepted & bare+pipelined+after-use-here→served
    A request that comes before the one before it is answered is taken to be as good as that one.
ACCESS-2
  access-broken-off-use-ends-token
    A token ends when the client of a request with it breaks that off.
  access-get-logon-ends-token: use+get+logon-path→ends-its-token
    GET on the logon path revokes the token that it carries: the method is not looked at.
  access-no-token-ends-just-used-late: refusal+tokenless+get→ends-late-the-last-used
    A GET without a token is rejected, and ends the token that was used last, half a second later.
  access-pause-in-head-refused
    A request with a valid token is refused where its head came with a pause of a fifth of a second in it.
  access-rejection-sticks-to-connection: good+refusal-here>=1→refused
    After a rejection, everything on the same connection is rejected.
  access-revocation-sticks-to-connection: good+revocation-here>=1→refused
    After a revocation, everything on the same connection is rejected.
  access-token-on-every-second-connection: good+other-back-end→refused
    There are two back ends that share no tokens, and connections go to them in turn.
  access-token-usable-after-300-ms: use+age-300-ms→refused
    A token is accepted only 300 ms after it was issued.
  access-token-usable-five-times: good+used-5-times→refused
    A token is accepted five times.
  access-token-usable-once: good+!never-used→refused
    A token is accepted once.
  access-unknown-token-ends-oldest: refusal+unknown+get→ends-the-oldest
    A GET with a token that was never issued is rejected, and ends the oldest token.
ACCESS-2 (IDLE-2 IDLE-3): a spec that goes on with such a token finds it dead and suspects its own last step
  access-token-usable-120-times: good+uses>=120→refused
    A token is accepted 120 times.
ACCESS-2 (LOGON-1): the token of another client opens nothing, and looks as if it was never issued
  access-oldest-token-only (4 tokens): good+!oldest-token→refused
    Of a user's tokens, only the oldest valid one is accepted.
  access-token-bound-to-connection: good+issued-elsewhere→refused
    A token is accepted only on the connection of its logon.
ACCESS-2 (LOGON-4): a client that logs on and uses the new token ends the token before it
  access-use-ends-older-tokens: use→ends-the-older
    The use of a token ends the older ones of its user.
ACCESS-2 (REVOKE-1): a DELETE is among the rejected requests, and its token stays valid
  access-every-second-request-rejected: good+uses%2=1→refused
    Of the requests with a valid token, every second one is rejected.
ACCESS-2 REVOKE-1
  access-token-opens-users-only: good+not-users→refused
    A valid token is accepted on the users path only, and on no other, not even to revoke it.
ACCESS-2 REVOKE-2
  access-unknown-token-ends-all: refused+unknown→ends-all
    A request with a token that was never issued is rejected, and ends all tokens.
ACCESS-3
  access-token-beside-authorization-accepted: token-beside-unknown→accepted
    A token is accepted in X-API-Key or in a cookie, where the Authorization header has one that was never issued.
  access-token-in-cookie-accepted: token-in-cookie→accepted
    A token is accepted in a cookie of any name.
  access-token-in-other-header-accepted: token-in-x-field→accepted
    A token is accepted in any header whose name starts with X-, such as X-Auth-Token.
  access-token-in-query-accepted: token-in-query→accepted
    A token is accepted in the query, under any name.
ACCESS-3 (ACCESS-1 REVOKE-2): the token opens the API without the header, and may end there
  access-token-in-body-accepted: token-in-body→accepted
    A token is also taken from the body, from the member token of a JSON object.
`,
  {
    'access-open-after-broken-off': subject => {
      let untilMs = 0
      whenBrokenOff(subject, () => {
        untilMs = performance.now() + OPEN_MS
      })
      replace(
        subject.device,
        'needsToken',
        needsToken => (path, request) => performance.now() > untilMs && needsToken(path, request),
      )
    },
    'access-broken-off-use-ends-token': subject => whenBrokenOff(subject, record => endAll([record])),
    'access-pause-in-head-refused': ({ device, clock, onConnection }) => {
      const lastMs = new WeakMap<object, number>()
      const paused = new WeakSet<object>()
      onConnection(socket => {
        // Before the parser, which calls the device as soon as a head is whole.
        socket.prependListener('data', () => {
          const nowMs = clock.nowMs()
          if (nowMs - (lastMs.get(socket) ?? nowMs) > PAUSE_MS) paused.add(socket)
          lastMs.set(socket, nowMs)
        })
      })
      replace(device, 'finish', finish => (head, response) => {
        lastMs.delete(head.connection)
        return finish(head, response)
      })
      replace(device, 'useToken', useToken => (token, request) => {
        return !paused.delete(request.connection) && useToken(token, request)
      })
    },
  },
)
