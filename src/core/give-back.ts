/** Gives a token back: revokes it, and tries again where the revocation had no effect. */
import type { AnswerKind } from './answers.js'
import type { ConnectionLease } from './connections.js'
import { type EarlierTry, type Exchange, isDelivered, type Reading, type WireRequest } from './exchange.js'
import { OutOfPatience } from './patience.js'
import type { Token } from './token.js'

/** Most tries of a revocation: of one that is answered, and of one that drops. */
const REVOKE_TRIES = 2
const REVOKE_TRIES_DROPPED = 3

/** Functions of the session that it needs. */
export interface GiveBackMeans {
  revokeRequest(): WireRequest
  /** Lets time pass on the clock of the run. */
  pause(ms: number): Promise<void>
  /** Whether a token was certainly unused for longer than its lifetime at the time of this reading. */
  hasLapsed?: ((token: Token, by: Reading) => boolean) | undefined
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
    if (effect === 'accepted' || (isExpected && effect === 'refused')) token.revoked()
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
