import { randomBytes } from 'node:crypto'
import type { Defect } from './defect.js'
import { table } from './table.js'

/** Logons that are accepted or refused wrongly, issue wrong tokens, or end those of others. */
export const LOGON: Defect[] = table(
  'logon',
  `
ACCESS-2 (LOGON-1 REVOKE-1): the token looks as if it was never issued, and a DELETE as its first use revokes nothing
  logon-token-first-use-rejected: good+never-used→refused
    The first request with a token is rejected; the next ones are accepted.
LOGON-1
  logon-escapes-refused: logon+escape→refused
    A logon body with escapes in it is refused, though its credentials are right.
  logon-every-second-refused: logon+right-count%2=1→refused
    Of the right logons, every second one is refused.
  logon-password-first-refused: logon+password-first→refused
    A logon with the password before the user name is refused.
  logon-returns-no-token: logon→gets-no-token
    The answer to a right logon holds no token.
  logon-token-holds-credentials
    The token is the base64 of random bytes, name and password.
  logon-with-cookie-refused: logon+cookie→refused
    A logon that carries a cookie is refused.
LOGON-1 (ACCESS-2): a token that opens nothing may also be a valid token that is refused
  logon-token-unusable: logon→gets-a-dead-token
    The token of a logon is never accepted.
LOGON-1 (REVOKE-1 REVOKE-2): one client logs the other off, and a logon brings the revoked token back
  logon-same-token-always: logon→gets-the-newest-token-again
    Every logon returns the same token, valid again if it was not.
  logon-same-token-within-a-second: logon+issued-ms<1000→gets-the-newest-token-again
    Logons within a second return the same token, as if it were made of the time.
  logon-token-is-credentials
    The token is the base64 of name and password, so every logon returns the same.
  logon-token-is-password
    The token is the password, so every logon returns the same.
LOGON-1 (REVOKE-2): one client logs the other off
  logon-same-token-while-valid: logon→gets-a-valid-token-again
    A logon returns the token of the one before as long as that is valid.
LOGON-1 REVOKE-1
  logon-revoked-token-reissued: logon→gets-a-revoked-token-again
    A logon after a revocation returns the revoked token, valid again.
LOGON-2
  logon-any-password-accepted: any-wrong-password→gets-a-token
    Any password is accepted for the right user.
  logon-any-password-after-right-one: any-wrong-password+after-any-logon→gets-a-token
    Once the right password was given, any is accepted.
  logon-any-password-beside-right-one: any-wrong-password+beside-logon→gets-a-token
    While a right logon is being answered, any password is accepted.
  logon-any-password-with-token: any-wrong-password+valid→gets-a-token
    A logon that carries a valid token is accepted with any password.
  logon-any-username-accepted: username-unknown→gets-a-token
    The right password is accepted for any user.
  logon-claim-believed: any-wrong-password+claims-authenticated→gets-a-token
    A logon with "authenticated": true in its body needs no right password.
  logon-expired-token-suffices: any-wrong-password+expired→gets-a-token
    A logon with an expired token in its Authorization header needs no right password.
  logon-get-issues-token: request+get+logon-path→gets-a-token
    A GET on the logon path issues a token, without any credentials.
  logon-header-names-user: any-wrong-password+x-remote-user→gets-a-token
    A logon whose X-Remote-User is the user needs no right password, as behind a proxy that has checked it.
  logon-password-anagram-accepted: password-anagram→gets-a-token
    A password of the same characters in another order is accepted, as by a sum of them.
  logon-password-as-pattern: password-a-wildcard→gets-a-token
    The password is compared with LIKE of SQL: a percent sign stands for any text.
  logon-password-case-ignored: password-other-case→gets-a-token
    Passwords are compared without regard to case.
  logon-password-compared-to-8-characters: password-right-to-the-8th→gets-a-token
    Only the first 8 characters of passwords are compared.
  logon-password-cut-to-bytes: password-cut-to-bytes→gets-a-token
    Of each character of a password, the last 8 bits are compared.
  logon-password-empty-accepted: password-empty→gets-a-token
    An empty password is accepted.
  logon-password-in-base64-accepted: password-in-base64→gets-a-token
    The right password is accepted in base64, too.
  logon-password-injection-accepted: password-of-a-query→gets-a-token
    A password such as ' OR '1'='1 is accepted, as by a database that is asked with it.
  logon-password-last-character-ignored: password-last-changed→gets-a-token
    The last character of a password is not compared, only that there is one.
  logon-password-length-in-a-byte: password-and-256-more→gets-a-token
    The length of a password is kept in a byte, so 256 more characters are not seen.
  logon-password-prolonged-accepted: password-prolonged→gets-a-token
    Text after the right password is ignored.
  logon-password-shortened-accepted: password-cut→gets-a-token
    The first part of the right password is enough, if it is not empty.
  logon-password-trimmed: password-with-space→gets-a-token
    White space around the right password is forgiven.
  logon-put-needs-no-password: request+put+logon-path→gets-a-token
    PUT on the logon path issues a token, whatever the password.
  logon-refusal-issues-token: wrong→refused-with-a-token
    A logon with wrong credentials is refused by its status, but its body holds a valid token.
  logon-same-wrong-password-twice-accepted: any-wrong-password+sent-before→gets-a-token
    A wrong password is refused once, and accepted when the same is given again.
  logon-username-as-password-accepted: password-is-username→gets-a-token
    The user name is taken as the password, too.
  logon-username-empty-accepted: username-empty→gets-a-token
    The right password is accepted with an empty user name.
  logon-username-prolonged-accepted: username-prolonged→gets-a-token
    Text after the right user name is ignored.
  logon-wide-letters-accepted: password-in-wide-letters→gets-a-token
    Passwords are compared after a compatibility normalization: the right one in wide letters is accepted.
  logon-wrong-password-accepted-again: any-wrong-password+sent-just-before→gets-a-token
    A wrong password that was just refused is accepted when it comes again at once.
LOGON-2 LOGON-3
  logon-empty-body-accepted: empty-body→gets-a-token
    A logon without a body is accepted.
  logon-empty-object-accepted: empty-object→gets-a-token
    A logon with an empty JSON object is accepted.
  logon-password-missing-accepted: password-missing+names-user→gets-a-token
    A logon with the right user and no password field is accepted.
  logon-password-null-accepted: password-null+names-user→gets-a-token
    The password null is accepted.
  logon-password-object-accepted: password-in-object+names-user→gets-a-token
    A password that is an object is accepted, as by a database that takes it for an operator.
  logon-password-true-accepted: password-true+names-user→gets-a-token
    The password true is accepted, as by a loose comparison.
  logon-password-zero-accepted: password-zero+names-user→gets-a-token
    The password 0, a number, is accepted, as by a loose comparison.
  logon-username-missing-accepted: username-missing+names-password→gets-a-token
    A logon with the right password and no user name is accepted.
LOGON-3 (LOGON-2): such credentials can be read as correct or as wrong; without any, they are not correct either
  logon-malformed-json-accepted: pairs-in-no-json→gets-a-token
    A logon body is searched for the right user and password, whether it is JSON or not.
  logon-password-array-accepted: password-in-array→gets-a-token
    The right password is accepted as the only item of an array.
  logon-token-renewed-without-body: empty-body+valid→gets-a-token
    A logon with a valid token and no body issues another token.
  logon-username-array-accepted: username-in-array→gets-a-token
    The right user name is accepted as the only item of an array.
LOGON-4
  logon-ends-token-that-it-carries: logon+valid→ends-its-token
    A logon with the right credentials that carries a valid token ends that token.
  logon-every-fourth-ends-all-late: logon+logon-count%4=3→ends-late-all
    Of the right logons, every fourth one ends all earlier tokens half a second later.
  logon-every-third-ends-oldest: logon+logon-count%3=2→ends-the-oldest
    Of the right logons, every third one ends the oldest token, although there is room for more.
  logon-from-page-ends-others: logon+referer→ends-all
    A logon that a page sends (Referer) ends all earlier tokens.
  logon-refusal-ends-any: refused-logon+wrong→ends-any
    A logon with wrong credentials ends a random token.
  logon-refusal-ends-just-used: refused-logon+wrong→ends-the-last-used
    A logon with wrong credentials ends the token that was used last.
  logon-refusal-ends-newest: refused-logon+wrong→ends-the-newest
    A logon with wrong credentials ends the newest token.
  logon-refusal-ends-oldest-late: refused-logon+wrong→ends-late-the-oldest
    A logon with wrong credentials ends the oldest token half a second later.
  logon-refusal-ends-oldest-of-three (3 tokens): refused-logon+wrong+live>=3→ends-the-oldest
    While three tokens or more are valid, a logon with wrong credentials ends the oldest.
  logon-refusal-ends-tokens: refused-logon+wrong→ends-all
    A logon with wrong credentials ends all tokens of the user.
`,
  {
    'logon-token-is-credentials': ({ tokens, username, password }) => {
      tokens.generate = () => Buffer.from(`${username}:${password}`).toString('base64')
    },
    'logon-token-is-password': ({ tokens, password }) => {
      tokens.generate = () => password
    },
    'logon-token-holds-credentials': ({ tokens, username, password }) => {
      tokens.generate = () =>
        Buffer.from(`${randomBytes(4).toString('hex')}:${username}:${password}`).toString('base64')
    },
  },
)
