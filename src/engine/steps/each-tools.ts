/** The functions that a step over a family needs from the steps of its spec. */
import type { Exchange, WireRequest } from '../../core/exchange.js'
import { NotSent } from '../../core/not-sent.js'
import type { Token } from '../../core/token.js'
import type { SendStep, Spec } from '../../suite/spec.js'
import type { TokenRef } from '../../suite/step-words.js'
import type { RunContext } from '../context.js'
import type { StepResult } from '../step-result.js'
import type { Ready } from '../variations.js'

/** Runs the requests of a step over a family. */
export interface EachTools {
  context: RunContext
  spec: Spec
  named: ReadonlyMap<string, Token>
  /** Every token issued to the steps, and every exchange, in order. */
  issued: readonly Token[]
  exchanges: readonly Exchange[]
  /** Returns the text of a token, or of one made from it. @throws NotSent where a token of this Core cannot be changed so */
  textOf(token: TokenRef): string
  /** Sends a request of the step, and judges it by the step's expectations. */
  put(
    step: SendStep,
    request: WireRequest,
    token: Token | undefined,
  ): Promise<{ result: StepResult; exchange: Exchange }>
  /** Does this on a connection of its own, beside what is sent meanwhile; undefined where there is none for that. */
  beside<T>(work: (tools: EachTools) => Promise<T>): Promise<T> | undefined
  /** Waits for what is sent beside. */
  wait<T>(beside: Promise<T>): Promise<T>
  /** Sends a request, and notes its exchange. @param options `isNew`: on a connection of its own */
  exchange(request: WireRequest, options?: { isNew?: boolean }): Promise<Exchange>
  /** Uses the tokens that the spec shares with others, where that was not done for a while. */
  keepAlive(): Promise<void>
  /** Logs on, and gives the token this name. */
  logOn(name: string): Promise<StepResult>
  /** Gives a token back. */
  giveBack(token: Token): Promise<void>
  /** Until when the step may spread its variations, on the clock of the run, in milliseconds. */
  spreadUntilMs: number
  /** Lets time pass, in which others may send. @throws Interrupted; Detached */
  rest(ms: number): Promise<void>
  /** Repeats a missed check on other connections. */
  lookAgain(step: SendStep, result: StepResult, exchange: Exchange, token: Token | undefined): Promise<StepResult>
}

/** Sends a variation, and judges it. @throws NotSent where this Core does not wait for the rest of a head, which says nothing of the request */
export async function putVariation(
  tools: EachTools,
  { step, request, token, name, before }: Ready,
): Promise<{ result: StepResult; exchange: Exchange }> {
  if (before) {
    const isNew = before.breaksOff !== undefined
    ;(await tools.exchange(before, { isNew })).variation = `before ${name}`
  }
  const put = await tools.put(step, request, token)
  const { response, error } = put.exchange
  put.exchange.variation = name
  if (request.inPieces === 'pause' && (response?.status === TIMED_OUT || error?.kind === 'closed'))
    throw new NotSent('this Core does not wait for the rest of a head that comes with a pause')
  return put
}

/** RFC 9110 15.5.9: the request was not whole in the time that a server waits for it. */
const TIMED_OUT = 408
