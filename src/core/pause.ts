import { header, type WireResponse } from './exchange.js'

/** The request of a response to come back later. */
export interface PauseAsked {
  /** How long the response asks to wait; undefined where it does not say. */
  ms: number | undefined
}

/**
 * Reads the pause that a rate-limiting response asks for (429, or 503 with Retry-After).
 * @returns undefined for any other response
 */
export function pauseAsked(response: WireResponse): PauseAsked | undefined {
  const value = header(response, 'retry-after')
  if (response.status !== 429 && !(response.status === 503 && value !== undefined)) return undefined
  const ms =
    value === undefined ? Number.NaN : /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return { ms: Number.isFinite(ms) ? Math.max(ms, 0) : undefined }
}
