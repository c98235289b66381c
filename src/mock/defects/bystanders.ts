/**
 * Defects that end the tokens of bystanders, in one file because they are one table. The request should have no effect, or an
 * effect on its own token only.
 */
import { breaking, type Defect, type DefectTable, defect, defectsOf } from './defect.js'
import { endLater, isLogon, liveRecords, openIf, replace } from './tools.js'
import {
  alsoEnds,
  byChance,
  deleteWith,
  deleteWithChanged,
  ends,
  every,
  everyNth,
  getWith,
  justUsed,
  LATE_MS,
  leastUsed,
  newest,
  nextNewest,
  oldest,
  revocation,
  rightLogon,
  whileLive,
  withoutHost,
  wrongLogon,
} from './victims.js'

const REVOKE: DefectTable = {
  ...breaking(['REVOKE-2'], [], {
    'revoke-without-token-ends-oldest': defect(
      'A DELETE without a token is rejected, and ends the oldest token.',
      ends(deleteWith('none'), oldest),
    ),
    'revoke-without-token-ends-just-used': defect(
      'A DELETE without a token is rejected, and ends the token that was used last.',
      ends(deleteWith('none'), justUsed),
    ),
    'revoke-without-token-ends-newest-late': defect(
      'A DELETE without a token is rejected, and ends the newest token half a second later.',
      ends(deleteWith('none'), newest, LATE_MS),
    ),
    'revoke-without-token-ends-all-late': defect(
      'A DELETE without a token is rejected, and ends all tokens half a second later.',
      ends(deleteWith('none'), every, LATE_MS),
    ),
    'revoke-unknown-token-ends-oldest': defect(
      'A DELETE with a token that was never issued is rejected, and ends the oldest token.',
      ends(deleteWith('unknown'), oldest),
    ),
    'revoke-unknown-token-ends-just-used-late': defect(
      'A DELETE with a token that was never issued is rejected, and ends the token that was used last, half a second later.',
      ends(deleteWith('unknown'), justUsed, LATE_MS),
    ),
    'revoke-changed-token-ends-newest': defect(
      'A DELETE with a token, a part of it changed, is rejected, and ends the newest token.',
      ends(deleteWithChanged, newest),
    ),
    'revoke-changed-token-ends-oldest-late': defect(
      'A DELETE with a token, a part of it changed, is rejected, and ends the oldest token half a second later.',
      ends(deleteWithChanged, oldest, LATE_MS),
    ),
    'revoke-expired-token-ends-newest': defect(
      'A DELETE with an expired token is rejected, and ends the newest token.',
      ends(deleteWith('expired'), newest),
    ),
    'revoke-again-ends-newest': defect(
      'A second DELETE with a revoked token is rejected, and ends the newest token.',
      ends(deleteWith('revoked'), newest),
    ),
    'revoke-again-ends-oldest-late': defect(
      'A second DELETE with a revoked token is rejected, and ends the oldest token half a second later.',
      ends(deleteWith('revoked'), oldest, LATE_MS),
    ),
    'revoke-ends-all-tokens-late': defect(
      'A revocation ends all tokens of the user, the others half a second later.',
      ends(revocation, every, LATE_MS),
    ),
    'revoke-ends-later-tokens-late': defect(
      'A revocation ends also the tokens that were issued after the revoked one, half a second later.',
      alsoEnds((live, own) => live.slice(own + 1), LATE_MS),
    ),
    'revoke-ends-next-older': defect(
      'A revocation ends also the token that was issued just before the revoked one.',
      alsoEnds((live, own) => live.slice(Math.max(own - 1, 0), own)),
    ),
  }),
  ...breaking(['REVOKE-2'], ['LOGON-4'], {
    // Between two logons of a family, the suite gives back the token of the first.
    'revoke-ends-least-used': defect(
      'A revocation ends also the token that was unused for the longest time.',
      ends(revocation, leastUsed),
    ),
  }),
  ...breaking(['REVOKE-2'], [], {
    'revoke-expired-token-ends-all-late': defect(
      'A DELETE with an expired token is rejected, and ends all tokens half a second later.',
      ends(deleteWith('expired'), every, LATE_MS),
      { isLikeRestart: true },
    ),
    'revoke-without-token-ends-any': defect(
      'A DELETE without a token is rejected, and ends a token by chance.',
      subject => ends(deleteWith('none'), byChance())(subject),
    ),
    'revoke-without-token-ends-next-newest': defect(
      'A DELETE without a token is rejected, and ends the newest token but one.',
      ends(deleteWith('none'), nextNewest),
      { needsTokens: 2 },
    ),
    'revoke-unknown-token-ends-newest-of-three': defect(
      'While three tokens or more are valid, a DELETE with a token that was never issued ends the newest.',
      ends(deleteWith('unknown'), whileLive(3, newest)),
      { needsTokens: 3 },
    ),
    'revoke-ends-all-of-four': defect(
      'While four tokens or more are valid, a revocation ends all.',
      ends(revocation, whileLive(4, every)),
      { needsTokens: 4 },
    ),
  }),
  ...breaking(['REVOKE-1'], [], {
    'revoke-every-tenth-ignored': defect('Of the revocations, every tenth one has no effect.', ({ tokens }) => {
      let revocations = 0
      replace(tokens, 'revoke', revoke => token => {
        if (++revocations % 10 !== 0) revoke(token)
      })
    }),
  }),
}

const MISSING_HOST: DefectTable = {
  ...breaking(['HOST-2'], [], {
    'host-missing-delete-ends-newest': defect(
      'A DELETE without Host is answered 406, and ends the newest token, whichever it carries.',
      ends(withoutHost('DELETE'), newest),
    ),
    'host-missing-delete-ends-oldest-late': defect(
      'A DELETE without Host is answered 406, and ends the oldest token half a second later.',
      ends(withoutHost('DELETE'), oldest, LATE_MS),
    ),
    'host-missing-delete-ends-all': defect(
      'A DELETE without Host is answered 406, and ends all tokens.',
      ends(withoutHost('DELETE'), every),
    ),
    'host-missing-logon-ends-oldest': defect(
      'A logon without Host is answered 406, and ends the oldest token.',
      ends(withoutHost('POST'), oldest),
    ),
    'host-missing-logon-ends-just-used-late': defect(
      'A logon without Host is answered 406, and ends the token that was used last, half a second later.',
      ends(withoutHost('POST'), justUsed, LATE_MS),
    ),
    'host-missing-get-ends-newest': defect(
      'A GET without Host is answered 406, and ends the newest token, whichever it carries.',
      ends(withoutHost('GET'), newest),
    ),
  }),
  ...breaking(['HOST-2'], [], {
    'host-missing-logon-issues-and-ends': defect(
      'A logon without Host is answered 406 with a valid token in its body, for which the newest one ends.',
      subject => {
        const { device, tokens } = subject
        const end = endLater(subject)
        replace(device, 'screen', screen => head => {
          const refusal = screen(head)
          if (refusal === undefined || !isLogon(head) || !device.isHostMissing(head)) return refusal
          end(newest(liveRecords(subject)), 0)
          return { ...refusal, body: JSON.stringify({ token: tokens.issue() }) }
        })
      },
    ),
  }),
}

const LOGONS: DefectTable = {
  ...breaking(['LOGON-4'], [], {
    'logon-refusal-ends-newest': defect(
      'A logon with wrong credentials ends the newest token.',
      ends(wrongLogon, newest),
    ),
    'logon-refusal-ends-oldest-late': defect(
      'A logon with wrong credentials ends the oldest token half a second later.',
      ends(wrongLogon, oldest, LATE_MS),
    ),
    'logon-refusal-ends-just-used': defect(
      'A logon with wrong credentials ends the token that was used last.',
      ends(wrongLogon, justUsed),
    ),
    'logon-every-third-ends-oldest': defect(
      'Of the right logons, every third one ends the oldest token, although there is room for more.',
      ends(everyNth(3, rightLogon), oldest),
    ),
    'logon-every-fourth-ends-all-late': defect(
      'Of the right logons, every fourth one ends all earlier tokens half a second later.',
      ends(everyNth(4, rightLogon), every, LATE_MS),
    ),
  }),
  ...breaking(['LOGON-4'], [], {
    'logon-refusal-ends-any': defect('A logon with wrong credentials ends a random token.', subject =>
      ends(wrongLogon, byChance())(subject),
    ),
    'logon-refusal-ends-oldest-of-three': defect(
      'While three tokens or more are valid, a logon with wrong credentials ends the oldest.',
      ends(wrongLogon, whileLive(3, oldest)),
      { needsTokens: 3 },
    ),
  }),
}

const OPENED: DefectTable = {
  ...breaking(['ACCESS-2'], [], {
    'access-unknown-token-ends-oldest': defect(
      'A GET with a token that was never issued is rejected, and ends the oldest token.',
      ends(getWith('unknown'), oldest),
    ),
    'access-no-token-ends-just-used-late': defect(
      'A GET without a token is rejected, and ends the token that was used last, half a second later.',
      ends(getWith('none'), justUsed, LATE_MS),
    ),
  }),
  ...breaking(['ACCESS-1'], [], {
    'access-no-token-accepted-while-three-live': defect(
      'While three tokens or more are valid, requests without one are accepted.',
      subject => openIf(subject, () => liveRecords(subject).length >= 3),
      { needsTokens: 3 },
    ),
    'access-any-token-accepted-while-eight-live': defect(
      'While eight tokens or more are valid, one that was never issued is accepted.',
      subject =>
        replace(subject.device, 'useToken', useToken => (token, request) => {
          const many = liveRecords(subject).length >= 8
          return useToken(token, request) || (many && subject.tokens.find(token) === undefined)
        }),
      { needsTokens: 8 },
    ),
  }),
}

/** Every defect that ends the tokens of others. */
export const BYSTANDERS: Defect[] = [
  ...defectsOf('access', OPENED),
  ...defectsOf('host', MISSING_HOST),
  ...defectsOf('logon', LOGONS),
  ...defectsOf('revocation', REVOKE),
]
