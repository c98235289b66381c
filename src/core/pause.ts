import { header, type WireResponse } from './exchange.js'

/** The request of a response to come back later. */
export interface PauseAsked {
  /** How long the response asks to wait; undefined where it does not say. */
  ms: number | undefined
}

/**
 * Reads the pause that a response asks for that turns its request away: 429, or any 5xx. It says nothing about a token.
 * @returns undefined for any other response
 */
export function pauseAsked(response: WireResponse): PauseAsked | undefined {
  if (response.status !== 429 && response.status < 500) return undefined
  const value = header(response, 'retry-after')
  const ms =
    value === undefined ? Number.NaN : /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return { ms: Number.isFinite(ms) ? Math.max(ms, 0) : undefined }
}

/** Whether a response says that its request was not dealt with (429, 503). After any other 5xx it may have been. */
export function isPutOff({ status }: WireResponse): boolean {
  return status === 429 || status === 503
}
