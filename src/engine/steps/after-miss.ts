/** Looks at a miss again before it accuses, for causes other than the token. */
import type { Looking } from '../../core/back-ends.js'
import { type Exchange, summary, type WireRequest } from '../../core/exchange.js'
import type { Token } from '../../core/token.js'
import type { SendStep } from '../../suite/spec.js'
import { IN_WORDS, otherReason } from '../let-in.js'
import { secondLook } from '../second-look.js'
import { isSpecial } from '../send-specially.js'
import { answeredInFront } from '../server-in-front.js'
import type { StepResult } from '../step-result.js'
import type { SpecTalk } from './spec-talk.js'

/** Blocks the spec where a request was let in for another reason than its token (see `otherReason`). */
export async function otherwiseLetIn(
  talk: SpecTalk,
  { expect }: SendStep,
  results: StepResult[],
  exchange: Exchange,
  token: Token | undefined,
): Promise<boolean> {
  const at = expect.findIndex(expectation => expectation === 'rejected' || expectation === 'expired')
  const result = results[at]
  if (!token || result?.outcome !== 'miss' || !result.isCertain) return false
  const { context, exchanges } = talk
  const isThrough = (look: Exchange) => {
    const kind = context.answers.of(look.request)
    return kind.tells && kind.accepts(look)
  }
  const send = (request: WireRequest) => talk.exchange(request)
  const why = await otherReason(context, { exchange, token, exchanges, send, isThrough })
  if (why === undefined) return false
  const { isCertain: _, ...rest } = result
  results[at] = { ...rest, outcome: 'unreachable', got: `${result.got ?? summary(exchange)}; ${IN_WORDS[why]}` }
  return true
}

/**
 * Repeats a missed check on other connections (see `secondLook`). Where a 406 is missed, says whether a web server in
 * front answered.
 */
export async function lookAgain(
  talk: SpecTalk,
  step: SendStep,
  results: StepResult[],
  exchange: Exchange,
  token: Token | undefined,
): Promise<void> {
  const at = results.findIndex(({ outcome }) => outcome === 'miss')
  const [result, expectation] = [results[at], step.expect[at]]
  if (result && expectation === 406) {
    results[at] = await inFront(talk, result, exchange)
    return
  }
  // On other connections such a request would not be the same.
  if (!token || !result || expectation === undefined || isSpecial(step)) return
  const { session } = talk.context
  // On its own connections: a spec that waits for others while it holds some could wait for ever.
  const looking: Looking = {
    onNew: again => session.exchange(again, talk.lease, { isNew: true }),
    onOne: again => session.exchange(again, talk.lease),
  }
  const onSame = step.connection === 'kept' ? looking.onOne : undefined
  const looked = await secondLook(talk.context, talk.spec, { expectation, result, exchange, token, looking, onSame })
  talk.exchanges.push(...looked.exchanges)
  results[at] = looked.result
}

/** Says in the result where a web server in front answered. */
async function inFront(talk: SpecTalk, result: StepResult, exchange: Exchange): Promise<StepResult> {
  const send = talk.context.dialect.http10 ? (again: WireRequest) => talk.exchange(again) : undefined
  const got = await answeredInFront(exchange, talk.inRole('probe'), send)
  return got === undefined ? result : { ...result, got }
}
