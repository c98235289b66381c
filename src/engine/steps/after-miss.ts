/** Looks at a miss again, before it accuses: whether something else than the token is behind it. */
import type { Looking } from '../../core/back-ends.js'
import { type Exchange, summary, type WireRequest } from '../../core/exchange.js'
import type { Token } from '../../core/token.js'
import type { SendStep } from '../../suite/spec.js'
import { answeredInFront } from '../front.js'
import { IN_WORDS, otherReason } from '../let-in.js'
import { secondLook } from '../second-look.js'
import { isSpecial } from '../specially.js'
import type { StepResult } from '../step-result.js'
import type { SpecTalk } from './spec-talk.js'

/** Blocks where a token that was to be refused was let in for another reason than itself (see `otherReason`). */
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
  const isThrough = ({ request, response }: Exchange) => {
    const kind = context.answers.of(request)
    return response !== undefined && kind.tells && kind.accepts(response)
  }
  const send = (request: WireRequest) => talk.exchange(request)
  const why = await otherReason(context, { exchange, token, exchanges, send, isThrough })
  if (why === undefined) return false
  const { isCertain: _, ...rest } = result
  results[at] = { ...rest, outcome: 'unreachable', got: `${result.got ?? summary(exchange)}; ${IN_WORDS[why]}` }
  return true
}

/** Puts a miss of a token to the test on other connections (see `secondLook`); of a 406, says whether a web server in front answered. */
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
  // On other connections it would not be the same.
  if (!token || !result || expectation === undefined || isSpecial(step)) return
  const { session } = talk.context
  // On the connections that are held: to take others while holding some could wait for ever.
  const looking: Looking = {
    onNew: again => session.exchange(again, talk.lease, { isNew: true }),
    onOne: again => session.exchange(again, talk.lease),
  }
  const onSame = step.connection === 'kept' ? looking.onOne : undefined
  const looked = await secondLook(talk.context, talk.spec, { expectation, result, exchange, token, looking, onSame })
  talk.exchanges.push(...looked.exchanges)
  results[at] = looked.result
}

/** Says so where a web server in front has answered. */
async function inFront(talk: SpecTalk, result: StepResult, exchange: Exchange): Promise<StepResult> {
  const send = talk.context.dialect.http10 ? (again: WireRequest) => talk.exchange(again) : undefined
  const got = await answeredInFront(exchange, talk.inRole('probe'), send)
  return got === undefined ? result : { ...result, got }
}
