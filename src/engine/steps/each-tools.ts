/** What steps that range over a family take of whoever runs the steps of the spec. */
import type { Exchange, WireRequest } from '../../core/exchange.js'
import type { Token } from '../../core/token.js'
import type { SendStep } from '../../suite/spec.js'
import type { RunContext } from '../context.js'
import type { StepResult } from '../step-result.js'
import type { Ready } from '../variations.js'

/** See above. */
export interface EachTools {
  context: RunContext
  named: ReadonlyMap<string, Token>
  /** Every token that the steps were given, and every exchange, in their order. */
  issued: readonly Token[]
  exchanges: readonly Exchange[]
  /** Sends a request of the step, and judges it by what the step expects. */
  put(
    step: SendStep,
    request: WireRequest,
    token: Token | undefined,
  ): Promise<{ result: StepResult; exchange: Exchange }>
  /** Sends a request, and notes it. */
  exchange(request: WireRequest): Promise<Exchange>
  /** Logs on, and calls the token so from now on. */
  logOn(name: string): Promise<StepResult>
  /** Gives a token back. */
  giveBack(token: Token): Promise<void>
  /** Looks at a miss again on other connections. */
  lookAgain(step: SendStep, result: StepResult, exchange: Exchange, token: Token | undefined): Promise<StepResult>
}

/** Sends a variation, and judges it. */
export async function putVariation(
  tools: EachTools,
  { step, request, token, name }: Ready,
): Promise<{ result: StepResult; exchange: Exchange }> {
  const put = await tools.put(step, request, token)
  put.exchange.variation = name
  return put
}
