/** Tells the answer of a ban from answers to requests, where its status does not: 403 from a server in front, say. */
import { type Answer, type Answers, alike, answerOf } from './answers.js'
import { type Exchange, header, type Reading, type WireRequest, type WireResponse } from './exchange.js'

/** Most answers of a status that are looked into. Bodies that repeat the request look different each time. */
const MOST_LOOKED_INTO = 6
/** How often an answer is looked into: a limit that is just about to serve again may serve the control beside it. */
const MOST_LOOKS = 6

/** What was taken for an answer: how often the control was sent beside it, and when those were sent that got it. */
interface Other {
  looks: number
  sent: Reading[]
}

/** What it takes to tell an answer of a ban. */
interface Beside {
  /** The answers of this Core to its probe. */
  probe: Answers
  /** Sends a request that is answered in another way; absent: there is none. */
  control?: (() => Promise<Exchange>) | undefined
  /** Takes those that were answered so before, once it is known as the answer of a ban. */
  wasBan?: ((sent: Reading) => void) | undefined
}

/** Learns which answers are those of a ban: a good request gets one, and so does the request that is answered otherwise. */
export class BanLooks {
  private readonly bans = new Set<string>()
  /** By status and look. */
  private readonly others = new Map<number, Map<string, Other>>()
  /** The requests that succeeded, whatever token they had. */
  private readonly served = new Set<string>()

  /** Notes a request that was answered. */
  answered({ request, response }: Exchange): void {
    if (response && response.status < 300) this.served.add(formOf(request))
  }

  /** Whether an answer is known as that of a ban. */
  isKnown({ request, response, error }: Exchange): boolean {
    return response !== undefined && !error && this.bans.has(shownTo(request, response))
  }

  /** Whether an answer of this status may be that of a ban, as far as is known without its body. */
  hasStatus(status: number): boolean {
    return [...this.bans].some(look => look.startsWith(`${status} `))
  }

  /**
   * Whether an answer is that of a ban. What refuses another token than a good one in a way of its own is none: the control,
   * without a token, is not answered like it.
   */
  async isBan(exchange: Exchange, { probe, control, wasBan }: Beside): Promise<boolean> {
    const { request, response, error, sentAt, receivedAt } = exchange
    if (this.isKnown(exchange)) return true
    if (!response || error || !mayBeBan(response, probe)) return false
    const look = lookOf(response)
    const others = this.others.get(response.status) ?? new Map<string, Other>()
    this.others.set(response.status, others)
    if (!others.has(look) && others.size >= MOST_LOOKED_INTO) return false
    const other = others.get(look) ?? { looks: 0, sent: [] }
    others.set(look, other)
    // What succeeded before may well be turned away now.
    const most = this.served.has(formOf(request)) ? MOST_LOOKS : 1
    if (control && other.looks < most) {
      other.looks++
      const { request: its, response: beside } = await control()
      // The same request once more says nothing: that is how the Core answers it.
      if (beside && !isLike(its, request) && lookOf(beside) === look) {
        for (const each of other.sent) wasBan?.(each)
        others.delete(look)
        this.bans.add(look).add(headOf(response))
        return true
      }
    }
    other.sent.push({ sentAt, receivedAt })
    return false
  }

  /** Notes that it is the answer to its request after all: others are answered meanwhile. */
  forget(exchange: Exchange): void {
    const { request, response } = exchange
    if (!response || !this.bans.delete(shownTo(request, response)) || request.method === 'HEAD') return
    this.bans.delete(headOf(response))
    const others = this.others.get(response.status) ?? new Map<string, Other>()
    this.others.set(response.status, others.set(lookOf(response), { looks: MOST_LOOKS, sent: [] }))
  }
}

/**
 * What says by its status that it turns away is none, and what refused a token in the survey is no ban; nor is another 401 then, which asks for
 * credentials. A redirect may lead to a page that asks for patience.
 */
function mayBeBan(response: WireResponse, { refusals }: Answers): boolean {
  const { status } = response
  const isKnown = (each: Answer) => each.status === status && (status === 401 || alike(each, answerOf(response)))
  return status >= 300 && status < 429 && refusals.length > 0 && !refusals.some(isKnown)
}

function isLike(one: WireRequest, other: WireRequest): boolean {
  const authorization = ({ headers }: WireRequest) => headers.find(([name]) => /^authorization$/i.test(name))?.[1]
  return one.method === other.method && one.path === other.path && authorization(one) === authorization(other)
}

/** Names a request by all but the values of its header fields: its token is one. */
function formOf({ method, path, headers, body = '', httpVersion, omitHost }: WireRequest): string {
  return [method, path, httpVersion, omitHost, ...headers.map(([name]) => name), body].join('\n')
}

function lookOf(response: WireResponse): string {
  const { status, body } = answerOf(response)
  return `${status} ${body}`
}

/** The same for an answer that comes without its body. */
function headOf(response: WireResponse): string {
  return `${response.status} ${header(response, 'content-type')} ${header(response, 'content-length')}`
}

function shownTo({ method }: WireRequest, response: WireResponse): string {
  return method === 'HEAD' ? headOf(response) : lookOf(response)
}
