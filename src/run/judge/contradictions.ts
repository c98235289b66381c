/** Finds what a history holds that the reference does not allow, whoever sent the request and for what. */
import type { HistoryEntry } from '../history.js'

/** The lifetime that a run judges by. */
export interface Lifetime {
  lifetimeMs: number
  /** The fraction of the lifetime by which a Core may expire a token sooner. */
  tolerance: number
}

/**
 * What contradicts the reference. `logon refused`: right credentials were refused. `dead at birth`: a token was refused at
 * its first use, and never accepted. `died`: a token was refused that had been accepted, and should be valid. `came back`:
 * it was accepted again later. `kept alive`: a token was accepted after its revocation had been answered with success.
 */
export type ContradictionKind = 'logon refused' | 'dead at birth' | 'died' | 'came back' | 'kept alive'

/** An exchange that the reference does not allow. */
export interface Contradiction {
  kind: ContradictionKind
  /** The exchange. */
  entry: HistoryEntry
  /** The token; absent for a refused logon. */
  token?: string
  /** The last exchange that shows that the token was valid, or the revocation of one that was kept alive. */
  before?: HistoryEntry
}

/** Everything that a history holds about one token. */
export interface TokenLife {
  token: string
  /** The logon that issued it. */
  issued: HistoryEntry
  /** The plain uses, in the order of sending. */
  uses: readonly HistoryEntry[]
  /** The first request that may have revoked it; absent for none. */
  ended?: HistoryEntry
  /** Whether that request was a plain revocation that was answered with success. */
  isRevoked: boolean
}

/** Returns the life of each token, in the order of issue. A value that was issued twice is left out: it has two lives. */
export function livesOf(history: readonly HistoryEntry[]): TokenLife[] {
  const byToken = new Map<string, { issued: HistoryEntry[]; carried: HistoryEntry[] }>()
  const of = (token: string) => {
    const found = byToken.get(token) ?? { issued: [], carried: [] }
    byToken.set(token, found)
    return found
  }
  for (const entry of history) {
    if (entry.issued !== undefined) of(entry.issued).issued.push(entry)
    if (entry.token !== undefined) of(entry.token).carried.push(entry)
  }
  return [...byToken].flatMap(
    ([
      token,
      {
        issued: [issued, again],
        carried,
      },
    ]) => {
      if (!issued || again) return []
      const sent = carried.sort((a, b) => a.sentAt - b.sentAt)
      const ended = sent.find(({ kind }) => kind === 'revocation' || kind === 'odd change')
      return [
        {
          token,
          issued,
          uses: sent.filter(({ kind }) => kind === 'use'),
          ...(ended && { ended }),
          isRevoked: ended?.kind === 'revocation' && ended.answer === 'accepted',
        },
      ]
    },
  )
}

/** Returns what contradicts the reference, in the order of sending. */
export function contradictionsOf(
  history: readonly HistoryEntry[],
  lives: readonly TokenLife[],
  lifetime: Lifetime,
): Contradiction[] {
  // A proxy that bans or limits has an answer of its own. Only what wrong credentials get too is a refusal of these.
  const wrong = new Set(history.flatMap(({ kind, status }) => (kind === 'wrong logon' ? [status] : [])))
  const refused = history.filter(
    ({ kind, answer, status }) => kind === 'logon' && answer === 'refused' && (wrong.size === 0 || wrong.has(status)),
  )
  const logons = refused.map((entry): Contradiction => ({ kind: 'logon refused', entry }))
  const found = [...logons, ...lives.flatMap(life => [...deathOf(life, lifetime), ...afterlifeOf(life)])]
  return found.sort((a, b) => a.entry.sentAt - b.entry.sentAt)
}

/** Returns the first refusal of a token that was certainly valid; none where there is no such refusal. */
function deathOf({ token, issued, uses, ended }: TokenLife, { lifetimeMs, tolerance }: Lifetime): Contradiction[] {
  let alive = issued
  // A use under way while something else may end the token shows nothing.
  const valid = uses.filter(
    ({ sentAt, receivedAt }) => sentAt >= issued.receivedAt && !(ended && receivedAt > ended.sentAt),
  )
  for (const [index, entry] of valid.entries()) {
    if (entry.answer === 'accepted') alive = entry
    if (entry.answer !== 'refused') continue
    if (unusedMs(alive, entry) >= lifetimeMs * (1 - tolerance)) return []
    const isBack = valid.slice(index + 1).some(({ answer }) => answer === 'accepted')
    const kind = isBack ? 'came back' : alive === issued ? 'dead at birth' : 'died'
    return [{ kind, entry, token, before: alive }]
  }
  return []
}

/** The longest time that a token may have been unused, by the clock that says more. */
function unusedMs(alive: HistoryEntry, entry: HistoryEntry): number {
  const wallMs = alive.wallMs === undefined || entry.wallMs === undefined ? 0 : entry.wallMs - alive.wallMs
  return Math.max(entry.receivedAt - alive.sentAt, wallMs)
}

/** Returns the first use that was accepted after the token had been revoked. */
function afterlifeOf({ token, uses, ended, isRevoked }: TokenLife): Contradiction[] {
  if (!ended || !isRevoked) return []
  const entry = uses.find(({ sentAt, answer }) => sentAt >= ended.receivedAt && answer === 'accepted')
  return entry ? [{ kind: 'kept alive', entry, token, before: ended }] : []
}
