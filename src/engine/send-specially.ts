/** Sends the request of a step in a special way: behind another request, or in a TLS session of a special kind. */
import type { Exchange, WireRequest, WireResponse } from '../core/exchange.js'
import { withToken } from '../core/give-back.js'
import { NotSent } from '../core/not-sent.js'
import { isPutOff } from '../core/pause.js'
import { TRIES } from '../core/sender.js'
import type { Token } from '../core/token.js'
import { isSafe } from '../ground/methods.js'
import type { SendStep } from '../suite/spec.js'
import { isTlsWay } from '../suite/step-words.js'
import { type FirstResponse, prepareBehind, prepareNew } from './special-connections.js'
import type { SpecTalk } from './steps/spec-talk.js'

/** How often a request that a limit turns away is sent in its own way: each time the run knows the limit better. */
const MOST_AWAY = 8

/** Whether a step is sent in a special way. */
export function isSpecial({ connection, behind }: SendStep): boolean {
  return isTlsWay(connection) || behind !== undefined
}

/**
 * Sends the request of such a step.
 * @param send sends the request on the kept connection, where there is one, and notes the exchange
 * @throws NotSent where this Core does not allow the special way, which the reference leaves open
 */
export async function sendSpecially(
  talk: SpecTalk,
  step: SendStep,
  request: WireRequest,
  send: () => Promise<Exchange>,
): Promise<Exchange> {
  const { context, lease, named } = talk
  const { session, answers } = context
  const token = step.behind === undefined ? undefined : named.get(step.behind)
  const probe = talk.inRole('probe')
  const first = step.behind === undefined ? undefined : session.whole(token ? withToken(probe, token.value) : probe)
  const prepare = async () => {
    if (first) return prepareBehind(lease, first, () => session.pacer.sentBefore())
    if (!isTlsWay(step.connection)) return undefined
    return prepareNew(step.connection, lease, async ms => {
      if (ms > 0) await session.pause(ms)
      await session.reserve(lease, 'connection')
    })
  }
  for (let tries = 1; ; tries++) {
    if (first) await session.reserve(lease, 'request')
    const way = await prepare()
    if (!way) return send()
    const exchange = await send()
    const wasAway = exchange.earlier?.some(({ status }) => status !== undefined)
    // A Core may close a kept connection at any time.
    const isLast = !isSafe(request.method) || tries >= (wasAway ? MOST_AWAY : TRIES)
    const isItself = way.wasUsed() && !exchange.earlier?.length
    if (!isItself && !isLast) continue
    if (!isItself && wasAway) throw new NotSent('a limit turned it away each time it was sent in its own way')
    if (!isItself) throw new NotSent('its connection was closed before it could be sent in its own way')
    if (!first) return exchange
    const answer = noteFirst(talk, first, token, { came: way.first?.(), exchange })
    if (answer && (isPutOff(answer) || session.mayBeBan(answer.status)) && !isLast) continue
    if (!answer) throw new NotSent('the request before it got no whole answer')
    if (answer.status !== answers.probe.accepted.status)
      throw new NotSent(`the request before it was answered ${answer.status}, though it is a good one`)
    if (!exchange.response) throw new NotSent('this Core answers no request that is sent behind another one')
    return exchange
  }
}

/** Notes the request in front of an exchange. @returns its answer; undefined where it got no whole one */
function noteFirst(
  { context, exchanges }: SpecTalk,
  request: WireRequest,
  token: Token | undefined,
  { came, exchange }: { came: FirstResponse | undefined; exchange: Exchange },
): WireResponse | undefined {
  const { sentAt, receivedAt } = exchange
  const { session, answers } = context
  // Headers and body are left out: their secrets were not hidden.
  const response = came && headOnly(came)
  const before: Exchange = { request, sentAt, receivedAt, ...(response && { response }) }
  exchanges.splice(-1, 0, before)
  // Without its body it may not show a refusal, as the answer to HEAD does not.
  if (!answers.probe.isHiddenFrom({ method: 'HEAD' })) session.tookPlace(before)
  token?.used(before, came?.status === answers.probe.accepted.status)
  return response
}

function headOnly({ status, statusText, httpVersion }: FirstResponse): WireResponse {
  return { status, statusText, httpVersion, headers: [], body: '', bodyBytes: 0, complete: true }
}
