import type { Defect } from './defect.js'
import { table } from './table.js'

/** A missing Host that is treated wrongly. */
export const HOST: Defect[] = table(
  'host',
  `
HOST-1
  host-looked-for-after-token: bare+!no-token+!valid→answered-401
    A request without the Host header is told first that its token is not good.
  host-missing-answered-200: bare→answered-200
    A missing Host is answered 200 instead of 406.
  host-missing-answered-400: bare→answered-400
    A missing Host is answered 400 instead of 406.
  host-missing-answered-401: bare→answered-401
    A missing Host is answered 401 instead of 406.
  host-missing-answered-403: bare→answered-403
    A missing Host is answered 403 instead of 406.
  host-missing-answered-404: bare→answered-404
    A missing Host is answered 404 instead of 406.
  host-missing-answered-421: bare→answered-421
    A missing Host is answered 421 instead of 406.
  host-missing-answered-500: bare→answered-500
    A missing Host is answered 500 instead of 406.
  host-missing-connection-dropped: bare→dropped
    A request without Host gets no answer: its connection is closed.
  host-missing-never-answered: bare→never-answered
    A request without Host is not answered for a minute; then its connection is closed.
  host-not-checked-on-get: bare+get→served
    A missing Host is not noticed with GET.
HOST-1 (HOST-2): a logon or revocation whose target is a whole URL takes effect
  host-checked-on-logon-path-only: bare+!logon-path→served
    A missing Host is noticed on the logon path only, with any method.
HOST-1 HOST-2
  host-checked-on-delete-only: bare+!delete→served
    A missing Host is noticed with DELETE only; other requests are answered as if it were there.
  host-checked-on-get-only: bare+!get→served
    A missing Host is noticed with GET only; other requests are answered as if it were there.
  host-checked-on-post-only: bare+!post→served
    A missing Host is noticed with POST only; other requests are answered as if it were there.
  host-checked-with-token-only: bare+no-token→served
    A missing Host is noticed only in requests with an Authorization header.
  host-checked-without-token-only: bare+!no-token→served
    A missing Host is forgiven in requests with an Authorization header.
  host-missing-every-second-served: bare+bare-count%2=1→served
    Of the requests without Host, every second one is answered as if it were there.
  host-not-checked: bare→served
    A missing Host is not noticed at all.
  host-not-checked-on-delete: bare+delete→served
    A missing Host is not noticed with DELETE.
  host-not-checked-on-http10: bare+http-1.0→served
    A missing Host is noticed over HTTP/1.1 only, where HTTP itself wants one.
  host-not-checked-on-http11: bare+!http-1.0→served
    A missing Host is noticed over HTTP/1.0 only.
  host-not-checked-on-post: bare+post→served
    A missing Host is not noticed with POST.
  host-remembered-on-connection: bare+named-host-here→served
    A missing Host is forgiven on a connection where an earlier request had one.
HOST-2
  host-missing-brings-token-back: bare+dead→revives-its-token
    A request without Host is answered 406, and makes the revoked or expired token valid again that it carries.
  host-missing-delete-ends-all: bare+delete+logon-path→ends-all & bare+delete+logon-path→ends-its-token
    A DELETE without Host is answered 406, and ends all tokens.
  host-missing-delete-ends-newest: bare+delete+logon-path→ends-the-newest
    A DELETE without Host is answered 406, and ends the newest token but its own.
  host-missing-delete-ends-oldest-late: bare+delete+logon-path→ends-late-the-oldest
    A DELETE without Host is answered 406, and ends the oldest token half a second later.
  host-missing-behind-head-revokes: revocation-no-host+after-head-here→ends-its-token
    A revocation without Host right behind HEAD on its connection is answered 406, and revokes the token.
  host-missing-delete-revokes: revocation-no-host→ends-its-token
    A DELETE without Host is answered 406, and revokes its token all the same.
  host-missing-get-ends-newest: bare+get→ends-the-newest
    A GET without Host is answered 406, and ends the newest token but its own.
  host-missing-get-ends-token: bare+valid+get→ends-its-token
    A GET without Host is answered 406, and its token is revoked.
  host-missing-logon-ends-just-used-late: logon-no-host→ends-late-the-last-used
    A logon without Host is answered 406, and ends the token that was used last, half a second later.
  host-missing-logon-ends-oldest: logon-no-host→ends-the-oldest
    A logon without Host is answered 406, and ends the oldest token.
  host-missing-logon-issues-and-ends: logon-no-host→carried-out & logon-no-host→ends-the-newest
    A logon without Host is answered 406 with a valid token in its body, for which the newest one ends.
  host-missing-logon-issues-token: logon-no-host→carried-out
    A right logon without Host is answered 406, with a valid token in its body.
  host-missing-with-query-revokes: revocation-no-host+query→ends-its-token
    DELETE logon with a query and without the Host header is answered 406, and revokes the token that it carries.
`,
)
