import type { Exchange } from './exchange.js'

/**
 * The pauses before each further use of a token that was refused though it should be valid. Together 2.5 s: what a Core does
 * in the background after a logon (write to flash, tell another process) is over by then, or will not come.
 */
export const PAUSES_MS: readonly number[] = [0, 50, 100, 200, 400, 800, 1000]

/** What is needed to use a token until it is accepted. */
export interface Warming {
  /** Uses the token once. */
  use: () => Promise<Exchange>
  isAccepted: (exchange: Exchange) => boolean
  /** Lets time pass. */
  pause: (ms: number) => Promise<void>
}

/**
 * Uses a fresh token until it is accepted: at once, and then after growing pauses.
 * @returns the exchange in which it was accepted, and how many were refused before; `undefined` where none was accepted
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
