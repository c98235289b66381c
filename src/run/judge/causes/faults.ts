/** Causes that accuse: faults, each with the requirement that it breaks. What is left when no other cause explains it. */
import type { Contradiction, ContradictionKind } from '../contradictions.js'
import { type Suspect, suspectOf } from '../suspects.js'
import { type Cause, type Evidence, of, usesOf } from './cause.js'

/** What takes effect later than this does not take effect late, but never. */
const LATE_MS = 1000

/** A fault that one kind of contradiction shows. */
const shownBy =
  (...kinds: readonly ContradictionKind[]) =>
  (evidence: Evidence) =>
    of(evidence, ...kinds)
/** A fault that ends tokens: of all that could have ended them, it is the one that fits best. */
const endedBy = (suspect: Suspect) => (evidence: Evidence) => {
  const dead = of(evidence, 'died', 'dead at birth')
  return dead.length && suspectOf(dead, evidence) === suspect ? dead : []
}

/** The rows of faults. */
export const FAULTS: readonly Cause[] = [
  {
    name: 'refuses-logons',
    accuses: 'LOGON-1',
    looksFor: 'right credentials got the answer of wrong ones, and no limit explains it',
    words: 'a logon with the right credentials was refused, and nothing that the run saw explains it',
    explains: 'logons with the right credentials that are refused',
    predicts: 'the same logon is refused again in the same situation, however long the run waits',
    find: shownBy('logon refused'),
  },
  {
    name: 'issues-nothing',
    accuses: 'LOGON-1',
    looksFor: 'right credentials were answered with success, and the answer held no token',
    words: 'a logon with the right credentials was answered with success, and gave no token',
    explains: 'logons that succeed and give no token',
    predicts: 'the same logon gives a token at another moment',
    find: shownBy('logon empty'),
  },
  {
    name: 'issued-twice',
    accuses: 'LOGON-1',
    looksFor: 'two logons were answered with the same token',
    words: 'a logon gave no new token, but one that was given before',
    explains: 'a token that two logons gave',
    predicts: 'to revoke it for one client ends it for the other',
    find: shownBy('issued twice'),
  },
  {
    name: 'accepts-unknown-tokens',
    accuses: 'ACCESS-1',
    looksFor: 'a token was accepted that no logon gave',
    words: 'a token was accepted that was never issued',
    explains: 'tokens that are accepted though nobody was given them',
    predicts: 'other texts are accepted as tokens, too',
    find: shownBy('unknown accepted'),
  },
  {
    name: 'late-revocation',
    accuses: 'REVOKE-1',
    looksFor: 'revoked tokens were accepted, but none later than a second after the answer to the revocation',
    words: 'a token was accepted after a revocation that was answered with success: revocations take effect too late',
    explains: 'revoked tokens that are accepted',
    predicts: 'a token that was just revoked is accepted for a moment, and then refused for good',
    find: evidence => {
      const alive = of(evidence, 'kept alive')
      const ends = alive.map(each => endOf(each, evidence))
      return ends.includes('soon') && !ends.includes('later') ? alive : []
    },
  },
  {
    name: 'revocation-undone',
    accuses: 'REVOKE-1',
    looksFor: 'a revoked token was refused at first, and accepted later',
    words: 'a token was accepted again after a revocation that was answered with success',
    explains: 'revoked tokens that are accepted',
    predicts: 'a revoked token is refused at first, and accepted a while or some requests later',
    find: evidence => {
      const alive = of(evidence, 'kept alive')
      const isRefusedFirst = ({ token, before, entry }: Contradiction) =>
        usesOf(token, evidence).some(
          ({ sentAt, receivedAt, answer }) =>
            answer === 'refused' && sentAt >= (before?.receivedAt ?? 0) && receivedAt <= entry.receivedAt,
        )
      return alive.some(isRefusedFirst) ? alive : []
    },
  },
  {
    name: 'revocation-without-effect',
    accuses: 'REVOKE-1',
    looksFor: 'a token was accepted after its revocation had been answered with success',
    words: 'a token was accepted after a revocation that was answered with success',
    explains: 'revoked tokens that are accepted',
    predicts: 'the token is accepted until it expires',
    find: shownBy('kept alive'),
  },
  {
    name: 'refuses-revocations',
    accuses: 'REVOKE-1',
    looksFor: 'the revocation of a valid token was refused, and the token was accepted, or revoked, afterwards',
    words: 'the revocation of a valid token was refused',
    explains: 'tokens that live on though their revocation was asked for',
    predicts: 'the token is accepted until it expires',
    find: shownBy('revocation refused'),
  },
  {
    name: 'refuses-good-tokens',
    accuses: 'ACCESS-2',
    looksFor: 'a valid token was refused, and accepted again later',
    words: 'a valid token was refused, and accepted again later',
    explains: 'valid tokens that are refused for once',
    predicts: 'other requests with valid tokens are refused, and accepted when they are sent again',
    find: shownBy('came back'),
  },
  {
    name: 'outlives-its-lifetime',
    accuses: 'IDLE-1',
    looksFor: 'a token was accepted after a longer time without use than its lifetime',
    words: 'a token was accepted though it had not been used for longer than its lifetime',
    explains: 'expired tokens that are accepted',
    predicts: 'any token is accepted after that time',
    find: shownBy('outlived'),
  },
  {
    name: 'revives-expired-tokens',
    accuses: 'IDLE-1',
    looksFor: 'a token was refused after its lifetime without use, and accepted later',
    words: 'a token that had expired was accepted again',
    explains: 'expired tokens that are accepted',
    predicts: 'an expired token is accepted when it is sent once more',
    find: shownBy('revived'),
  },
  {
    name: 'dead-at-birth',
    accuses: 'LOGON-1',
    looksFor: 'tokens were refused at their first use, and no other token died',
    words: 'a token that a logon had just issued was refused',
    explains: 'fresh tokens that are refused',
    predicts: 'other logons give dead tokens; tokens that were accepted once live on',
    find: endedBy('birth'),
  },
  {
    name: 'logon-ends-tokens',
    accuses: 'LOGON-4',
    looksFor: 'whenever a token died, there had been a logon since it was last accepted, and nothing fits better',
    words: 'a token was refused that had been accepted before a logon, and that nobody had revoked',
    explains: 'tokens that are refused though they should be valid',
    predicts: 'another logon ends another token; without logons none dies',
    find: endedBy('logon'),
  },
  {
    name: 'wrong-logon-ends-tokens',
    accuses: 'LOGON-4',
    looksFor:
      'whenever a token died, there had been a logon with wrong credentials since it was last accepted, and nothing fits better',
    words:
      'a token was refused that had been accepted before a logon with wrong credentials, and that nobody had revoked',
    explains: 'tokens that are refused though they should be valid',
    predicts: 'another refused logon ends another token; without any none dies',
    find: endedBy('wrong logon'),
  },
  {
    name: 'revocation-ends-others',
    accuses: 'REVOKE-2',
    looksFor: 'whenever a token died, another had been revoked since it was last accepted, and nothing fits better',
    words: 'a token was refused that had been accepted before the revocation of another, and that nobody had revoked',
    explains: 'tokens that are refused though they should be valid',
    predicts: 'another revocation ends another token; without revocations none dies',
    find: endedBy('revocation'),
  },
  {
    name: 'no-host-ends-tokens',
    accuses: 'HOST-2',
    looksFor:
      'whenever a token died, there had been a request without Host since it was last accepted, and nothing fits better',
    words: 'a token was refused that had been accepted before a request without Host, and that nobody had revoked',
    explains: 'tokens that are refused though they should be valid',
    predicts: 'another request without Host ends another token; without any none dies',
    find: endedBy('no host'),
  },
  {
    name: 'ends-early',
    accuses: 'IDLE-3',
    isOfTime: true,
    looksFor: 'the tokens that died had been unused for longer than those that lived, but less than their lifetime',
    words: 'a token was refused that had been unused for less than its lifetime, and that nobody had revoked',
    explains: 'tokens that are refused though they should be valid',
    predicts: 'every token dies after that time without use; one that is used more often lives on',
    find: endedBy('idleness'),
  },
  {
    name: 'counts-no-use',
    accuses: 'IDLE-2',
    isOfTime: true,
    looksFor: 'the tokens that died had been issued a lifetime ago, however often they were used since',
    words: 'a token was refused a lifetime after its logon, though it had been used since',
    explains: 'tokens that are refused though they should be valid',
    predicts: 'no token is accepted later than a lifetime after its logon',
    find: endedBy('age'),
  },
  {
    name: 'forgets-tokens',
    accuses: 'IDLE-3',
    looksFor: 'a token died, and nothing that was sent or waited for fits all that died',
    words: 'a token was refused that had been accepted, and that nobody had revoked',
    explains: 'tokens that are refused though they should be valid',
    predicts: 'other tokens die in the same way, whatever is sent',
    find: endedBy('chance'),
  },
]

/** When a revoked token that was accepted was refused for good: within a second or so, later, or not as far as was seen. */
function endOf({ token, before: revoked }: Contradiction, evidence: Evidence): 'soon' | 'later' | 'open' {
  if (!revoked) return 'open'
  const since = usesOf(token, evidence).filter(({ sentAt }) => sentAt >= revoked.receivedAt)
  const last = since.findLast(({ answer }) => answer === 'accepted') ?? revoked
  const refused = since.filter(({ answer }) => answer === 'refused')
  const isLate = last.sentAt - revoked.receivedAt > LATE_MS || refused.some(({ sentAt }) => sentAt < last.sentAt)
  return isLate ? 'later' : refused.length ? 'soon' : 'open'
}
