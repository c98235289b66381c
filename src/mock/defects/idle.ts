import type { Defect } from './defect.js'
import { table } from './table.js'

/** Tokens that expire too early, too late or not at all. */
export const IDLE: Defect[] = table(
  'idle',
  `
IDLE-1
  idle-brought-back-by-revocation: refused-revocation+expired→revives-its-token
    DELETE logon with an expired token is rejected, and resets the timer of that token.
  idle-comes-back: expired+ended>=0.9→accepted
    An expired token is valid again once it was unused for 1.9 lifetimes: its timer overflows.
  idle-expired-accepted-with-query: expired+query→accepted
    An expired token is still accepted where the target has a query.
  idle-expired-for-get-only: expired+not-get→accepted
    An expired token is rejected with GET and accepted with all other methods.
  idle-expired-not-on-users: expired+!not-users→accepted
    An expired token is accepted on the users path and rejected on all others.
  idle-expired-on-users-only: expired+not-users→accepted
    An expired token is rejected on the users path and accepted on all others.
  idle-forgotten-on-connection: expired+its-use-here→accepted
    A connection on which a token was used goes on accepting that token when it has expired.
  idle-held-by-connection: expired+last-use-open→accepted
    A token does not expire while the connection of its last use stays open.
  idle-lifetime-a-half-longer: logon→lifetime-1.5
    Tokens expire after one and a half idle lifetimes.
  idle-lifetime-a-tenth-longer: logon→lifetime-1.1
    Tokens expire after 110 % of the idle lifetime.
  idle-lifetime-doubled: logon→doubles-the-lifetime
    Tokens expire after two idle lifetimes.
  idle-much-used-never-expires: expired+used-10-times→accepted
    A token that was used ten times does not expire: it is kept where nobody looks at its timer.
  idle-lone-token-never-expires: expired+no-token-lives→accepted
    A token does not expire while no other one is valid.
  idle-never-expires: logon→ends-the-expiry
    Tokens never expire.
  idle-noticed-at-next-logon: expired+no-logon-since→accepted
    Expired tokens are accepted until the next logon, which ends them.
  idle-noticed-on-second-use: expired+first-look→accepted
    The first request with an expired token is still accepted.
  idle-reset-by-any-request: request→resets-the-timer-of-all
    Any API request, with or without a token, resets the timers of all tokens.
  idle-reset-by-logon: logon→resets-the-timer-of-all
    A logon resets the timers of all earlier tokens that have not expired.
  idle-reset-by-logon-for-another-host: logon+x-forwarded-host→resets-the-timer-of-all
    A logon with X-Forwarded-Host resets the timers of all earlier tokens that have not expired.
  idle-reset-by-lookalike: refused+token-first-8→resets-the-timer-of-the-token-meant
    A request that is rejected resets the timer of the token whose first eight characters it carries.
  idle-reset-by-odd-lookalike: refused+token-first-8+17-header-fields→resets-the-timer-of-the-token-meant
    A rejected request with more than sixteen header fields resets the timer of the token whose first eight characters it carries.
  idle-reset-by-other-token: use→resets-the-timer-of-all
    A use of a token resets the timers of all tokens of the user.
  idle-reset-by-rejected-request: refused→resets-the-timer-of-all
    A request that is rejected for its token, or for having none, resets the timers of all tokens.
  idle-reset-by-unknown-tokens: refused+unknown→resets-the-timer-of-all
    A request with a token that was never issued resets the timers of all tokens.
  idle-revived-by-logon: logon→revives-expired-all
    The next logon makes all expired tokens valid again.
  idle-revived-by-logon-with-token: logon+expired→revives-its-token
    A logon with the right credentials that carries an expired token makes that token valid again.
  idle-revived-by-use: refused+expired→revives-its-token
    A request with an expired token is rejected, and makes the token valid again.
  idle-unused-never-expires: logon→ends-the-expiry & request+!logon-path→lifetime-1
    A token that was never used does not expire: its timer starts with its first use.
  idle-use-adds-lifetime: use→adds-a-lifetime
    A use does not reset the idle timer but adds a whole idle lifetime to what is left.
IDLE-2
  idle-counted-from-logon: use→does-not-reset-the-timer
    Tokens expire an idle lifetime after their logon, however much they are used.
  idle-ended-before-two-lifetimes: use+age-two-lifetimes→refused
    A token ends 1.9 idle lifetimes after its logon, however much it is used.
  idle-not-reset-by-get: use+get→does-not-reset-the-timer
    A GET does not reset the idle timer; other methods do.
  idle-not-reset-by-later-uses: use+used-10-times→does-not-reset-the-timer
    From the eleventh on, no use resets the timer of its token.
  idle-not-reset-by-query: use+query→does-not-reset-the-timer
    A request whose target has a query does not reset the idle timer.
  idle-not-reset-by-whole-url: use+absolute-form→does-not-reset-the-timer
    A request whose target is a whole URL does not reset the idle timer.
  idle-not-reset-in-resumed-session: use+resumed-session→does-not-reset-the-timer
    A use on a connection that resumes a TLS session does not reset the timer.
  idle-not-reset-late: use+idle>=0.7→does-not-reset-the-timer
    A use in the last 30 % of the idle lifetime does not reset the timer.
  idle-not-reset-pipelined: use+pipelined→does-not-reset-the-timer
    A use that comes before the request before it is answered does not reset the timer.
  idle-not-reset-on-users: use+!not-users→does-not-reset-the-timer
    Requests on the users path do not reset the idle timer; those on others do.
  idle-reset-by-first-on-connection: use+used-here→does-not-reset-the-timer
    Only the first use of a token on a connection resets the idle timer.
  idle-reset-by-its-first-on-connection: use+its-use-here→does-not-reset-the-timer
    Of the uses of a token on a connection, only the first one resets the idle timer.
  idle-reset-by-first-use-only: use+!never-used→does-not-reset-the-timer
    Only the first use of a token resets its idle timer.
  idle-reset-in-first-half-only: use+idle>=0.5→does-not-reset-the-timer
    A use in the second half of the idle lifetime does not reset the timer.
  idle-reset-in-second-half-only: use+idle<0.5→does-not-reset-the-timer
    A use in the first half of the idle lifetime does not reset the timer.
  idle-reset-on-users-only: use+not-users→does-not-reset-the-timer
    Only requests on the users path reset the idle timer.
  idle-use-noted-once-a-quarter: use+idle<0.25→does-not-reset-the-timer
    A use resets the timer only where the last reset is a quarter of the idle lifetime ago: writes are spared.
IDLE-3
  idle-lifetime-a-tenth-shorter: logon→lifetime-0.9
    Tokens expire after 90 % of the idle lifetime.
IDLE-3 (IDLE-2): with a far shorter lifetime, a use that does not reset the timer looks like a lifetime that is over
  idle-lifetime-halved: logon→halves-the-lifetime
    Tokens expire after half the idle lifetime.
IDLE-3 (IDLE-2 ACCESS-2): the tokens that end were in use, and the request that ends them was rejected
  idle-expiry-ends-all-tokens (like a restart): refused+expired→ends-all
    When a token is found expired, all tokens of the user end.
`,
)
