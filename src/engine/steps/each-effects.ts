/** Looks at what a variation did: whether a logon issued a token, and whether a revocation ended one. */
import type { Exchange } from '../../core/exchange.js'
import { withToken } from '../../core/session.js'
import type { SendStep } from '../../suite/spec.js'
import { roleRequest } from '../requests.js'
import type { StepResult } from '../step-result.js'
import type { Ready } from '../variations.js'
import { warmToken } from '../warm.js'
import { type EachTools, putVariation } from './each-tools.js'

/** Whether the answer to a logon holds a token that opens the API. The token is given back. */
export async function isIssued(
  { issued, context, exchange: send, giveBack }: EachTools,
  logon: Exchange,
): Promise<boolean> {
  const token = issued.find(each => each.issued.sentAt === logon.sentAt)
  if (!token) return false
  await warmToken(context, token, send)
  const look = await send(withToken(roleRequest(context.parts, 'probe'), token.value))
  const isAccepted = context.answers.probe.accepts(look)
  await giveBack(token)
  return isAccepted
}

/**
 * Logs on, and revokes the new token, which gets the name of the step's.
 * @param ready makes the revocation, once the token is there
 * @returns whether the token is accepted afterwards, with the exchange of the revocation; or the result that decides nothing
 */
export async function tryToRevoke(
  tools: EachTools,
  step: SendStep,
  ready: () => Ready,
): Promise<{ result: StepResult } | { exchange: Exchange; isAlive: boolean }> {
  const name = step.token?.name ?? ''
  const logon = await tools.logOn(name)
  const token = tools.named.get(name)
  if (logon.outcome !== 'ok' || !token) return { result: logon }
  const variation = ready()
  const { result, exchange } = await putVariation(tools, variation)
  if (result.outcome !== 'ok') return { result }
  const look = await tools.exchange(withToken(roleRequest(tools.context.parts, 'probe'), token.value))
  look.variation = `${variation.name}, afterwards`
  const isAlive = tools.context.answers.probe.accepts(look)
  if (isAlive) {
    token.used(look, true)
    await tools.giveBack(token)
  } else token.revoked()
  return { exchange, isAlive }
}
