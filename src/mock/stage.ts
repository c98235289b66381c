import type { ApiResponse } from './messages.js'
import type { RecordedRequest } from './recorded-request.js'

/** A scripted course of one request, beside its usual answer or in place of it. */
export interface Staging {
  /** Answers the request with this; it has no effect. */
  answer?: ApiResponse
  /**
   * `never`: no answer for as long as the client waits. `dropped`: the connection ends without a byte of an answer. In both
   * cases the request has no effect. `cut`: the answer stops in the middle of its body, or of its head where it has no body.
   */
  fate?: 'never' | 'dropped' | 'cut'
  /** Whether the connection ends after the answer, and the answer announces the end. */
  close?: boolean
  /** The answer is sent when this promise has settled. */
  until?: Promise<unknown>
}

/**
 * Chooses the staging of a request.
 *
 * @param hasNewest tells whether its connection was made with the newest certificate
 */
export type Stage = (request: RecordedRequest, hasNewest: () => boolean) => Staging | undefined

/** Returns the answer that a staging gives in place of the usual one; undefined to make the usual one. */
export function stagedAnswer({ answer, fate }: Staging): ApiResponse | undefined {
  if (answer !== undefined) return answer
  // Nobody sees the status: no byte of this answer is sent.
  return fate === 'never' || fate === 'dropped' ? { status: 503, headers: [] } : undefined
}

/** Applies a staging to an answer. */
export function applyStaging(response: ApiResponse, { fate, close }: Staging): ApiResponse {
  const delivery = { ...response.delivery, ...(fate && { fate }), ...(close && { close }) }
  return { ...response, delivery }
}
