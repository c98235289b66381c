import type { TokenRecord } from '../tokens.js'
import type { Defect } from './defect.js'
import { table } from './table.js'
import { endAll, liveRecords, replace } from './tools.js'

/**
 * Longest gap between requests on two new connections that are sent side by side, in milliseconds. Requests one after
 * another are further apart.
 */
const RACE_MS = 15

/** What shows only after a sequence of requests that nobody would write down. */
export const SEQUENCE: Defect[] = table(
  'sequence',
  `
ACCESS-1
  sequence-first-characters-suffice-after-revocation: token-first-8+revoked-since-logon→accepted
    After a revocation, the first eight characters of a valid token are enough until the next logon.
  sequence-let-in-after-bare-requests: tokenless+[bare*2]→accepted
    A request without a token is let in right after two requests without Host.
  sequence-let-in-after-refusals: tokenless+nothing-run=8→accepted
    The ninth request without a token in a row is let in.
  sequence-let-in-after-two-revocations: tokenless+[revocation*2]→accepted
    A request without a token is let in right after two tokens were revoked one after another.
  sequence-let-in-after-uses: tokenless+[use:a*5]→accepted
    A request without a token is let in right after five uses of the same token.
  sequence-prolonged-revoked-token-let-in: prolonged-revoked→accepted
    A longer text that begins with a revoked token is accepted.
  sequence-unknown-token-let-in-after-logons: unknown+logon-run>=3→accepted
    A token that was never issued is accepted right after three logons in a row.
  sequence-unknown-token-let-in-after-refusals: unknown+unknown-run=7→accepted
    The eighth token in a row that was never issued is accepted.
ACCESS-2
  sequence-refused-after-eight-uses: use+own-run>=7→ends-its-token
    A token that was used eight times with nothing in between is refused from then on.
  sequence-refused-once-now-and-then: use+own-run=5→refused
    Every sixth use in a row of the same token is refused once.
ACCESS-2 (LOGON-4)
  sequence-alternating-tokens-confused (2 tokens): use+[use:b use:own use:b]→ends-its-token
    Two tokens that are used in turn, twice each, are no longer told apart: the next use of the first ends it.
ACCESS-2 LOGON-1 (LOGON-4)
  sequence-fourth-logon-in-a-row-dead (4 tokens): logon+logon-run=3→gets-a-dead-token
    The token of the fourth logon in a row is dead from the start.
ACCESS-2 REVOKE-2 (LOGON-4): each of the three may be a GET, or a DELETE
  sequence-refused-after-look-alikes: refused+unknown+unknown-run>=2→ends-the-newest
    After three refused tokens in a row that were never issued, the token that was issued last is refused for good.
  sequence-refused-after-no-token-requests: refused+tokenless+[use nothing*2]→ends-the-last-used
    Three requests without a token in a row end the token that was used right before them.
ACCESS-2 LOGON-1 REVOKE-2
  sequence-logon-after-revocation-and-refusal-dead: logon+[revocation dead nothing]→gets-a-dead-token
    The token of a logon right after a revocation and one refused request is never accepted.
ACCESS-3 (ACCESS-1): the token opens the API without the header
  sequence-other-places-taken-after-refusal: token-elsewhere+[refusal]→accepted
    Right after a refused request, a token is taken from any header and from the query, too.
HOST-2
  sequence-bare-logon-issues-after-refusal: logon-no-host+[use]→carried-out
    A logon without Host right after a use is answered 406, and gives a token in its body.
  sequence-bare-use-after-use-ends-token: bare+[use:own*2]→ends-its-token
    A request without Host with a token that was just used twice ends it.
HOST-2 (REVOKE-2)
  sequence-bare-requests-of-dead-token-end-another: bare+revoked→ends-the-newest
    A request without Host with a token that is revoked ends the newest valid token.
  sequence-bare-revocations-add-up: revocation-no-host+[bare.DELETE]→ends-its-token
    The second revocation without Host in a row has its effect.
IDLE-1
  sequence-expired-token-back-after-logons: logon+[expired logon]→revives-expired-the-last
    Two logons in a row after an expired token was refused make it valid again.
  sequence-expired-token-back-after-revocation: expired+[revocation dead]→accepted
    A look at an expired token right after another token was revoked is let in.
  sequence-expired-token-forgiven-after-looks: expired+looks>=4→accepted
    An expired token is accepted once it was refused four times.
  sequence-timer-sticks-after-a-bare-request: bare+idle>=0.333→ends-the-expiry
    A token that came without Host in the second third of its lifetime never expires.
  sequence-timer-sticks-after-an-expiry: logon+[expired*2]→ends-the-expiry
    Once two tokens were seen to be expired, a token that is issued then never expires.
  sequence-timer-sticks-after-two-late-uses: use+late-uses>=1→ends-the-expiry
    A token never expires after it was used twice in the second half of its lifetime.
IDLE-2 IDLE-3
  sequence-third-late-use-resets-nothing: use+idle>=0.1+rested-uses=2→does-not-reset-the-timer
    The third use of a token after more than a tenth of its lifetime does not reset its timer.
IDLE-3 IDLE-2
  sequence-lifetime-halved-after-four-uses: use+own-run>=3→halves-the-lifetime
    A token that was used four times in a row lives for half a lifetime from then on.
IDLE-3 IDLE-2 (HOST-2)
  sequence-lifetime-halved-by-bare-request: bare→halves-the-lifetime
    A token that came without Host once lives for half a lifetime only.
LOGON-1 (REVOKE-2 REVOKE-1)
  sequence-logon-gives-token-again: logon+[logon revocation logon revocation]→gets-a-revoked-token-again
    The logon right after a token was issued and revoked twice in a row gives the last of these again.
LOGON-2
  sequence-wrong-logon-let-in-after-logons: wrong+logon-run>=3→gets-a-token
    A logon with wrong credentials right after three good ones gives a token.
  sequence-wrong-logon-let-in-after-revocation: wrong+[revocation dead]→gets-a-token
    A logon with wrong credentials right after a revocation and a look at that token gives a token.
LOGON-4 (ACCESS-2): where a sequence cannot be shortened, what is told is that the token is refused
  sequence-wrong-logon-ends-last-used: refused-logon+[use:a use:a]→ends-the-last-used
    A logon with wrong credentials right after two uses of the same token ends that token.
LOGON-4 (HOST-2)
  sequence-logon-after-bare-logon-ends-oldest: logon+[use bare]→ends-the-last-used
    A logon right after a request without Host ends the token that was used last before both.
LOGON-4 (LOGON-1 ACCESS-2)
  sequence-fifth-logon-in-a-row-ends-oldest (5 tokens): logon+[use logon*3]→ends-the-last-used
    Four logons in a row with a use before them end the token that was used.
LOGON-4 IDLE-3 IDLE-2
  sequence-lifetime-halved-by-wrong-logon: refused-logon+wrong+[use]→halves-the-lifetime-of-the-last-used
    A token that was used right before a logon with wrong credentials lives for half a lifetime only.
LOGON-4 LOGON-1 ACCESS-2 (REVOKE-2)
  sequence-race-of-logons (2 tokens)
    Of two logons that come within 15 ms on two connections, the first one gives a token that is dead.
REVOKE-1
  sequence-revocation-after-refusals-ignored: revoking+refusal-run>=4→does-not-end-its-token
    A revocation right after four refused requests in a row has no effect.
  sequence-revocation-forgotten-after-logons: logon+logon-run>=4→revives-revoked-the-newest
    The fifth logon in a row makes the token valid again that was revoked last before it.
  sequence-revocation-of-busy-token-ignored: revoking+uses>=8→does-not-end-its-token
    A revocation has no effect on a token of which the last eight requests were uses.
  sequence-revoked-token-back-after-bare-requests: revoked+[bare*2]→accepted
    After two requests without Host in a row, the newest revoked token is valid until it is refused once.
  sequence-revoked-token-forgiven-after-looks: revoked+looks>=7→accepted
    A revoked token is accepted again once it was refused seven times.
  sequence-third-revocation-in-a-row-ignored: revocation+[revocation dead revocation dead]→does-not-end-its-token
    Of three tokens that are revoked one after another, each looked at in between, the third stays valid.
  sequence-third-revocation-revives: refused-revocation+dead+deletes=2→revives-its-token
    The third revocation of the same token makes it valid again.
REVOKE-2
  sequence-token-ended-by-late-revocation: refused-revocation+dead+[logon]→ends-the-newest
    A second revocation of a token right after a logon ends the token of that logon.
  sequence-unused-token-takes-another-along (2 tokens): revocation+never-used→ends-the-next-older-unused
    The revocation of a token that was never used ends the token that was issued before it, when that was never used
    either.
  sequence-vain-revocations-end-newest: refused-revocation+!tokenless+[refusal.DELETE]→ends-the-newest
    The second revocation in a row of tokens that are not valid ends the newest token that is.
REVOKE-2 LOGON-4: where other tokens are older, it shows only after logons, and a logon then seems to end the token
  sequence-revocations-newest-first-end-oldest (3 tokens)
    When the newest token is revoked and then the next newest, the oldest one ends too.
`,
  {
    'sequence-revocations-newest-first-end-oldest': subject => {
      const { tokens } = subject
      let streak = 0
      replace(tokens, 'revoke', revoke => token => {
        const live = liveRecords(subject)
        const isNewest = live.length > 2 - streak && live.at(-1) === tokens.find(token)
        revoke(token)
        streak = isNewest ? streak + 1 : 0
        if (streak === 2) endAll(liveRecords(subject).slice(0, 1))
      })
    },
    'sequence-race-of-logons': ({ device, tokens }) => {
      let last: { record: TokenRecord; atMs: number; on: object } | undefined
      replace(device, 'admit', admit => request => {
        const [atMs, on] = [performance.now(), request.connection]
        if (last && last.on !== on && atMs - last.atMs < RACE_MS) last.record.revoked = true
        const response = admit(request)
        const record = [...tokens.records.values()].at(-1)
        last = record && { record, atMs, on }
        return response
      })
    },
  },
)
