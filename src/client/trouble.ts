/** What requests meet in a scenario once a client is at work. */
import type { MockCore, RecordedRequest, Staging } from '../mock/index.js'
import { Gate } from './gate.js'
import { isRepeatable, isWork } from './requests.js'

/** What a trouble may do, beside saying what a request meets. */
export interface Act {
  core: MockCore
  /** The base URL of the other host. */
  elsewhere: string
  /** Notes that a request met what the scenario has in store. */
  meet(request: RecordedRequest): void
  /** Notes that the scenario's event takes place with this request. */
  event(request: RecordedRequest): void
  /** Whether a request came on a connection that there was when the event took place. */
  isOld(request: RecordedRequest): boolean
  /** Whether the request's connection was made with the newest certificate. */
  hasNewest(): boolean
}

/** What requests meet, beginning with the first authenticated one that is accepted. */
export interface Trouble {
  /** What that first one meets. */
  first?(act: Act): Staging | undefined
  /** What the others meet. */
  next(request: RecordedRequest, act: Act): Staging | undefined
}

/** What Retry-After asks for, in seconds: as much as any client can wait, and more than an impatient one does. */
export const BUSY_S = 2

/** A timer may be early, and the clock of a client is another one. */
const BUSY_MS = BUSY_S * 1_000 - 100

const refusal = (status: number, message: string, headers: [string, string][] = []): Staging => ({
  answer: {
    status,
    headers: [['Content-Type', 'application/json'], ...headers],
    body: JSON.stringify({ code: status, message }),
  },
})

/** Keeps an answer back until everything that was under way has come. */
function held(gate: Gate): Staging {
  const until = gate.pass()
  return until === undefined ? {} : { until }
}

/** Whether a request carries a token that was good once. */
function isDead({ token }: RecordedRequest): boolean {
  return token !== null && token.state !== 'valid' && token.state !== 'unknown'
}

function isRightWork(request: RecordedRequest): boolean {
  return isWork(request) && request.token?.state === 'valid'
}

/** The token is no longer good: what was under way comes before the first rejection goes out. */
export function deadToken(): Trouble {
  const gate = new Gate()
  return { next: request => (isDead(request) ? held(gate) : undefined) }
}

/** As {@link deadToken}, and every connection ends with the answer on it: nobody sends into one that is just being cut. */
export function restartBetween(): Trouble {
  const { next } = deadToken()
  return {
    first: () => ({ close: true }),
    next: (request, act) => ({ ...next(request, act), close: act.isOld(request) }),
  }
}

/**
 * The next request that may be repeated is read and never answered, its connection cut; the tokens are forgotten. Then as
 * {@link restartBetween}. What changes something may have been done before the cut, so nobody is to send that again.
 */
export function restartInside(): Trouble {
  const { next } = restartBetween()
  let isOver = false
  return {
    next(request, act) {
      if (isOver) return next(request, act)
      if (!isRightWork(request) || !isRepeatable(request)) return undefined
      isOver = true
      act.core.forgetTokens()
      act.meet(request)
      act.event(request)
      return { fate: 'dropped' }
    },
  }
}

/** Requests are refused with Retry-After, until that is over; none of them has an effect. */
export function busy(status: 429 | 503): Trouble {
  const gate = new Gate()
  const title = status === 429 ? 'Too Many Requests' : 'Service Unavailable'
  return {
    next(request, act) {
      if (!isRightWork(request)) return undefined
      if (gate.openedMs !== undefined && performance.now() > gate.openedMs + BUSY_MS) return undefined
      act.meet(request)
      return { ...refusal(status, title, [['Retry-After', String(BUSY_S)]]), ...held(gate) }
    },
  }
}

/** Everything is refused as the reference says of a request without Host. */
export function notAcceptable(): Trouble {
  const gate = new Gate()
  return {
    next(request, act) {
      act.meet(request)
      return { ...refusal(406, 'Not Acceptable'), ...held(gate) }
    },
  }
}

/** Every answer to an authenticated request breaks off. */
export function truncated(): Trouble {
  return {
    next(request, act) {
      if (!isRightWork(request)) return undefined
      act.meet(request)
      return { fate: 'cut' }
    },
  }
}

/** The next request is never answered; those after it are. */
export function hang(): Trouble {
  return once(() => ({ fate: 'never' }))
}

/** The next request is sent to another host; those after it are not. */
export function redirect(): Trouble {
  return once(({ path, query }, { elsewhere }) =>
    refusal(307, 'Temporary Redirect', [['Location', `${elsewhere}${path}${query === '' ? '' : `?${query}`}`]]),
  )
}

/** The certificate is changed before the first answer goes out, and no connection from before is used for another request. */
export function changedCertificate(): Trouble {
  let isChanged = false
  const change = async (core: MockCore) => {
    await core.changeCertificate()
    isChanged = true
  }
  return {
    first: ({ core }) => ({ close: true, until: change(core) }),
    next: (request, act) => {
      if (!isChanged || !act.hasNewest()) return { close: true }
      act.meet(request)
      return undefined
    },
  }
}

function once(staging: (request: RecordedRequest, act: Act) => Staging): Trouble {
  let isOver = false
  return {
    next(request, act) {
      if (isOver || !isRightWork(request)) return undefined
      isOver = true
      act.meet(request)
      return staging(request, act)
    },
  }
}
