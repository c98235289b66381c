/** Runs a step that logs on, expects a token, and gives it a name. */
import { summary } from '../../core/exchange.js'
import type { StepRecord } from '../../result.js'
import type { LogonStep } from '../../suite/spec.js'
import { logOn, logonSummary } from '../log-on.js'
import { OK, type StepResult } from '../step-result.js'
import { warmToken } from '../warm.js'
import { untestedResult } from './on-the-wire.js'
import type { SpecTalk } from './spec-talk.js'

/** Logs on. @throws Interrupted where it waits for a full Core */
export async function logonStep(
  talk: SpecTalk,
  { token, http, isCold }: LogonStep,
  kind: StepRecord['kind'],
): Promise<StepResult> {
  const { context, lease } = talk
  const { session, schedule } = context
  const { isUrgent } = lease
  const end = await logOn({
    session,
    send: () => talk.exchange(talk.inRole('logon', http === '1.1' ? undefined : { http })),
    // From a cut answer too: the Core issued the token, and it is a secret.
    take: exchange => talk.take(exchange, `token ${token}`),
    pause: ms => {
      lease.give()
      lease.isUrgent = true
      return schedule.until(schedule.now() + ms, { spec: '', what: 'since the Core refuses logons' })
    },
  }).finally(() => {
    lease.isUrgent = isUrgent
  })
  const got = logonSummary(end)
  const telling = [end.exchange]
  const expected = 'a token is issued'
  if (end.kind === 'full') return { outcome: 'limited', room: end.capacity, expected, got, telling }
  const unjudged = await untestedResult(talk, end.exchange)
  if (unjudged) return { ...unjudged, telling }
  if (end.kind !== 'issued' || end.exchange.error) {
    // No other spec can make a Core refuse a logon that it takes at once when asked again.
    const isCertain = end.kind === 'refused' && end.isTaken === true
    return { outcome: 'miss', expected, got, isCertain, telling }
  }
  // Where two names, or two specs, hold the same token, the effects on one tell nothing about the other.
  const isHeld = [...talk.named.values()].some(({ value }) => value === end.token.value)
  const isShared = isHeld || context.dialect.sessions === 'many'
  talk.name(token, end.token)
  session.loggedOn()
  if (!isCold) await warmToken(context, end.token, request => talk.exchange(request))
  if ((kind !== 'given' || isShared) && !end.token.isNew) {
    const seen = `${summary(end.exchange)}, with an earlier token`
    return { outcome: 'miss', expected: 'a new token is issued', got: seen, isCertain: true, telling }
  }
  return { ...OK, expected, got }
}
