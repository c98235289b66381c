import { header, type WireResponse } from './exchange.js'

/** The request of a response to come back later. */
export interface PauseAsked {
  /** How long the response asks to wait; undefined where it does not say. */
  ms: number | undefined
}

/** Statuses that a server answers for good, to a method or a version of HTTP that it does not know (RFC 9110 15.6.2, 15.6.6). */
const OF_THE_FORM: ReadonlySet<number> = new Set([501, 505])

/** Whether a status turns a request away, and says nothing of it: 429, or a 5xx that another try need not get. */
export function turnsAway(status: number): boolean {
  return status === 429 || (status >= 500 && !OF_THE_FORM.has(status))
}

/**
 * Reads the pause that a response asks for that turns its request away. It says nothing about a token.
 * @param isAway whether the response does so by what is known of this Core
 * @returns undefined for any other response
 */
export function pauseAsked(response: WireResponse, isAway = turnsAway(response.status)): PauseAsked | undefined {
  if (!isAway) return undefined
  const value = header(response, 'retry-after')
  const ms =
    value === undefined
      ? Number.NaN
      : /^\d+(\.\d+)?$/.test(value)
        ? Number(value) * 1000
        : Date.parse(value) - Date.now()
  return { ms: Number.isFinite(ms) ? Math.max(ms, 0) : undefined }
}

/** Whether a response says that its request was not dealt with (429, 503). After any other 5xx it may have been. */
export function isPutOff({ status }: WireResponse): boolean {
  return status === 429 || status === 503
}

/** Statuses by which a server says that something went wrong on the way, this time (RFC 9110 15.6.1, 15.6.3, 15.6.5). */
const OF_CHANCE: ReadonlySet<number> = new Set([500, 502, 504])

/**
 * Whether a response may turn its request away by chance, or for what it is, as a success does whose body holds an error: a first one
 * is no sign of a limit.
 */
export function mayBeChance({ status }: WireResponse): boolean {
  return OF_CHANCE.has(status) || (status >= 200 && status < 300)
}
