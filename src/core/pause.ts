import { header, type WireResponse } from './exchange.js'

/** That a response asks to come back later. */
export interface PauseAsked {
  /** How long it asks to wait; undefined where it does not say. */
  ms: number | undefined
}

/** What a response asks that limits the rate (429, or 503 with Retry-After); undefined for any other. */
export function pauseAsked(response: WireResponse): PauseAsked | undefined {
  const value = header(response, 'retry-after')
  if (response.status !== 429 && !(response.status === 503 && value !== undefined)) return undefined
  const ms =
    value === undefined ? Number.NaN : /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return { ms: Number.isFinite(ms) ? Math.max(ms, 0) : undefined }
}
