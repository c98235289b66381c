/** What checks are about, as a table: what the reference says, in words, and the requirements that say it. */

/**
 * One row.
 * @param holds words for what holds
 * @param seen words for what is seen where it does not
 * @param breaks the requirement that a contradiction breaks, then others whose failure shows in such checks, too
 */
function kind(holds: string, seen: string, ...breaks: [string, ...string[]]) {
  return { holds, seen, breaks }
}

/** The subjects of checks. What is to blame for `open` depends on what ended the token, see `requirementOf`. */
export const KINDS = {
  issue: kind('a logon gives a new token', 'a logon gives no token of its own', 'LOGON-1'),
  open: kind(
    'a valid token stays accepted',
    'a valid token is rejected',
    'ACCESS-2',
    'IDLE-2',
    'IDLE-3',
    'LOGON-4',
    'REVOKE-2',
    'HOST-2',
  ),
  revoked: kind('a revoked token stays rejected', 'a revoked token is accepted', 'REVOKE-1'),
  expired: kind('an expired token stays rejected', 'an expired token is accepted', 'IDLE-1'),
  none: kind('a request without a token is rejected', 'a request without a token is let in', 'ACCESS-1'),
  unknown: kind('a token that was never issued is rejected', 'a token that was never issued is accepted', 'ACCESS-1'),
  place: kind('a token in another place is rejected', 'a token in another place is accepted', 'ACCESS-3'),
  wrong: kind('wrong credentials get no token', 'wrong credentials get a token', 'LOGON-2', 'LOGON-3'),
  malformed: kind('a malformed logon gets no token', 'a malformed logon gets a token', 'LOGON-3', 'LOGON-2'),
  host: kind('a request without Host is answered 406', 'a request without Host is not answered 406', 'HOST-1'),
  bare: kind('a logon without Host issues nothing', 'a logon without Host issues a token', 'HOST-2'),
}
/** See {@link KINDS}. */
export type Kind = keyof typeof KINDS

/** Returns the kinds of checks that this Core is known to fail. @param broken the ids of the requirements that specs failed */
export function knownKinds(broken: ReadonlySet<string>): Set<Kind> {
  const kinds = Object.keys(KINDS) as Kind[]
  return new Set(kinds.filter(kind => KINDS[kind].breaks.some(id => broken.has(id))))
}
