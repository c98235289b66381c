/** Sends the request of a step in a special way: behind another request, or in a resumed TLS session. */
import type { ConnectionLease } from '../core/connections.js'
import type { Exchange, WireRequest, WireResponse } from '../core/exchange.js'
import { isPutOff } from '../core/pause.js'
import { NotSent, withToken } from '../core/session.js'
import type { Token } from '../core/token.js'
import { isSafe } from '../ground/methods.js'
import type { SendStep } from '../suite/spec.js'
import type { RunContext } from './context.js'
import type { FirstResponse } from './first-response.js'
import { roleRequest } from './requests.js'
import { type Behind, prepareBehind, prepareResumed, type Special } from './special-connections.js'

/** Most tries of a request that changes nothing. A Core may close a kept connection at any time. */
const TRIES = 3

/** Means to send a request in a special way. */
export interface SpecialMeans {
  context: RunContext
  lease: ConnectionLease
  named: ReadonlyMap<string, Token>
  /** Sends the request of the step on the kept connection, where there is one, and notes the exchange. */
  send(request: WireRequest): Promise<Exchange>
  /** Notes another exchange of the step. */
  note(exchange: Exchange): void
}

/** Whether a step is sent in a special way. */
export function isSpecial({ connection, behind }: SendStep): boolean {
  return connection === 'resumed' || behind !== undefined
}

/**
 * Sends the request of such a step.
 * @throws NotSent where this Core does not allow the special way, which the reference leaves open
 */
export async function sendSpecially(step: SendStep, request: WireRequest, means: SpecialMeans): Promise<Exchange> {
  const { context, lease, named } = means
  const token = step.behind === undefined ? undefined : named.get(step.behind)
  const probe = roleRequest(context.parts, 'probe')
  const first =
    step.behind === undefined ? undefined : context.session.whole(token ? withToken(probe, token.value) : probe)
  const { session } = context
  for (let tries = 1; ; tries++) {
    if (first) await session.reserve(lease, 'request')
    const way = first
      ? await prepareBehind(lease, first, () => session.pacer.sentBefore())
      : await prepareResumed(lease, async ms => {
          if (ms > 0) await session.pause(ms)
          await session.reserve(lease, 'connection')
        })
    const exchange = await means.send(request)
    const isLast = !isSafe(request.method) || tries >= TRIES
    const wasAway = exchange.earlier?.some(({ status }) => status !== undefined)
    const isItself = way.wasUsed() && !exchange.earlier?.length
    if (!isItself && !isLast) continue
    if (!isItself && wasAway) throw new NotSent('a limit turned it away each time it was sent in its own way')
    if (!isItself) throw new NotSent('its connection was closed before it could be sent in its own way')
    if (!first || !isBehind(way)) return exchange
    const answer = noteFirst(first, token, { way, exchange, means })
    if (answer && isPutOff(answer) && !isLast) continue
    if (!answer) throw new NotSent('the request before it got no whole answer')
    if (answer.status !== context.answers.probe.accepted.status)
      throw new NotSent(`the request before it was answered ${answer.status}, though it is a good one`)
    if (!exchange.response) throw new NotSent('this Core answers no request that is sent behind another one')
    return exchange
  }
}

function isBehind(way: Special): way is Behind {
  return 'first' in way
}

/** Notes the request in front. @returns its answer; undefined where it got no whole one */
function noteFirst(
  request: WireRequest,
  token: Token | undefined,
  { way, exchange, means }: { way: Behind; exchange: Exchange; means: SpecialMeans },
): WireResponse | undefined {
  const { sentAt, receivedAt } = exchange
  const { session, answers } = means.context
  const answer = way.first()
  // Headers and body are left out: their secrets were not hidden.
  const response = answer && headOnly(answer)
  const before: Exchange = { request, sentAt, receivedAt, ...(response && { response }) }
  means.note(before)
  // Without its body it may not show a refusal, as the answer to HEAD does not.
  if (!answers.probe.isHiddenFrom({ method: 'HEAD' })) session.tookPlace(before)
  token?.used(before, answer?.status === answers.probe.accepted.status)
  return response
}

function headOnly({ status, statusText, httpVersion }: FirstResponse): WireResponse {
  return { status, statusText, httpVersion, headers: [], body: '', bodyBytes: 0, complete: true }
}
