/** A step that logs on, expects a token, and holds it under a name. */
import { summary } from '../../core/exchange.js'
import type { StepRecord } from '../../result.js'
import type { LogonStep } from '../../suite/spec.js'
import { logOn, logonSummary } from '../logon.js'
import { OK, type StepResult } from '../step-result.js'
import { warm } from '../warm.js'
import { untested } from './on-the-wire.js'
import type { SpecTalk } from './spec-talk.js'

/** @throws Interrupted where a full Core is waited for */
export async function logonStep(
  talk: SpecTalk,
  { token, http, isCold }: LogonStep,
  kind: StepRecord['kind'],
): Promise<StepResult> {
  const { context, lease } = talk
  const { session, schedule } = context
  const end = await logOn({
    session,
    send: () => talk.exchange(talk.inRole('logon', { http })),
    // Also from an answer that was cut: the Core issued it, and it is a secret.
    take: exchange => talk.take(exchange, `token ${token}`),
    pause: ms => {
      lease.give()
      return schedule.until(schedule.now() + ms, { spec: '', what: 'since the Core refuses logons' })
    },
  })
  const got = logonSummary(end)
  const expected = 'a token is issued'
  if (end.kind === 'full') return { outcome: 'limited', room: end.capacity, expected, got }
  const unjudged = await untested(talk, end.exchange)
  if (unjudged) return unjudged
  if (end.kind !== 'issued' || end.exchange.error) {
    // Nobody else can make a Core refuse a logon that it takes at once when asked again.
    const isCertain = end.kind === 'refused' && end.isTaken === true
    return { outcome: 'miss', expected, got, isCertain }
  }
  // What happens to one of two names for the same token tells nothing of the other; nor does it where another spec may hold it.
  const isHeld = [...talk.named.values()].some(({ value }) => value === end.token.value)
  const isShared = isHeld || context.dialect.sessions === 'many'
  talk.name(token, end.token)
  session.loggedOn()
  if (!isCold) await warm(context, end.token, request => talk.exchange(request))
  if ((kind !== 'given' || isShared) && !end.token.isNew) {
    const seen = `${summary(end.exchange)}, with a token of before`
    return { outcome: 'miss', expected: 'a new token is issued', got: seen, isCertain: true }
  }
  return { ...OK, expected, got }
}
