/** Looks at a miss again before it accuses, for causes other than the token. Over 250 lines, since each look decides whether another follows. */
import { ALIKE, backEndsInWords, type Looking, lookForBackEnds } from '../../core/back-ends.js'
import { type Exchange, header, summary, type WireRequest, type WireResponse } from '../../core/exchange.js'
import type { Session } from '../../core/session.js'
import type { Token } from '../../core/token.js'
import { duration } from '../../duration.js'
import { count } from '../../ground/count.js'
import { isSafe } from '../../ground/methods.js'
import type { SendStep, Spec } from '../../suite/spec.js'
import type { Expectation } from '../../suite/step-words.js'
import { IN_WORDS, otherReason } from '../let-in.js'
import { probeWith } from '../requests.js'
import { isSpecial } from '../send-specially.js'
import type { StepResult } from '../step-result.js'
import { untilAccepted } from '../warm.js'
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
  const why = await otherReason(talk, exchange, token, look => {
    const kind = talk.context.answers.of(look.request)
    return kind.tells && kind.accepts(look)
  })
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
  results[at] = await secondLook(talk, step, { expectation, result, exchange, token })
}

/**
 * The requirement that a valid token opens the API. A token that does so only on some connections breaks this
 * requirement alone.
 */
const OPENS = 'ACCESS-2'

/** The requirements that the first use of a token tests. */
const OF_FIRST_USE: ReadonlySet<string> = new Set(['LOGON-1', OPENS])

/**
 * Says of a miss by a token that was never accepted what may have ended it. Nothing, where the step tests the first use. Nor did the
 * spec, and it is blocked, where a fresh token is not accepted either, right after its logon. That logon follows another one, as most do.
 */
export async function deadAtBirth(
  talk: SpecTalk,
  { tests }: SendStep,
  result: StepResult,
  token: Token | undefined,
): Promise<StepResult> {
  const { dead, ...missed } = result
  if (result.outcome !== 'miss' || !dead || !token || token.wasAccepted || !tests.length) return result
  if (tests.every(id => OF_FIRST_USE.has(id))) return missed
  await logOn(talk)
  const fresh = await logOn(talk)
  if (!fresh) return result
  const { probe } = talk.context.answers
  const look = await talk.exchange(probeWith(talk.context.parts, fresh.value))
  fresh.used(look, probe.accepts(look))
  if (!probe.rejects(look)) return result
  const got = `${missed.got}; a fresh token is rejected right after its logon, too`
  return { ...missed, outcome: 'unreachable', got }
}

/** Gets a fresh token, which shows what becomes of those that nothing happened to. */
async function logOn(talk: SpecTalk): Promise<Token | undefined> {
  return talk.take(await talk.exchange(talk.inRole('logon')), 'token issued to compare')
}

/**
 * Says in a result which web server answered a request in place of the firmware, where one shows. Such a server refuses some
 * requests before the firmware sees them, above all HTTP/1.1 requests without Host.
 */
async function inFront(talk: SpecTalk, result: StepResult, exchange: Exchange): Promise<StepResult> {
  const { request, response } = exchange
  const from = response && serverOf(response)
  if (!from || !request.omitHost || request.httpVersion !== '1.1' || response.status === 406) return result
  const said = `${summary(exchange)} from ${from}, in front of the firmware`
  if (!talk.context.dialect.http10) return { ...result, got: said }
  // What could have an effect is not sent over HTTP/1.0, also without Host.
  const isHarmless = isSafe(request.method)
  const harmless = isHarmless ? sentAnew(request) : talk.inRole('probe')
  const again = await talk.exchange({ ...harmless, httpVersion: '1.0', omitHost: true })
  const what = isHarmless ? 'the same request' : 'a GET without Host'
  return { ...result, got: `${said}; over HTTP/1.0 ${what} gets ${summary(again)}` }
}

/** Returns a request as it is sent again: its client adds these header fields itself. */
function sentAnew(request: WireRequest): WireRequest {
  const headers = request.headers.filter(([name]) => !/^(host|connection|content-length)$/i.test(name))
  return { ...request, headers }
}

/** Returns the server that made an error: its own name, or a note on its HTML page; undefined where neither shows. */
function serverOf(response: WireResponse): string | undefined {
  if (response.status < 400) return undefined
  const server = header(response, 'server')
  if (server !== undefined && server.trim() !== '') return server.trim()
  const isPage = /html/i.test(header(response, 'content-type') ?? '') || /^\s*<(!doctype|html)/i.test(response.body)
  return isPage ? 'a web server, as its HTML page shows' : undefined
}

/**
 * After this many looks without a difference between connections, further looks are shorter: they will hardly find one.
 */
const ENOUGH = 3
const SHORT_LOOK = 4
const alike = new WeakMap<Session, number>()

/** A check of a token that did not hold. */
interface MissedCheck {
  expectation: Expectation
  result: StepResult
  exchange: Exchange
  token: Token
}

/**
 * Tries a token again on several new connections after a missed check, to see whether the connection decides. Mixed
 * answers break ACCESS-2, and block specs of other requirements, unless all connections accept a fresh token. An answer that only a
 * kept connection gives is described as such.
 * @returns the result to use in place of the first
 */
async function secondLook(
  talk: SpecTalk,
  step: SendStep,
  { expectation, result, exchange, token }: MissedCheck,
): Promise<StepResult> {
  const { session, answers, dialect } = talk.context
  const { request } = exchange
  const isAcceptance = expectation === 'accepted'
  const isRefusal = expectation === 'rejected' || expectation === 'expired'
  if (!(isAcceptance || isRefusal) || !isSafe(request.method) || request.omitHost) return result
  const kind = answers.of(request)
  // Another kind of answer, such as an error, is not about tokens.
  if (!(isAcceptance ? kind.rejects(exchange) : kind.accepts(exchange))) return result
  const isShort = (alike.get(session) ?? 0) >= ENOUGH
  const again = sentAnew(request)
  // On its own connections: a spec that waits for others while it holds some could wait for ever.
  const looking: Looking = {
    onNew: look => talk.exchange(look, { isNew: true }),
    onOne: look => talk.exchange(look),
  }
  const use = (look: Exchange) => {
    const isAccepted = kind.accepts(look)
    token.used(look, isAccepted)
    if (isAccepted) token.accepted()
  }
  const looks = await lookForBackEnds(looking, again, kind, isShort ? SHORT_LOOK : undefined)
  looks.exchanges.forEach(use)
  const { backEnds, accepted, of } = looks
  if (backEnds?.by === 'connection' && (await isSharedWhenFresh(talk, looking))) {
    const { dead: _, ...rest } = result
    return {
      ...rest,
      got: `${summary(exchange)}; accepted on ${accepted} of ${count(of, 'connection')}, and a fresh token on all`,
    }
  }
  if (backEnds) {
    dialect.backEnds ??= backEnds
    const got = `${summary(exchange)}; ${backEndsInWords(backEnds)}`
    const isItsMatter = isAcceptance && testsOpening(talk.spec)
    const { dead: _, ...rest } = result
    return { ...rest, outcome: isItsMatter ? 'miss' : 'unreachable', got }
  }
  alike.set(session, (alike.get(session) ?? 0) + 1)
  if (isAcceptance && accepted === 0 && dialect.warmUp) {
    // On a Core whose tokens need time, a fresh token is most likely not alive yet, rather than dead.
    const onNew = async () => {
      const look = await looking.onNew(again)
      use(look)
      return look
    }
    const warm = await untilAccepted(talk.context, onNew, look => kind.accepts(look))
    if (warm) {
      const { dead: _, ...rest } = result
      const afterMs = warm.exchange.sentAt - token.issued.receivedAt
      const got = `${result.got ?? summary(exchange)}; it was accepted only ${duration(afterMs)} after its logon`
      return { ...rest, got }
    }
  }
  if (!of || accepted === (isAcceptance ? 0 : of)) return result
  // One refusal in a long series may be anything. A second one is how this Core counts.
  const refusedLater = async () => {
    for (let uses = 1; uses <= step.times && step.times > 1; uses++) {
      const look = await looking.onOne(again)
      use(look)
      if (kind.rejects(look)) return uses
    }
    return undefined
  }
  const same = step.connection === 'kept' ? await looking.onOne(again) : undefined
  if (same) use(same)
  const isStill = same && (isAcceptance ? kind.rejects(same) : kind.accepts(same))
  const told = isStill
    ? history(isAcceptance, of)
    : `sent again, the same request was ${isAcceptance ? 'accepted' : 'rejected'}`
  // A token that is accepted elsewhere, or later, is not dead. The broken requirement is that a valid token opens the
  // API.
  const { dead: _, ...rest } = result
  const later = isAcceptance && !isStill && step.tests.every(id => id === OPENS) ? await refusedLater() : undefined
  const outcome = isAcceptance && later === undefined && !testsOpening(talk.spec) ? 'unreachable' : rest.outcome
  const then = later === undefined ? '' : `, and rejected once more ${count(later, 'use')} later`
  return { ...rest, outcome, got: `${result.got ?? summary(exchange)}; ${told}${then}` }
}

/** Whether a fresh token is accepted on every connection: then back ends share their tokens, and differ in what became of another. */
async function isSharedWhenFresh(talk: SpecTalk, looking: Looking): Promise<boolean> {
  const fresh = await logOn(talk)
  if (!fresh) return false
  const { probe } = talk.context.answers
  const looks = await lookForBackEnds(looking, probeWith(talk.context.parts, fresh.value), probe)
  for (const look of looks.exchanges) fresh.used(look, probe.accepts(look))
  return looks.of >= ALIKE && looks.accepted === looks.of
}

/** Whether a spec tests only that a valid token opens the API. */
function testsOpening({ requirements }: Spec): boolean {
  return requirements.every(({ id }) => id === OPENS)
}

/** Says that the answer depends on the history of the connection, and how to see it again. */
function history(isAcceptance: boolean, connections: number): string {
  const there = isAcceptance ? 'accepted' : 'rejected'
  return `only on a connection that was used before: on ${connections} new ones the same request is ${there}. To repeat it, send the steps up to this one on one connection that stays open`
}
