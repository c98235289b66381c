import type { ApiResponse, HeaderList } from './messages.js'
import type { RecordedRequest } from './recorder.js'

/** What a request meets beside its usual answer, or instead of it. */
export interface Staging {
  /** Answers the request with this; it has no effect. */
  answer?: { status: number; headers?: HeaderList; body?: string }
  /**
   * `never`: no answer for as long as the client waits; `dropped`: the connection ends without a byte of an answer. Neither lets
   * the request have an effect. `cut`: its answer breaks off in the middle of its body, or
   * of its head where it has no body.
   */
  fate?: 'never' | 'dropped' | 'cut'
  /** Whether the connection ends with the answer, and the answer says so. */
  close?: boolean
  /** The answer goes out when this has settled. */
  until?: Promise<unknown>
}

/**
 * Says what a request is to meet.
 *
 * @param hasNewest whether its connection was made with the newest certificate
 */
export type Stage = (request: RecordedRequest, hasNewest: () => boolean) => Staging | undefined

/** The answer that a staging gives in place of the usual one; undefined where the usual one is to be made. */
export function stagedAnswer({ answer, fate }: Staging): ApiResponse | undefined {
  if (answer !== undefined) {
    const { status, headers = [], body } = answer
    return { status, headers, ...(body !== undefined && { body }) }
  }
  // The status shows nowhere: no byte of this goes out.
  return fate === 'never' || fate === 'dropped' ? { status: 503, headers: [] } : undefined
}

/** An answer as a staging lets it go out. */
export function staged(response: ApiResponse, { fate, close }: Staging): ApiResponse {
  const delivery = { ...response.delivery, ...(fate && { fate }), ...(close && { close }) }
  return { ...response, delivery }
}
