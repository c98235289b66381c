import { closest } from 'fastest-levenshtein'
import { type Duration, toMs } from './duration.js'
import type { RecordedRequest } from './recorded-request.js'

/** Selects a request: by method, path or both, or by a function that returns true for it. */
export type Wanted =
  | {
      /** Absent: any. */
      method?: string
      /** Absent: any. */
      path?: string
    }
  | ((request: RecordedRequest) => boolean)

/** The options of a wait. */
export interface WaitOptions {
  /** Longest wait, in real time: milliseconds, or a text such as `2s`; default 5 s. */
  timeout?: Duration
  /** Only requests with a higher number than this count; default 0: earlier requests count too. */
  after?: number
}

/** The answered requests, and the waits for one. */
export class Waiting {
  readonly #waiting = new Set<(request: RecordedRequest) => void>()

  /** Tells every wait that a request has been answered. */
  answered(request: RecordedRequest): void {
    for (const tell of [...this.#waiting]) tell(request)
  }

  /** See `MockCore.waitForRequest`. @param seen the requests so far @throws TypeError for an unusable `wanted` */
  wait(wanted: Wanted, { timeout = 5_000, after = 0 }: WaitOptions, seen: readonly RecordedRequest[]) {
    const matches = matcher(wanted)
    const timeoutMs = toMs(timeout, 'a timeout')
    const isIt = (request: RecordedRequest) => request.number > after && matches(request)
    const found = seen.find(request => request.durationMs !== null && isIt(request))
    if (found) return Promise.resolve(found)
    return new Promise<RecordedRequest>((resolve, reject) => {
      const came: string[] = []
      const tell = (request: RecordedRequest) => {
        came.push(`${request.method} ${request.path}`)
        if (!isIt(request)) return
        this.#waiting.delete(tell)
        clearTimeout(timer)
        resolve(request)
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(tell)
        const instead = came.length === 0 ? 'no request' : came.slice(-5).join(', ')
        reject(new Error(`no such request was answered within ${timeoutMs} ms; what came meanwhile: ${instead}`))
      }, timeoutMs)
      this.#waiting.add(tell)
    })
  }
}

function matcher(wanted: Wanted): (request: RecordedRequest) => boolean {
  if (typeof wanted === 'function') return wanted
  if (typeof wanted !== 'object' || wanted === null)
    throw new TypeError('the first argument of waitForRequest must be an object of method and path, or a function')
  const stranger = Object.keys(wanted).find(key => key !== 'method' && key !== 'path')
  if (stranger !== undefined)
    throw new TypeError(
      `a request is waited for by method and path, not by '${stranger}'; did you mean '${closest(stranger, ['method', 'path'])}'?`,
    )
  const { method, path } = wanted
  return request => (method === undefined || request.method === method) && (path === undefined || request.path === path)
}
