/** Makes the trouble of the scenarios: what happens to requests once the first one was accepted. */
import type { MockCore, RecordedRequest, Staging } from '../mock/index.js'
import { isRightWork, targetOf } from './requests.js'

/** What a trouble may know and change, apart from the request. */
export interface TroubleContext {
  core(): MockCore
  /** Whether new connections get another certificate than the one to trust. */
  isUntrusted: boolean
  /** The base URL of the host that a redirect leads to. */
  readonly elsewhere: string
  /** Whether a request came on a connection that was open before the event. */
  isOld(request: RecordedRequest): boolean
}

/** What happens to a request: whether it met the trouble, and whether the scenario's event takes place at it. */
type Fate = Staging & { isMet?: true; isEvent?: true }

/** Decides what happens to requests, from the first accepted authenticated one on. */
export interface Trouble {
  /** Decides on the first accepted request. */
  first?(): Fate
  /** Decides on each later request. @param hasNewest tells whether its connection was made with the newest certificate */
  next(request: RecordedRequest, hasNewest: () => boolean): Fate | undefined
}

/** The value of Retry-After, in seconds: short enough for every client to wait, and longer than an impatient client waits. */
export const BUSY_S = 2

/** How long requests are refused: 100 ms less than Retry-After, since timers may be early and clocks differ. */
const BUSY_MS = BUSY_S * 1_000 - 100

const refusal = (status: number, message: string, headers: [string, string][] = []): Staging => ({
  answer: {
    status,
    headers: [['Content-Type', 'application/json'], ...headers],
    body: JSON.stringify({ code: status, message }),
  },
})

/** Rejects the dead token. Requests that were under way arrive before the first rejection goes out. */
export function deadToken(): Trouble {
  const gate = new Gate()
  const isDead = ({ token }: RecordedRequest) => token !== null && token.state !== 'valid' && token.state !== 'unknown'
  return { next: request => (isDead(request) ? gate.hold() : undefined) }
}

/** Does as {@link deadToken}, and closes every old connection with an answer, so that no request is lost on it. */
export function restartBetween(act: TroubleContext): Trouble {
  const { next } = deadToken()
  return {
    first: () => ({ close: true }),
    next: (request, hasNewest) => ({ ...next(request, hasNewest), close: act.isOld(request) }),
  }
}

/**
 * Reads the next GET or HEAD, cuts its connection without an answer, and forgets all tokens; then does as {@link
 * restartBetween}. Other requests are spared: they may have had an effect before the cut, so no client should repeat them.
 */
export function restartInside(act: TroubleContext): Trouble {
  const { next } = restartBetween(act)
  let isOver = false
  return {
    next(request, hasNewest) {
      if (isOver) return next(request, hasNewest)
      if (!isRightWork(request) || !/^(GET|HEAD)$/.test(request.method)) return undefined
      isOver = true
      act.core().forgetTokens()
      return { fate: 'dropped', isMet: true, isEvent: true }
    },
  }
}

/** Refuses requests with Retry-After until that time is over. Refused requests have no effect. */
export function busy(status: 429 | 503): Trouble {
  const gate = new Gate()
  const title = status === 429 ? 'Too Many Requests' : 'Service Unavailable'
  const isOver = () => gate.openedMs !== undefined && performance.now() > gate.openedMs + BUSY_MS
  return {
    next: request =>
      isRightWork(request) && !isOver()
        ? { ...refusal(status, title, [['Retry-After', String(BUSY_S)]]), ...gate.hold(), isMet: true }
        : undefined,
  }
}

/** Refuses every request with 406, as the reference says of a request without Host. */
export function notAcceptable(): Trouble {
  const gate = new Gate()
  return { next: () => ({ ...refusal(406, 'Not Acceptable'), ...gate.hold(), isMet: true }) }
}

/** Breaks off every answer to an authenticated request. */
export function truncated(): Trouble {
  return { next: request => (isRightWork(request) ? { fate: 'cut', isMet: true } : undefined) }
}

/** Never answers the next request. Later requests are answered. */
export function hang(): Trouble {
  return once(() => ({ fate: 'never' }))
}

/** Redirects the next request to another host. Later requests are answered. */
export function redirect({ elsewhere }: TroubleContext): Trouble {
  return once(request => refusal(307, 'Temporary Redirect', [['Location', `${elsewhere}${targetOf(request)}`]]))
}

/** Changes the certificate before the first answer goes out. Connections from before serve no further request. */
export function changedCertificate(act: TroubleContext): Trouble {
  let isChanged = false
  const change = async () => {
    await act.core().changeCertificate()
    act.isUntrusted = true
    isChanged = true
  }
  return {
    first: () => ({ close: true, until: change() }),
    next: (_, hasNewest) => (isChanged && hasNewest() ? { isMet: true } : { close: true }),
  }
}

function once(fateOf: (request: RecordedRequest) => Fate): Trouble {
  let isOver = false
  return {
    next(request) {
      if (isOver || !isRightWork(request)) return undefined
      isOver = true
      return { ...fateOf(request), isMet: true }
    },
  }
}

/**
 * Time without a request after which the first refusals go out. On a busy machine, some of ten threads were seen to send 300 ms
 * after the others. A request that comes before the first refusal goes out cannot know of it.
 */
const QUIET_MS = 500

/** Longest time that a refusal is held. Clients have timeouts; the scenario `slow` asks them to wait for 2 s. */
const LONGEST_MS = 1_900

/**
 * Holds the first refusals until every request that was under way has arrived, then sends them together. This tells a client
 * with many threads, whose requests all carry the dead token, from a client that sends the dead token again.
 */
class Gate {
  /** When the gate opened, by `performance.now()`; undefined while it is closed. */
  openedMs: number | undefined
  #open = () => {}
  readonly #opened = new Promise<void>(resolve => {
    this.#open = resolve
  })
  #firstMs: number | undefined
  #timer: NodeJS.Timeout | undefined

  /** Notes a request that is to be refused, and holds its answer back until the refusal may go out. */
  hold(): Staging {
    if (this.openedMs !== undefined) return {}
    const nowMs = performance.now()
    this.#firstMs ??= nowMs
    clearTimeout(this.#timer)
    const leftMs = this.#firstMs + LONGEST_MS - nowMs
    this.#timer = setTimeout(
      () => {
        this.openedMs = performance.now()
        this.#open()
      },
      Math.max(0, Math.min(QUIET_MS, leftMs)),
    )
    return { until: this.#opened }
  }
}
