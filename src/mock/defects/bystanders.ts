/**
 * Defects that end the tokens of bystanders, in one file because they are one table. The request should have no effect, or an
 * effect on its own token only.
 */
import { type Defect, type DefectTable, defectsOf, type Subject } from './defect.js'
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
  ...bystanderDefects('REVOKE-2', [
    [
      'revoke-without-token-ends-oldest',
      'A DELETE without a token is rejected, and ends the oldest token.',
      ends(deleteWith('none'), oldest),
    ],
    [
      'revoke-without-token-ends-just-used',
      'A DELETE without a token is rejected, and ends the token that was used last.',
      ends(deleteWith('none'), justUsed),
    ],
    [
      'revoke-without-token-ends-newest-late',
      'A DELETE without a token is rejected, and ends the newest token half a second later.',
      ends(deleteWith('none'), newest, LATE_MS),
    ],
    [
      'revoke-without-token-ends-all-late',
      'A DELETE without a token is rejected, and ends all tokens half a second later.',
      ends(deleteWith('none'), every, LATE_MS),
    ],
    [
      'revoke-unknown-token-ends-oldest',
      'A DELETE with a token that was never issued is rejected, and ends the oldest token.',
      ends(deleteWith('unknown'), oldest),
    ],
    [
      'revoke-unknown-token-ends-just-used-late',
      'A DELETE with a token that was never issued is rejected, and ends the token that was used last, half a second later.',
      ends(deleteWith('unknown'), justUsed, LATE_MS),
    ],
    [
      'revoke-changed-token-ends-newest',
      'A DELETE with a token, a part of it changed, is rejected, and ends the newest token.',
      ends(deleteWithChanged, newest),
    ],
    [
      'revoke-changed-token-ends-oldest-late',
      'A DELETE with a token, a part of it changed, is rejected, and ends the oldest token half a second later.',
      ends(deleteWithChanged, oldest, LATE_MS),
    ],
    [
      'revoke-expired-token-ends-newest',
      'A DELETE with an expired token is rejected, and ends the newest token.',
      ends(deleteWith('expired'), newest),
    ],
    [
      'revoke-again-ends-newest',
      'A second DELETE with a revoked token is rejected, and ends the newest token.',
      ends(deleteWith('revoked'), newest),
    ],
    [
      'revoke-again-ends-oldest-late',
      'A second DELETE with a revoked token is rejected, and ends the oldest token half a second later.',
      ends(deleteWith('revoked'), oldest, LATE_MS),
    ],
    [
      'revoke-ends-all-tokens-late',
      'A revocation ends all tokens of the user, the others half a second later.',
      ends(revocation, every, LATE_MS),
    ],
    [
      'revoke-ends-later-tokens-late',
      'A revocation ends also the tokens that were issued after the revoked one, half a second later.',
      alsoEnds((live, own) => live.slice(own + 1), LATE_MS),
    ],
    [
      'revoke-ends-next-older',
      'A revocation ends also the token that was issued just before the revoked one.',
      alsoEnds((live, own) => live.slice(Math.max(own - 1, 0), own)),
    ],
  ]),
  'revoke-ends-least-used': {
    requirements: ['REVOKE-2'],
    // Between two logons of a family, the suite gives back the token of the first.
    mayAlso: ['LOGON-4'],
    about: 'A revocation ends also the token that was unused for the longest time.',
    install: ends(revocation, leastUsed),
  },
  'revoke-expired-token-ends-all-late': {
    requirements: ['REVOKE-2'],
    isLikeRestart: true,
    about: 'A DELETE with an expired token is rejected, and ends all tokens half a second later.',
    install: ends(deleteWith('expired'), every, LATE_MS),
  },
  'revoke-without-token-ends-any': {
    requirements: ['REVOKE-2'],
    about: 'A DELETE without a token is rejected, and ends a token by chance.',
    install: subject => ends(deleteWith('none'), byChance())(subject),
  },
  'revoke-without-token-ends-next-newest': {
    requirements: ['REVOKE-2'],
    needsTokens: 2,
    about: 'A DELETE without a token is rejected, and ends the newest token but one.',
    install: ends(deleteWith('none'), nextNewest),
  },
  'revoke-unknown-token-ends-newest-of-three': {
    requirements: ['REVOKE-2'],
    needsTokens: 3,
    about: 'While three tokens or more are valid, a DELETE with a token that was never issued ends the newest.',
    install: ends(deleteWith('unknown'), whileLive(3, newest)),
  },
  'revoke-ends-all-of-four': {
    requirements: ['REVOKE-2'],
    needsTokens: 4,
    about: 'While four tokens or more are valid, a revocation ends all.',
    install: ends(revocation, whileLive(4, every)),
  },
  'revoke-every-tenth-ignored': {
    requirements: ['REVOKE-1'],
    about: 'Of the revocations, every tenth one has no effect.',
    install({ tokens }) {
      let revocations = 0
      replace(tokens, 'revoke', revoke => token => {
        if (++revocations % 10 !== 0) revoke(token)
      })
    },
  },
}

const MISSING_HOST: DefectTable = {
  ...bystanderDefects('HOST-2', [
    [
      'host-missing-delete-ends-newest',
      'A DELETE without Host is answered 406, and ends the newest token, whichever it carries.',
      ends(withoutHost('DELETE'), newest),
    ],
    [
      'host-missing-delete-ends-oldest-late',
      'A DELETE without Host is answered 406, and ends the oldest token half a second later.',
      ends(withoutHost('DELETE'), oldest, LATE_MS),
    ],
    [
      'host-missing-delete-ends-all',
      'A DELETE without Host is answered 406, and ends all tokens.',
      ends(withoutHost('DELETE'), every),
    ],
    [
      'host-missing-logon-ends-oldest',
      'A logon without Host is answered 406, and ends the oldest token.',
      ends(withoutHost('POST'), oldest),
    ],
    [
      'host-missing-logon-ends-just-used-late',
      'A logon without Host is answered 406, and ends the token that was used last, half a second later.',
      ends(withoutHost('POST'), justUsed, LATE_MS),
    ],
    [
      'host-missing-get-ends-newest',
      'A GET without Host is answered 406, and ends the newest token, whichever it carries.',
      ends(withoutHost('GET'), newest),
    ],
  ]),
  'host-missing-logon-issues-and-ends': {
    requirements: ['HOST-2'],
    about: 'A logon without Host is answered 406 with a valid token in its body, for which the newest one ends.',
    install(subject) {
      const { device, tokens } = subject
      const end = endLater(subject)
      replace(device, 'screen', screen => head => {
        const refusal = screen(head)
        if (refusal === undefined || !isLogon(head) || !device.isHostMissing(head)) return refusal
        end(newest(liveRecords(subject)), 0)
        return { ...refusal, body: JSON.stringify({ token: tokens.issue() }) }
      })
    },
  },
}

const LOGONS: DefectTable = {
  ...bystanderDefects('LOGON-4', [
    ['logon-refusal-ends-newest', 'A logon with wrong credentials ends the newest token.', ends(wrongLogon, newest)],
    [
      'logon-refusal-ends-oldest-late',
      'A logon with wrong credentials ends the oldest token half a second later.',
      ends(wrongLogon, oldest, LATE_MS),
    ],
    [
      'logon-refusal-ends-just-used',
      'A logon with wrong credentials ends the token that was used last.',
      ends(wrongLogon, justUsed),
    ],
    [
      'logon-every-third-ends-oldest',
      'Of the right logons, every third one ends the oldest token, although there is room for more.',
      ends(everyNth(3, rightLogon), oldest),
    ],
    [
      'logon-every-fourth-ends-all-late',
      'Of the right logons, every fourth one ends all earlier tokens half a second later.',
      ends(everyNth(4, rightLogon), every, LATE_MS),
    ],
  ]),
  'logon-refusal-ends-any': {
    requirements: ['LOGON-4'],
    about: 'A logon with wrong credentials ends a random token.',
    install: subject => ends(wrongLogon, byChance())(subject),
  },
  'logon-refusal-ends-oldest-of-three': {
    requirements: ['LOGON-4'],
    needsTokens: 3,
    about: 'While three tokens or more are valid, a logon with wrong credentials ends the oldest.',
    install: ends(wrongLogon, whileLive(3, oldest)),
  },
}

const OPENED: DefectTable = {
  'access-unknown-token-ends-oldest': {
    requirements: ['ACCESS-2'],
    about: 'A GET with a token that was never issued is rejected, and ends the oldest token.',
    install: ends(getWith('unknown'), oldest),
  },
  'access-no-token-ends-just-used-late': {
    requirements: ['ACCESS-2'],
    about: 'A GET without a token is rejected, and ends the token that was used last, half a second later.',
    install: ends(getWith('none'), justUsed, LATE_MS),
  },
  'access-no-token-accepted-while-three-live': {
    requirements: ['ACCESS-1'],
    needsTokens: 3,
    about: 'While three tokens or more are valid, requests without one are accepted.',
    install: subject => openIf(subject, () => liveRecords(subject).length >= 3),
  },
  'access-any-token-accepted-while-eight-live': {
    requirements: ['ACCESS-1'],
    needsTokens: 8,
    about: 'While eight tokens or more are valid, one that was never issued is accepted.',
    install: subject =>
      replace(subject.device, 'useToken', useToken => (token, request) => {
        const many = liveRecords(subject).length >= 8
        return useToken(token, request) || (many && subject.tokens.find(token) === undefined)
      }),
  },
}

/** Every defect that ends the tokens of others. */
export const BYSTANDERS: Defect[] = [
  ...defectsOf('access', OPENED),
  ...defectsOf('host', MISSING_HOST),
  ...defectsOf('logon', LOGONS),
  ...defectsOf('revocation', REVOKE),
]

/** Builds the defects of a table that break the same requirement. */
function bystanderDefects(
  requirement: string,
  rows: readonly (readonly [name: string, about: string, install: (subject: Subject) => void])[],
): DefectTable {
  return Object.fromEntries(
    rows.map(([name, about, install]) => [name, { requirements: [requirement], about, install }]),
  )
}
