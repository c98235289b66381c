/** Looks at what a variation did: whether a logon issued a token, and whether a revocation ended one. */
import type { Exchange } from '../../core/exchange.js'
import { withToken } from '../../core/session.js'
import type { Token } from '../../core/token.js'
import { requestOf } from '../../suite/roles.js'
import type { SendStep } from '../../suite/spec.js'
import { roleRequest } from '../requests.js'
import type { StepResult } from '../step-result.js'
import type { Ready } from '../variations.js'
import { warmToken } from '../warm.js'
import { type EachTools, putVariation } from './each-tools.js'

/** Whether another logon gave the same token before. */
export function isAgain({ session }: EachTools['context'], token: Token): boolean {
  return session.tokens.some(each => each !== token && each.value === token.value)
}

/** Whether the answer to a logon holds a new token that opens the API. The token is given back. */
export async function isIssued(
  { issued, context, exchange: send, giveBack }: EachTools,
  logon: Exchange,
): Promise<boolean> {
  const token = issued.find(each => each.issued.sentAt === logon.sentAt)
  if (!token || isAgain(context, token)) return false
  await warmToken(context, token, request => send(request))
  const use = withToken(roleRequest(context.parts, 'probe'), token.value)
  const { probe } = context.answers
  // A connection that refuses everybody from now on says nothing of the token.
  const isAccepted = probe.accepts(await send(use)) || probe.accepts(await send(use, { isNew: true }))
  await giveBack(token)
  return isAccepted
}

/**
 * Logs on, and revokes the new token, which gets the name of the step's.
 * @param row makes a request with this token in the form of the row
 * @returns whether the token is accepted afterwards, with the exchange of the revocation; or the result that decides nothing
 */
export async function tryToRevoke(
  tools: EachTools,
  step: SendStep,
  row: (step: SendStep) => Ready,
): Promise<{ result: StepResult } | { exchange: Exchange; isAlive: boolean }> {
  const { context, exchange: send } = tools
  const { probe } = context.answers
  const name = step.token?.name ?? ''
  // A Core may have room for one token only.
  const before = tools.named.get(name)
  if (before?.isLive) await tools.giveBack(before)
  const logon = await tools.logOn(name)
  const token = tools.named.get(name)
  // A logon is a matter of other requirements.
  if (logon.outcome !== 'ok' || !token) return { result: { ...logon, outcome: 'unreachable' } }
  const revocation = row(step)
  const { result, exchange } = await putVariation(tools, revocation)
  if (result.outcome !== 'ok') return { result }
  const look = await send(withToken(roleRequest(context.parts, 'probe'), token.value))
  look.variation = `${revocation.name}, afterwards`
  if (!probe.accepts(look)) {
    token.revoked()
    return { exchange, isAlive: false }
  }
  token.used(look, true)
  // A token that two logons gave, or that no request opens the API with in this form, is a matter of other requirements.
  const use: SendStep = { ...step, request: requestOf(context.parts.requests, 'probe'), role: 'probe', expect: [] }
  const isTaken = !isAgain(context, token) && probe.accepts((await putVariation(tools, row(use))).exchange)
  await tools.giveBack(token)
  return { exchange, isAlive: isTaken }
}
