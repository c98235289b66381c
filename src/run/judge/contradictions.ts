/** Finds what a history holds that the reference does not allow, whoever sent the request and for what. */
import type { HistoryEntry } from '../../result.js'
import { certainUses, type Lifetime, latestMs, type TokenLife, unusedMs } from './lives.js'

/**
 * What contradicts the reference. `logon refused`: right credentials were refused. `logon empty`: they were answered with success, and
 * gave no token. `issued twice`: a logon gave a token that another one had given.
 * `dead at birth`: a token was refused at its first use, and never accepted. `died`: a token was
 * refused that had been accepted, and should be valid. `came back`: it was accepted again later. `outlived`: a token was
 * accepted after more than its lifetime without use. `revived`: it had been refused before that. `kept alive`: a token was
 * accepted after its revocation had been answered with success. `revocation refused`: the revocation of a valid token was
 * refused, and the token lived on. `unknown accepted`: a token was accepted that no logon had given.
 */
export type ContradictionKind =
  | 'logon refused'
  | 'logon empty'
  | 'issued twice'
  | 'dead at birth'
  | 'died'
  | 'came back'
  | 'outlived'
  | 'revived'
  | 'kept alive'
  | 'revocation refused'
  | 'unknown accepted'

/** An exchange that the reference does not allow. */
export interface Contradiction {
  kind: ContradictionKind
  /** The exchange. */
  entry: HistoryEntry
  /** The token; absent for a refused logon. */
  token?: string
  /** The exchange before it that makes it a contradiction: the token was accepted, revoked, refused or issued. */
  before?: HistoryEntry
}

/**
 * Returns what contradicts the reference, in the order of sending.
 * @param earlier tokens that an earlier process of the run was given
 */
export function contradictionsOf(
  history: readonly HistoryEntry[],
  lives: readonly TokenLife[],
  lifetime: Lifetime,
  earlier: readonly string[] = [],
): Contradiction[] {
  const ofLives = lives.flatMap(life => [
    ...deathOf(life, lifetime),
    ...overtimeOf(life, lifetime),
    ...afterlifeOf(life, lifetime),
    ...refusedRevocation(life, lifetime),
  ])
  return [
    ...refusedLogons(history),
    ...emptyLogons(history),
    ...issuedTwice(history),
    ...unknown(history, earlier),
    ...ofLives,
  ].sort((a, b) => a.entry.sentAt - b.entry.sentAt)
}

function refusedLogons(history: readonly HistoryEntry[]): Contradiction[] {
  const statusesOf = (is: (entry: HistoryEntry) => boolean) =>
    new Set(history.flatMap(entry => (is(entry) ? [entry.status] : [])))
  // A proxy that bans or limits has an answer of its own. Only what wrong credentials get too is a refusal of these; without any, what
  // the run did not come to know as being turned away.
  const wrong = statusesOf(({ kind, answer }) => kind === 'wrong logon' && answer === 'refused')
  const away = statusesOf(({ kind, answer }) => kind === 'logon' && answer === 'turned away')
  const isRefusal = ({ status }: HistoryEntry) => (wrong.size ? wrong.has(status) : !away.has(status))
  return history
    .filter(entry => entry.kind === 'logon' && entry.answer === 'refused' && isRefusal(entry))
    .map(entry => ({ kind: 'logon refused', entry }))
}

function emptyLogons(history: readonly HistoryEntry[]): Contradiction[] {
  return history
    .filter(({ kind, answer, issued }) => kind === 'logon' && answer === 'accepted' && issued === undefined)
    .map(entry => ({ kind: 'logon empty', entry }))
}

function issuedTwice(history: readonly HistoryEntry[]): Contradiction[] {
  const first = new Map<string, HistoryEntry>()
  return history.flatMap(entry => {
    const { issued: token } = entry
    if (token === undefined) return []
    const before = first.get(token)
    if (before) return [{ kind: 'issued twice', entry, token, before }]
    first.set(token, entry)
    return []
  })
}

/** Returns accepted uses of tokens that nobody was given. Specs judge those that were made of one that was. */
function unknown(history: readonly HistoryEntry[], earlier: readonly string[]): Contradiction[] {
  const issued = new Set([...earlier, ...history.flatMap(({ issued = [] }) => issued)])
  return history.flatMap(entry => {
    const { kind, answer, token, isMade } = entry
    if (kind !== 'use' || answer !== 'accepted' || token === undefined || issued.has(token) || isMade) return []
    return [{ kind: 'unknown accepted', entry, token }]
  })
}

/** Returns the first refusal of a token that was certainly valid, or its first use after a refusal that was in order. */
function deathOf(life: TokenLife, { lifetimeMs, tolerance }: Lifetime): Contradiction[] {
  const { token, issued, uses, revoked, ended } = life
  const certain = new Set(certainUses(life))
  let alive = issued
  for (const entry of uses) {
    if (entry.answer === 'accepted') alive = entry
    if (entry.answer !== 'refused' || entry.sentAt < issued.receivedAt) continue
    const later = uses.find(({ sentAt, answer }) => sentAt >= entry.receivedAt && answer === 'accepted')
    if (unusedMs(alive, entry) >= lifetimeMs * (1 - tolerance))
      return later && !revoked ? [{ kind: 'revived', entry: later, token, before: entry }] : []
    // What may have ended it has not, if it is accepted later.
    const livesOn = later && ended?.kind === 'odd change' && !(revoked && later.receivedAt > revoked.sentAt)
    if (!certain.has(entry) && !livesOn) return []
    return [{ kind: later ? 'came back' : alive === issued ? 'dead at birth' : 'died', entry, token, before: alive }]
  }
  return []
}

/** Returns the first use that was accepted after a longer time without use than a token lives. */
function overtimeOf(life: TokenLife, { lifetimeMs, tolerance }: Lifetime): Contradiction[] {
  let before = life.issued
  for (const entry of life.carried) {
    const isTaken = entry.kind === 'use' && entry.answer === 'accepted'
    if (isTaken && entry.sentAt - latestMs(before) > lifetimeMs * (1 + tolerance))
      return [{ kind: 'outlived', entry, token: life.token, before }]
    if (latestMs(entry) > latestMs(before)) before = entry
  }
  return []
}

/** Returns the first use that was accepted after the token had been revoked. */
function afterlifeOf({ token, issued, carried, uses, revoked }: TokenLife, lifetime: Lifetime): Contradiction[] {
  if (!revoked) return []
  const entry = uses.find(({ sentAt, answer }) => sentAt >= revoked.receivedAt && answer === 'accepted')
  if (!entry) return []
  // What had expired by then could not be revoked.
  const usedMs = Math.max(...[issued, ...carried.filter(({ sentAt }) => sentAt < revoked.sentAt)].map(latestMs))
  const isExpired = revoked.sentAt - usedMs > lifetime.lifetimeMs * (1 + lifetime.tolerance)
  return [{ kind: isExpired ? 'revived' : 'kept alive', entry, token, before: revoked }]
}

/**
 * Returns the revocation that was refused though the token should be valid: it lived on, so it was used, or revoked in a further try; or
 * it had died before.
 */
function refusedRevocation(
  { token, issued, carried, uses, ended }: TokenLife,
  { lifetimeMs, tolerance }: Lifetime,
): Contradiction[] {
  if (ended?.kind !== 'revocation' || ended.answer !== 'refused') return []
  const taken = uses.filter(({ answer }) => answer === 'accepted')
  const before = taken.findLast(({ receivedAt }) => receivedAt <= ended.sentAt) ?? issued
  const isValid = unusedMs(before, ended) < lifetimeMs * (1 - tolerance)
  const revocations = carried.filter(({ kind }) => kind === 'revocation')
  const successes = revocations.filter(({ answer }) => answer === 'accepted')
  const livesOn = [...taken, ...successes].some(({ sentAt }) => sentAt >= ended.receivedAt)
  // A token that a use showed to be dead is told of there. One refusal may be that of a ban, or of another back end.
  const isSeenDead = uses.some(({ answer }) => answer === 'refused')
  const isDead = !isSeenDead && revocations.filter(({ answer }) => answer === 'refused').length > 1
  if (!isValid || !(livesOn || isDead)) return []
  const died = taken.length ? 'died' : 'dead at birth'
  return [{ kind: livesOn ? 'revocation refused' : died, entry: ended, token, before }]
}
