import type { Defect } from './defect.js'
import { table } from './table.js'

/** Revocations that have no effect, or another one. */
export const REVOCATION: Defect[] = table(
  'revocation',
  `
REVOKE-1
  revoke-aged-does-nothing: revoking+age-half→does-not-end-its-token
    A token that is older than half the lifetime is not revoked, although DELETE says so.
  revoke-chunked-does-nothing: revoking+chunked→does-not-end-its-token
    DELETE logon with a body in chunks, be it empty, is answered as if it revoked the token, and does not.
  revoke-does-nothing (5 tokens): revoking→does-not-end-its-token
    A revocation is accepted and has no effect.
  revoke-every-second-ignored: revoking+revocation-count%2=1→does-not-end-its-token
    Of the revocations, every second one has no effect.
  revoke-every-tenth-ignored: revoking+revocation-count%10=9→does-not-end-its-token
    Of the revocations, every tenth one has no effect.
  revoke-for-get-only: revoked+not-get→accepted
    A revoked token is rejected with GET and accepted with all other methods.
  revoke-forgotten-after-long: revoked+ended>=1.5→accepted
    A revoked token is accepted again when it was unused for 1.5 lifetimes: the list of revocations is cleared too
    early.
  revoke-forgotten-after-many-looks: revoked+looks>=50→accepted
    A revoked token is accepted again once it was refused fifty times.
  revoke-forgotten-after-sixteen (40 tokens): revoked+revocations-since>=16→accepted
    Only the latest sixteen revocations are remembered: a token that was revoked before them is valid again.
  revoke-forgotten-after-thirty-two (56 tokens): revoked+revocations-since>=32→accepted
    Only the latest 32 revocations are remembered: a token that was revoked before them is valid again.
  revoke-forgotten-in-resumed-session: revoked+resumed-session→accepted
    A revoked token is accepted on a connection that resumes a TLS session.
  revoke-http10-does-nothing: revoking+http-1.0→does-not-end-its-token
    DELETE logon over HTTP/1.0 is answered as if it revoked the token, and does not.
  revoke-ignored-before-first-use: revoking+never-used→does-not-end-its-token
    A token that was not used before its revocation is not revoked.
  revoke-keeps-the-only-token: revoking+one-token-lives→does-not-end-its-token
    The only valid token is not revoked, although DELETE says so.
  revoke-late-by-5-seconds: revoked+ended-ms<5000→accepted
    A revocation takes effect 5 seconds late.
  revoke-late-by-one-request: revoked+first-look→accepted
    The first request with a revoked token is still accepted.
  revoke-later-requests-answered-200: refusal+revoked→answered-200
    Requests with a revoked token are answered 200, with the body of a rejection.
  revoke-lost-beside-logon: revoking+beside-logon→does-not-end-its-token
    While a right logon is being answered, the revocation of an earlier token is lost.
  revoke-lost-beside-use: revoking+beside-same-token→does-not-end-its-token
    While a use of a token is being answered, its revocation is lost.
  revoke-not-allowed: revoking→answered-405
    A revocation with a valid token is answered 405 and has no effect.
  revoke-not-on-users: revoked+!not-users→accepted
    A revoked token is accepted on the users path and rejected on all others.
  revoke-old-does-nothing: revoking+age-a-lifetime→does-not-end-its-token
    A token that is older than the lifetime, and was kept alive by uses, is not revoked, although DELETE says so.
  revoke-on-same-connection-only: revoked+revoked-elsewhere→accepted
    A revoked token is rejected on the connection that it was revoked on, and accepted on all others.
  revoke-on-users-only: revoked+not-users→accepted
    A revoked token is rejected on the users path and accepted on all others.
  revoke-query-still-accepted: revoked+query→accepted
    A revoked token is still accepted where the target has a query.
  revoke-undone-by-logon (5 tokens): logon→revives-revoked-all
    The next logon makes all revoked tokens valid again.
  revoke-undone-by-logon-with-token: logon+revoked→revives-its-token
    A logon with the right credentials that carries a revoked token makes that token valid again.
  revoke-undone-by-other-method: use+not-get→revives-revoked-the-newest
    A use with another method than GET makes the newest of the revoked tokens valid again.
  revoke-undone-by-second-delete: refused-revocation+refused+revoked→revives-its-token
    A DELETE with a revoked token is rejected, and makes the token valid again.
  revoke-undone-by-time: revoked+ended-half-ago→accepted
    A revoked token is accepted again after half its idle lifetime.
  revoke-wants-content-type: revoking+!content-type→answered-415
    A revocation without a Content-Type header is answered 415 and has no effect.
  revoke-with-accept-does-nothing: revoking+accept→does-not-end-its-token
    DELETE logon with an Accept header is answered as if it revoked the token, and does not.
  revoke-with-content-length-0-does-nothing: revoking+content-length-0→does-not-end-its-token
    A revocation with Content-Length: 0 is accepted and has no effect.
REVOKE-1 REVOKE-2
  revoke-ends-another-instead: revoking→ends-the-oldest-instead
    A revocation ends another token of the user, if there is one.
  revoke-ends-newest-instead: revoking→ends-the-newest-only
    A revocation ends the user's newest token, whichever it carries.
  revoke-ends-oldest-instead: revoking→ends-the-oldest-only
    A revocation ends the user's oldest token, whichever it carries.
REVOKE-2
  revoke-again-ends-newest: refused-revocation+revoked→ends-the-newest
    A second DELETE with a revoked token is rejected, and ends the newest token.
  revoke-again-ends-oldest-late: refused-revocation+revoked→ends-late-the-oldest
    A second DELETE with a revoked token is rejected, and ends the oldest token half a second later.
  revoke-changed-token-ends-newest: refused-revocation+token-half-right→ends-the-newest
    A DELETE with a token, a part of it changed, is rejected, and ends the newest token.
  revoke-changed-token-ends-oldest-late: refused-revocation+token-half-right→ends-late-the-oldest
    A DELETE with a token, a part of it changed, is rejected, and ends the oldest token half a second later.
  revoke-ends-all-of-four (4 tokens): revocation+live>=4→ends-all
    While four tokens or more are valid, a revocation ends all.
  revoke-ends-all-tokens: revocation→ends-all
    A revocation ends all tokens of the user.
  revoke-ends-all-tokens-late: revocation→ends-late-all
    A revocation ends all tokens of the user, the others half a second later.
  revoke-ends-earlier-tokens: revocation→ends-the-older
    A revocation ends also the tokens that were issued before the revoked one.
  revoke-ends-later-tokens: revocation→ends-the-newer
    A revocation ends also the tokens that were issued after the revoked one.
  revoke-ends-later-tokens-late: revocation→ends-late-the-newer
    A revocation ends also the tokens that were issued after the revoked one, half a second later.
  revoke-ends-next-older: revocation→ends-the-next-older
    A revocation ends also the token that was issued just before the revoked one.
  revoke-expired-token-ends-all-late (like a restart): refused-revocation+expired→ends-late-all
    A DELETE with an expired token is rejected, and ends all tokens half a second later.
  revoke-expired-token-ends-newest: refused-revocation+expired→ends-the-newest
    A DELETE with an expired token is rejected, and ends the newest token.
  revoke-oldest-of-four-ends-next (4 tokens): revocation+oldest-token+live>=4→ends-the-oldest
    Where four tokens or more are valid, the revocation of the oldest ends the next one, too.
  revoke-shortened-token-ends-it: revocation-token-cut-short→ends-the-token-meant
    A DELETE with the first part of a token is rejected, and ends the token.
  revoke-takes-token-from-query: revocation-token-in-query→ends-the-token-meant
    DELETE logon with a token in its query is rejected, and revokes that token.
  revoke-unknown-token-ends-all: refused-revocation+unknown→ends-all
    A DELETE with a token that was never issued is rejected, and ends all tokens.
  revoke-unknown-token-ends-just-used-late: refused-revocation+unknown→ends-late-the-last-used
    A DELETE with a token that was never issued is rejected, and ends the token that was used last, half a second later.
  revoke-unknown-token-ends-newest-of-three (3 tokens): refused-revocation+unknown+live>=3→ends-the-newest
    While three tokens or more are valid, a DELETE with a token that was never issued ends the newest.
  revoke-unknown-token-ends-oldest: refused-revocation+unknown→ends-the-oldest
    A DELETE with a token that was never issued is rejected, and ends the oldest token.
  revoke-without-token-ends-all-late: refused-revocation+tokenless→ends-late-all
    A DELETE without a token is rejected, and ends all tokens half a second later.
  revoke-without-token-ends-any: refused-revocation+tokenless→ends-any
    A DELETE without a token is rejected, and ends a token by chance.
  revoke-without-token-ends-just-used: refused-revocation+tokenless→ends-the-last-used
    A DELETE without a token is rejected, and ends the token that was used last.
  revoke-without-token-ends-newest: refused-revocation+tokenless→ends-the-newest
    A DELETE without a token is rejected, and ends the user's newest token.
  revoke-without-token-ends-newest-late: refused-revocation+tokenless→ends-late-the-newest
    A DELETE without a token is rejected, and ends the newest token half a second later.
  revoke-without-token-ends-next-newest (2 tokens): refused-revocation+tokenless→ends-the-next-newest
    A DELETE without a token is rejected, and ends the newest token but one.
  revoke-without-token-ends-oldest: refused-revocation+tokenless→ends-the-oldest
    A DELETE without a token is rejected, and ends the oldest token.
REVOKE-2 (IDLE-2 IDLE-3): for a spec that waits with the newest token, that ends before its lifetime
  revoke-aged-ends-newest: revocation+age-half→ends-the-newest
    The revocation of a token that is older than half the lifetime ends also the newest one.
REVOKE-2 (LOGON-4): between two logons of a family, the suite gives back the token of the first
  revoke-ends-least-used: revocation→ends-the-least-used
    A revocation ends also the token that was unused for the longest time.
`,
)
