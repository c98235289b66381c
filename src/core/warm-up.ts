import type { Exchange } from './exchange.js'

/**
 * Pauses before each further use of a token that was refused though it should be valid, in milliseconds. Together they
 * last 2.5 s. By then a Core has finished its work in the background after a logon (a write to flash, a message to
 * another process).
 */
export const PAUSES_MS: readonly number[] = [0, 50, 100, 200, 400, 800, 1000]

/** Means to use a token until the Core accepts it. */
export interface Warming {
  /** Uses the token once. */
  use: () => Promise<Exchange>
  isAccepted: (exchange: Exchange) => boolean
  /** Lets time pass. */
  pause: (ms: number) => Promise<void>
}

/**
 * Uses a fresh token until the Core accepts it: at once, then after growing pauses.
 * @returns the exchange that was accepted and the number of refusals before it; `undefined` where every use was refused
 */
export async function warmUp({
  use,
  isAccepted,
  pause,
}: Warming): Promise<{ exchange: Exchange; refused: number } | undefined> {
  let refused = 0
  for (const pauseMs of [0, ...PAUSES_MS]) {
    if (pauseMs) await pause(pauseMs)
    const exchange = await use()
    if (isAccepted(exchange)) return { exchange, refused }
    refused++
  }
  return undefined
}
