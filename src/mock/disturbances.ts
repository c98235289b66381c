import { STATUS_CODES } from 'node:http'
import { type ApiResponse, jsonAnswer, pathOf, type RequestHead } from './messages.js'

/** Selects the requests to refuse, and adds to the refusal. */
export interface RefusalOptions {
  /** Only requests with this method, such as `GET`. */
  method?: string
  /** Only requests for this path, without a query. */
  path?: string
  /** Retry-After in seconds; absent: no such header. */
  retryAfter?: number
}

interface Refusals extends RefusalOptions {
  count: number
  status: number
}

/** The errors and delays that a test asked for in the next requests. */
export class Disturbances {
  #refused: Refusals[] = []
  #delayed = { count: 0, ms: 0 }

  /** See `MockActions`. Of several calls that fit a request, the most specific one counts. */
  refuseNext(count: number, status = 503, { method, path, retryAfter }: RefusalOptions = {}): void {
    if (!isCount(count)) throw new RangeError('"count" must be a whole number, 0 or more')
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new RangeError('"status" must be a whole number from 400 to 599')
    }
    if (method !== undefined && !/^[A-Z]+$/.test(method))
      throw new RangeError('"method" must be upper-case, such as GET')
    if (path !== undefined && !path.startsWith('/')) throw new RangeError('"path" must begin with /')
    if (retryAfter !== undefined && !isCount(retryAfter)) {
      throw new RangeError('"retryAfter" must be a whole number of seconds, 0 or more')
    }
    const others = this.#refused.filter(other => other.method !== method || other.path !== path)
    const told = { ...(method && { method }), ...(path && { path }), ...(retryAfter !== undefined && { retryAfter }) }
    const specific = (each: RefusalOptions) => Number(each.path !== undefined) * 2 + Number(each.method !== undefined)
    this.#refused = [...others, { count, status, ...told }].sort((a, b) => specific(b) - specific(a))
  }

  /** See `MockActions`. @param ms real time, since a client waits in real time */
  delayNext(count: number, ms: number): void {
    if (!isCount(count)) throw new RangeError('"count" must be a whole number, 0 or more')
    if (!(ms >= 0 && ms <= 600_000)) throw new RangeError('a delay must be from 0 to 10 minutes')
    this.#delayed = { count, ms }
  }

  /** Forgets all errors and delays. */
  reset(): void {
    this.#refused = []
    this.#delayed.count = 0
  }

  /** Returns the refusal of a request, or undefined. */
  refusal({ method, target }: RequestHead): ApiResponse | undefined {
    const found = this.#refused.find(
      each =>
        each.count > 0 &&
        (each.method === undefined || each.method === method) &&
        (each.path === undefined || each.path === pathOf(target)),
    )
    if (found === undefined) return undefined
    found.count -= 1
    const { status, retryAfter } = found
    const later = retryAfter === undefined ? [] : [['Retry-After', String(retryAfter)] as const]
    return jsonAnswer(status, { code: status, message: STATUS_CODES[status] ?? 'Refused' }, later)
  }

  /** Returns an answer with its delay, if any. */
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
