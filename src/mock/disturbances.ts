import { STATUS_CODES } from 'node:http'
import { type ApiResponse, pathOf, type RequestHead } from './messages.js'

/** Which requests are to be refused, and what else the refusal says. */
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

/** What a test asked to go wrong with the next requests. */
export class Disturbances {
  #refused: Refusals[] = []
  #delayed = { count: 0, ms: 0 }

  /**
   * Lets the next requests be answered with a status, and have no effect. A new call replaces the one before for the same
   * method and path; of several that mean a request, the one that says most of it counts.
   *
   * @throws RangeError with a sentence for people
   */
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
    this.#refused = []
    this.#delayed.count = 0
  }

  /** The refusal of a request that has come, or undefined. */
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
    const body = JSON.stringify({ code: status, message: STATUS_CODES[status] ?? 'Refused' })
    const later = retryAfter === undefined ? [] : [['Retry-After', String(retryAfter)] as const]
    return { status, headers: [['Content-Type', 'application/json'], ...later], body }
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
