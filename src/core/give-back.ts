/** Gives a token back: revokes it, and tries again where the revocation had no effect. */
import type { AnswerKind } from './answers.js'
import type { ConnectionLease } from './connections.js'
import { type EarlierTry, type Exchange, isDelivered, type WireRequest } from './exchange.js'
import { OutOfPatience } from './patience.js'
import type { SessionOptions } from './session-options.js'
import type { Token } from './token.js'

/** Most tries of a revocation: of one that is answered, and of one that drops. */
const REVOKE_TRIES = 2
const REVOKE_TRIES_DROPPED = 3

/** What it needs of the session. */
export interface GiveBackMeans extends Pick<SessionOptions, 'revokeRequest' | 'pause' | 'hasLapsed'> {
  /** Says what the answer to a revocation means. */
  effectOf(exchange: Exchange): AnswerKind
  /** Pauses before each further try, in milliseconds. */
  pausesMs: readonly number[]
  /**
   * Sends a request. @param isNew whether on a connection of its own @throws OutOfPatience where the run is being ended
   */
  send(request: WireRequest, isNew: boolean): Promise<Exchange>
}

/**
 * Asks for the revocation of a token until the Core answers with success, or until further tries cannot help.
 * @param exchanges receives the exchanges of the revocation
 * @param on the connections to use; other callers may have them during the pauses
 */
export async function giveBack(
  token: Token,
  exchanges: Exchange[],
  on: ConnectionLease,
  { revokeRequest, pause, hasLapsed, effectOf, pausesMs, send }: GiveBackMeans,
): Promise<void> {
  const request = withToken(revokeRequest(), token.value)
  const dropped: Exchange[] = []
  const tries = () => Math.max(dropped.length > 0 ? REVOKE_TRIES_DROPPED : REVOKE_TRIES, pausesMs.length + 1)
  for (let attempt = 0; attempt < tries() && !token.givenBack; attempt++) {
    const pauseMs = pausesMs[attempt - 1] ?? 0
    if (pauseMs) {
      // Other callers may need the connections during the pause.
      on.give()
      await pause(pauseMs).catch(() => {})
    }
    // A new connection for each further try: the kept one may be broken.
    const exchange = await send(request, attempt > 0).catch(unheard)
    if (!exchange) return
    exchanges.push(exchange)
    // A Core rightly refuses a token that was seen dead or has expired. The try is worth it, since some Cores revive
    // tokens. A refusal after a dropped try is right too: the dropped try may have revoked the token.
    const { earlier = [] } = exchange
    const before = [...dropped, ...earlier]
    const isExpected = token.seenDead || before.some(isDrop) || hasLapsed?.(token, exchange)
    const effect = effectOf({ ...exchange, earlier: before })
    const isPlain = effect === 'accepted' && before.length === 0
    if (effect === 'accepted' || (isExpected && effect === 'refused')) token.revoked(isPlain ? exchange : undefined)
    if (isDrop(exchange)) dropped.push(exchange)
  }
}

/** Whether a try got no answer, though the Core may have received it. */
function isDrop({ error, ...tried }: EarlierTry | Exchange): boolean {
  const isAnswered = 'response' in tried ? tried.response !== undefined : 'status' in tried
  return error !== undefined && !isAnswered && isDelivered({ error })
}

/** Returns nothing for the error of a run that is being ended and gets no more answers. @throws any other error */
function unheard(error: unknown): undefined {
  if (!(error instanceof OutOfPatience)) throw error
}

/** Returns the request with this token in its Authorization header. */
export function withToken(request: WireRequest, token: string): WireRequest {
  return { ...request, headers: [...request.headers, ['Authorization', `Bearer ${token}`]] }
}

/** Most tokens checked in one search. The tokens that fill a Core are most likely among the latest. */
const MOST_LOOKED_AT = 40
/** How often a token that came back is given back again. After that the Core keeps it. */
const MOST_TIMES = 2

/** Means of {@link Reclaim}. */
interface ReclaimOptions {
  /** Every token of the run. */
  tokens: () => readonly Token[]
  /** Whether the Core accepts a token. */
  isAlive: (token: Token) => Promise<boolean>
  /** Asks the Core once more to revoke a token. */
  giveBack: (token: Token) => Promise<void>
}

/**
 * Finds tokens that the Core still accepts although it confirmed their revocation. Such tokens occupy room on the Core:
 * no further logon succeeds, and waiting does not help.
 */
export class Reclaim {
  private readonly times = new Map<Token, number>()

  /** How many tokens the Core accepted after it had confirmed their revocation. */
  get found(): number {
    return [...this.times.values()].filter(times => times > 0).length
  }

  /**
   * Searches for such tokens, and gives back those that it finds. A token that was rejected once is not checked again.
   */
  async look({ tokens, isAlive, giveBack }: ReclaimOptions): Promise<void> {
    const revoked = tokens().filter(token => token.givenBack && !token.seenDead && this.timesOf(token) <= MOST_TIMES)
    for (const token of revoked.slice(-MOST_LOOKED_AT)) {
      if (!(await isAlive(token))) {
        token.rejected()
        continue
      }
      this.times.set(token, this.timesOf(token) + 1)
      token.accepted()
      if (this.timesOf(token) <= MOST_TIMES) await giveBack(token)
    }
  }

  private timesOf(token: Token): number {
    return this.times.get(token) ?? 0
  }
}
