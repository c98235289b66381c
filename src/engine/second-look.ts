import { backEndsInWords, type Looking, lookForBackEnds } from '../core/back-ends.js'
import { type Exchange, summary, type WireRequest } from '../core/exchange.js'
import type { Session } from '../core/session.js'
import type { Token } from '../core/token.js'
import { warmUp } from '../core/warm-up.js'
import { duration } from '../duration.js'
import { isSafe } from '../ground/methods.js'
import type { Spec } from '../suite/spec.js'
import type { Expectation } from '../suite/step-words.js'
import type { RunContext } from './context.js'
import type { StepResult } from './step-result.js'

/**
 * The requirement that a valid token opens the API. A token that does so only on some connections breaks this
 * requirement alone.
 */
const OPENS = 'ACCESS-2'

/**
 * After this many looks without a difference between connections, further looks are shorter: they will hardly find one.
 */
const ENOUGH = 3
const SHORT_LOOK = 4
const alike = new WeakMap<Session, number>()

/** A check of a token that did not hold. */
export interface MissedCheck {
  expectation: Expectation
  result: StepResult
  exchange: Exchange
  token: Token
  /** Sends the requests of the second look. */
  looking: Looking
  /** Sends a request on the same connection as the first; undefined where the first had one of its own. */
  onSame: ((request: WireRequest) => Promise<Exchange>) | undefined
}

/**
 * Tries a token again on several new connections after a missed check, to see whether the connection decides. Mixed
 * answers break ACCESS-2, and block specs of other requirements. An answer that only a kept connection gives is
 * described as such.
 * @returns the result to use in place of the first, with the exchanges of the looks
 */
export async function secondLook(
  { session, answers, dialect, schedule }: RunContext,
  spec: Spec,
  missed: MissedCheck,
): Promise<{ result: StepResult; exchanges: Exchange[] }> {
  const { expectation, result, exchange, token, looking, onSame } = missed
  const request = exchange.request
  const isAcceptance = expectation === 'accepted'
  const isRefusal = expectation === 'rejected' || expectation === 'expired'
  if (!(isAcceptance || isRefusal) || !isSafe(request.method) || request.omitHost) return { result, exchanges: [] }
  const kind = answers.of(request)
  // Another kind of answer, such as an error, is not about tokens.
  if (!(isAcceptance ? kind.rejects(exchange) : kind.accepts(exchange))) return { result, exchanges: [] }
  const isShort = (alike.get(session) ?? 0) >= ENOUGH
  const headers = request.headers.filter(([name]) => !/^(host|connection|content-length)$/i.test(name))
  const again = { ...request, headers }
  const use = (look: Exchange) => {
    const isAccepted = kind.accepts(look)
    token.used(look, isAccepted)
    if (isAccepted) token.accepted()
  }
  const looks = await lookForBackEnds(looking, again, kind, isShort ? SHORT_LOOK : undefined)
  looks.exchanges.forEach(use)
  const { exchanges, backEnds, accepted, of } = looks
  if (backEnds) {
    dialect.backEnds ??= backEnds
    const got = `${summary(exchange)}; ${backEndsInWords(backEnds)}`
    const isItsMatter = isAcceptance && spec.requirements.every(({ id }) => id === OPENS)
    const { dead: _, ...rest } = result
    return { result: { ...rest, outcome: isItsMatter ? 'miss' : 'unreachable', got }, exchanges }
  }
  alike.set(session, (alike.get(session) ?? 0) + 1)
  if (isAcceptance && accepted === 0 && dialect.warmUp) {
    // On a Core whose tokens need time, a fresh token is most likely not alive yet, rather than dead.
    const onNew = async () => {
      const look = await looking.onNew(again)
      exchanges.push(look)
      use(look)
      return look
    }
    const isAccepted = (look: Exchange) => kind.accepts(look)
    const pause = (ms: number) =>
      schedule.until(schedule.now() + ms, { spec: '', what: 'until a fresh token is accepted' })
    const warm = await warmUp({ use: onNew, isAccepted, pause })
    if (warm) {
      const { dead: _, ...rest } = result
      const afterMs = warm.exchange.sentAt - token.issued.receivedAt
      const got = `${result.got ?? summary(exchange)}; it was accepted only ${duration(afterMs)} after its logon`
      return { result: { ...rest, got }, exchanges }
    }
  }
  if (!of || accepted === (isAcceptance ? 0 : of)) return { result, exchanges }
  const same = await onSame?.(again)
  if (same) use(same)
  const isStill = same && (isAcceptance ? kind.rejects(same) : kind.accepts(same))
  const told = isStill
    ? history(isAcceptance, of)
    : `sent again, the same request was ${isAcceptance ? 'accepted' : 'rejected'}`
  // A token that is accepted elsewhere, or later, is not dead. The broken requirement is that a valid token opens the
  // API.
  const { dead: _, ...rest } = result
  const outcome = isAcceptance && !spec.requirements.every(({ id }) => id === OPENS) ? 'unreachable' : rest.outcome
  return {
    result: { ...rest, outcome, got: `${result.got ?? summary(exchange)}; ${told}` },
    exchanges: same ? [...exchanges, same] : exchanges,
  }
}

/** Says that the answer depends on the history of the connection, and how to see it again. */
function history(isAcceptance: boolean, connections: number): string {
  const there = isAcceptance ? 'accepted' : 'rejected'
  return `only on a connection that was used before: on ${connections} new ones the same request is ${there}. To repeat it, send the steps up to this one on one connection that stays open`
}
