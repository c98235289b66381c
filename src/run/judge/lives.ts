/** Reads the lives of tokens from a history: what is certain of each, and what is open. */
import type { HistoryEntry } from '../../result.js'

/** The lifetime that a run judges by. */
export interface Lifetime {
  lifetimeMs: number
  /** The fraction of the lifetime by which a Core may expire a token sooner or later. */
  tolerance: number
}

/** Everything that a history holds about one token. Requests are in the order of sending. */
export interface TokenLife {
  token: string
  /** The logon that issued it. */
  issued: HistoryEntry
  /** The requests that carry it, or may. */
  carried: readonly HistoryEntry[]
  /** The plain uses. */
  uses: readonly HistoryEntry[]
  /** The first request that may have revoked it; absent for none. */
  ended?: HistoryEntry
  /** The first plain revocation that was answered with success. */
  revoked?: HistoryEntry
}

/** A request without an answer may be carried out so much later, in milliseconds. */
const LATE_MS = 60_000

/** Returns the life of each token, in the order of issue. A value that was issued twice is left out: it has two lives. */
export function livesOf(history: readonly HistoryEntry[]): TokenLife[] {
  const byToken = new Map<string, { issued: HistoryEntry[]; carried: HistoryEntry[] }>()
  const of = (token: string) => {
    const found = byToken.get(token) ?? { issued: [], carried: [] }
    byToken.set(token, found)
    return found
  }
  for (const entry of history) {
    const { issued, token, mayCarry = [] } = entry
    if (issued !== undefined) of(issued).issued.push(entry)
    for (const each of new Set([...(token === undefined ? [] : [token]), ...mayCarry])) of(each).carried.push(entry)
  }
  return [...byToken].flatMap(([token, { issued, carried }]) => {
    const [logon, again] = issued
    if (!logon || again) return []
    const sent = carried.sort((a, b) => a.sentAt - b.sentAt)
    const ended = sent.find(entry => entry.token === token && (isRevocation(entry) || entry.kind === 'odd change'))
    const revoked = sent.find(entry => isRevocation(entry) && entry.answer === 'accepted')
    const uses = sent.filter(({ kind }) => kind === 'use')
    return [{ token, issued: logon, carried: sent, uses, ...(ended && { ended }), ...(revoked && { revoked }) }]
  })
}

const isRevocation = ({ kind }: HistoryEntry) => kind === 'revocation'

/** Returns the uses beside which nothing may have ended the token: before that, and not under way meanwhile. */
export function certainUses({ issued, uses, ended }: TokenLife): HistoryEntry[] {
  return uses.filter(({ sentAt, receivedAt }) => sentAt >= issued.receivedAt && !(ended && receivedAt > ended.sentAt))
}

/** The longest time that a token may have been unused between two requests, by the clock that says more. */
export function unusedMs(alive: HistoryEntry, entry: HistoryEntry): number {
  const wallMs = alive.wallMs === undefined || entry.wallMs === undefined ? 0 : entry.wallMs - alive.wallMs
  return Math.max(entry.receivedAt - alive.sentAt, wallMs)
}

/** The latest moment at which a request may have been carried out. */
export function latestMs({ receivedAt, status }: HistoryEntry): number {
  return receivedAt + (status === undefined ? LATE_MS : 0)
}

/** Whether a token was certainly valid while a request was under way, as far as the reference says. */
export function isCertain(life: TokenLife, at: HistoryEntry, { lifetimeMs, tolerance }: Lifetime): boolean {
  const { issued, carried, uses } = life
  const { sentAt } = at
  const mayEnd = (entry: HistoryEntry) =>
    entry.sentAt < at.receivedAt && (isRevocation(entry) || entry.kind === 'odd change')
  if (issued.receivedAt > sentAt || carried.some(mayEnd)) return false
  const taken = uses.findLast(({ receivedAt, answer }) => receivedAt <= sentAt && answer === 'accepted') ?? issued
  const isYoung = (entry: HistoryEntry) => unusedMs(taken, entry) < lifetimeMs * (1 - tolerance)
  const next = certainUses(life).find(each => each.answer !== 'turned away' && each.sentAt >= taken.receivedAt)
  return isYoung(at) && !(next?.answer === 'refused' && isYoung(next))
}

/** Whether a token may have been valid while a request was under way. */
export function isPossible(
  { issued, carried, uses, revoked }: TokenLife,
  at: HistoryEntry,
  lifetime: Lifetime,
): boolean {
  const { sentAt, receivedAt } = at
  if (issued.sentAt > receivedAt || (revoked && revoked.receivedAt < sentAt)) return false
  const takenMs = uses.findLast(({ answer }) => answer === 'accepted')?.sentAt ?? 0
  const isDead = uses.some(each => each.answer === 'refused' && each.receivedAt < sentAt && each.sentAt > takenMs)
  const usedMs = Math.max(...[issued, ...carried.filter(each => each.sentAt < sentAt)].map(latestMs))
  return !isDead && sentAt - usedMs < lifetime.lifetimeMs * (1 + lifetime.tolerance)
}

/** As old, and unused for as long, within this part. */
const ABOUT = 0.98

/**
 * Whether another token was accepted at least about as old as this one was when it was refused, and unused for about as long. Then it was
 * not time alone that ended this one.
 */
export function livedOn(
  { token, issued, uses }: TokenLife,
  refused: HistoryEntry,
  lives: readonly TokenLife[],
): boolean {
  const isBefore = ({ answer, receivedAt }: HistoryEntry) => answer === 'accepted' && receivedAt <= refused.sentAt
  const unused = ABOUT * (refused.sentAt - (uses.findLast(isBefore) ?? issued).receivedAt)
  const age = ABOUT * (refused.sentAt - issued.receivedAt)
  return lives.some(other => {
    let from = other.issued
    if (other.token === token) return false
    for (const to of certainUses(other).filter(({ answer }) => answer === 'accepted')) {
      if (to.sentAt - from.receivedAt >= unused && to.sentAt - other.issued.receivedAt >= age) return true
      from = to
    }
    return false
  })
}
