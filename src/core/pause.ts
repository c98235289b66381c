import { header, type WireResponse } from './exchange.js'

/** How long a Core may ask to wait, and how long it means when it does not say. */
const MAX_PAUSE_MS = 30_000
const DEFAULT_PAUSE_MS = 1000

/** How long a response asks to wait before the next request (429, or 503 with Retry-After); undefined when it does not. */
export function pauseAsked(response: WireResponse): number | undefined {
  const value = header(response, 'retry-after')
  if (response.status !== 429 && !(response.status === 503 && value !== undefined)) return undefined
  const ms =
    value === undefined ? Number.NaN : /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_PAUSE_MS) : DEFAULT_PAUSE_MS
}
