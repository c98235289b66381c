/** Gives a token back: revokes it, and again where that had no effect. */
import type { ConnectionLease } from './connections.js'
import { type Exchange, isDelivered, type Reading, type WireRequest } from './exchange.js'
import { OutOfPatience } from './patience.js'
import type { Token } from './token.js'

/** How often a revocation is tried: what is answered, and what drops. */
const REVOKE_TRIES = 2
const REVOKE_TRIES_DROPPED = 3

/** What it takes of the session. */
export interface GiveBackMeans {
  revokeRequest(): WireRequest
  /** Lets time pass on the clock of the run. */
  pause(ms: number): Promise<void>
  /** Whether a token had certainly been unused for longer than its lifetime by then. */
  hasLapsed?: ((token: Token, by: Reading) => boolean) | undefined
  /** The pauses before each further try. */
  pausesMs: readonly number[]
  /** @param isNew whether it is sent on a connection of its own @throws OutOfPatience where the run is being ended */
  send(request: WireRequest, isNew: boolean): Promise<Exchange>
}

/**
 * Asks for the revocation of a token until it is answered with success, or until more tries would help nobody.
 * @param exchanges gets the exchanges that this takes
 * @param on whose connections it is done on: lent to others in the pauses
 */
export async function giveBack(
  token: Token,
  exchanges: Exchange[],
  on: ConnectionLease,
  { revokeRequest, pause, hasLapsed, pausesMs, send }: GiveBackMeans,
): Promise<void> {
  const request = withToken(revokeRequest(), token.value)
  let hasDropped = false
  const tries = () => Math.max(hasDropped ? REVOKE_TRIES_DROPPED : REVOKE_TRIES, pausesMs.length + 1)
  for (let attempt = 0; attempt < tries() && !token.givenBack; attempt++) {
    const pauseMs = pausesMs[attempt - 1] ?? 0
    if (pauseMs) {
      // Others may need the connections meanwhile.
      on.give()
      await pause(pauseMs).catch(() => {})
    }
    // Once more on a new connection: the kept one may be what is broken.
    const exchange = await send(request, attempt > 0).catch(unheard)
    if (!exchange) return
    exchanges.push(exchange)
    const { response } = exchange
    // A refusal of a token that was seen dead, or has expired, is no surprise; it was worth trying, since Cores revive
    // tokens. Nor is one after a try that dropped: it may have had its effect.
    const isExpected = token.seenDead || hasDropped || hasLapsed?.(token, exchange)
    const isDead = isExpected && response !== undefined && response.status >= 400 && response.status < 500
    if (isRevocation(exchange) || isDead) token.revoked()
    if (!response && isDelivered(exchange)) hasDropped = true
  }
}

/** Nothing, where a run that is being ended is not answered any more. @throws any other error */
function unheard(error: unknown): undefined {
  if (!(error instanceof OutOfPatience)) throw error
}

/** The request with this token in its Authorization header. */
export function withToken(request: WireRequest, token: string): WireRequest {
  return { ...request, headers: [...request.headers, ['Authorization', `Bearer ${token}`]] }
}

/** Whether a revocation was answered with success. */
export function isRevocation({ response }: Exchange): boolean {
  return response !== undefined && response.status >= 200 && response.status < 300
}
