import { STATUS_CODES } from 'node:http'
import type { ApiResponse } from './messages.js'

/** What a test asked to go wrong with the next requests. */
export class Disturbances {
  #refused = { count: 0, status: 503 }
  #delayed = { count: 0, ms: 0 }

  /**
   * Lets the next requests be answered with a status, and have no effect.
   *
   * @throws RangeError with a sentence for people
   */
  refuseNext(count: number, status = 503): void {
    if (!isCount(count)) throw new RangeError('"count" must be a whole number, 0 or more')
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new RangeError('"status" must be a whole number from 400 to 599')
    }
    this.#refused = { count, status }
  }

  /**
   * Lets the answers to the next requests go out later.
   *
   * @param ms in real time, since a client waits in real time
   * @throws RangeError with a sentence for people
   */
  delayNext(count: number, ms: number): void {
    if (!isCount(count)) throw new RangeError('"count" must be a whole number, 0 or more')
    if (!(ms >= 0 && ms <= 600_000)) throw new RangeError('a delay must be from 0 to 10 minutes')
    this.#delayed = { count, ms }
  }

  /** Forgets what was asked. */
  reset(): void {
    this.#refused.count = 0
    this.#delayed.count = 0
  }

  /** The refusal of a request that has come, or undefined. */
  refusal(): ApiResponse | undefined {
    if (this.#refused.count === 0) return undefined
    this.#refused.count -= 1
    const { status } = this.#refused
    const body = JSON.stringify({ code: status, message: STATUS_CODES[status] ?? 'Refused' })
    return { status, headers: [['Content-Type', 'application/json']], body }
  }

  /** An answer as it is to go out. */
  delayed(response: ApiResponse): ApiResponse {
    if (this.#delayed.count === 0) return response
    this.#delayed.count -= 1
    const delayMs = (response.delivery?.delayMs ?? 0) + this.#delayed.ms
    return { ...response, delivery: { ...response.delivery, delayMs } }
  }
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
