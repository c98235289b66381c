/** Tells the answer of a ban from answers to requests, where its status does not: 403 from a server in front, say. */
import { type Answers, answerOf } from './answers.js'
import type { Exchange, WireRequest } from './exchange.js'

/** Most answers of a status that are looked into. Bodies that repeat the request look different each time. */
const MOST_LOOKED_INTO = 6

/** Learns which answers are those of a ban: a good request gets one, and so does the request that is answered otherwise. */
export class BanLooks {
  private readonly bans = new Set<string>()
  private readonly others = new Map<number, Set<string>>()

  /** Whether an answer is known as that of a ban. */
  isKnown({ response, error }: Exchange): boolean {
    return response !== undefined && !error && this.bans.has(lookOf(response))
  }

  /**
   * Whether an answer is that of a ban. What refuses another token than a good one in a way of its own is none: the control,
   * without a token, is not answered like it.
   * @param probe the answers of this Core to its probe
   * @param control sends a request that is answered in another way; absent: there is none
   */
  async isBan(
    exchange: Exchange,
    { probe, control }: { probe: Answers; control?: (() => Promise<Exchange>) | undefined },
  ): Promise<boolean> {
    const { response, error } = exchange
    if (this.isKnown(exchange)) return true
    if (!control || !response || error || !mayBeBan(response.status, probe)) return false
    const look = lookOf(response)
    const others = this.others.get(response.status) ?? new Set()
    this.others.set(response.status, others)
    if (others.has(look) || others.size >= MOST_LOOKED_INTO) return false
    const { request, response: beside } = await control()
    // The same request once more says nothing: that is how the Core answers it.
    const isSame = isLike(request, exchange.request)
    const isBan = beside !== undefined && !isSame && lookOf(beside) === look
    if (isBan) this.bans.add(look)
    else others.add(look)
    return isBan
  }

  /** Notes that it is the answer to its request after all: others are answered meanwhile. */
  forget({ response }: Exchange): void {
    if (!response || !this.bans.delete(lookOf(response))) return
    const others = this.others.get(response.status) ?? new Set()
    this.others.set(response.status, others.add(lookOf(response)))
  }
}

/** What says by its status that it turns away is none, and what refuses a token is no ban. A redirect may lead to a page that asks for patience. */
function mayBeBan(status: number, { refusals }: Answers): boolean {
  return status >= 300 && status < 429 && refusals.length > 0 && refusals.every(each => each.status !== status)
}

function isLike(one: WireRequest, other: WireRequest): boolean {
  const authorization = ({ headers }: WireRequest) => headers.find(([name]) => /^authorization$/i.test(name))?.[1]
  return one.method === other.method && one.path === other.path && authorization(one) === authorization(other)
}

function lookOf(response: NonNullable<Exchange['response']>): string {
  const { status, body } = answerOf(response)
  return `${status} ${body}`
}
