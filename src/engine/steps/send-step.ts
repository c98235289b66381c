/** Runs a step that sends a request and judges the answer. */
import { stringAt } from '../../core/candidates.js'
import { type Exchange, summary, type WireRequest } from '../../core/exchange.js'
import { NotSent, withToken } from '../../core/session.js'
import type { Token } from '../../core/token.js'
import { count } from '../../ground/count.js'
import type { SendStep } from '../../suite/spec.js'
import { ENDED_TOKENS } from '../../suite/step-words.js'
import { factsOf } from '../facts.js'
import { NO_HASTE } from '../phases/quiet.js'
import { Interrupted } from '../schedule.js'
import { combine, OK, observedResult, type StepResult } from '../step-result.js'
import { deadAtBirth, lookAgain, otherwiseLetIn } from './after-miss.js'
import { Branches } from './branches.js'
import { EachRun } from './each.js'
import type { EachTools } from './each-tools.js'
import { endedTokens } from './ended-tokens.js'
import { check } from './expectations.js'
import { logonStep } from './logon-step.js'
import { sendOnce, unsettledResult, untestedResult } from './on-the-wire.js'
import type { SpecTalk } from './spec-talk.js'
import { note, noteEarlier } from './token-notes.js'

/** Sends the request as often as the step says, while the answers are as expected. @throws NotSent; Interrupted */
export async function sendStep(talk: SpecTalk, step: SendStep): Promise<StepResult> {
  if (step.each) {
    const result = await sendEach(talk, step)
    return deadAtBirth(talk, step, result, plainToken(talk, step))
  }
  if (step.token?.name === ENDED_TOKENS) return toEnded(talk, step)
  let result = await send(talk, step)
  let sent = 1
  for (; sent < step.times && result.outcome === 'ok'; sent++) result = await send(talk, step)
  return result.outcome === 'ok' || step.times === 1
    ? result
    : { ...result, got: `${result.got}, at request ${sent} of ${step.times}` }
}

/** Sends the request with each token that the run revoked, while the answers are as expected. */
async function toEnded(talk: SpecTalk, step: SendStep): Promise<StepResult> {
  const all = endedTokens(talk.context)
  // A look at one of its own would be use of it, which its waits count from.
  const others = all.filter(token => ![...talk.named.values()].includes(token))
  const tokens = others.length > 0 ? others : all
  let result: StepResult = { ...OK, expected: 'rejected', got: `${count(tokens.length, 'token')} that the run revoked` }
  for (const token of tokens) {
    talk.name(ENDED_TOKENS, token)
    const each = await send(talk, step)
    const how = token.revocation?.variation
    const whose = `${token.label} of an earlier logon, which was revoked${how === undefined ? '' : ` (${how})`}`
    if (each.outcome !== 'ok') return { ...each, got: `${each.got}, with ${whose}` }
    result = { ...each, got: `${each.got}, with each of ${count(tokens.length, 'token')}` }
  }
  return result
}

/** Returns the token that a step carries as it was issued; undefined where it has none, or a changed one. */
function plainToken({ named }: SpecTalk, { token }: SendStep): Token | undefined {
  return token && !token.change ? named.get(token.name) : undefined
}

async function send(talk: SpecTalk, step: SendStep): Promise<StepResult> {
  const value = step.token && talk.valueOf(step.token)
  const token = plainToken(talk, step)
  if (step.isVerified) return verified(talk, step, value, token)
  const request = talk.request(step)
  const whole = value === undefined ? request : withToken(request, value)
  const { result, results, exchange } = await sendAs(talk, step, whole, token)
  if (result) return { ...result, telling: [exchange] }
  if (!(await otherwiseLetIn(talk, step, results, exchange, token))) {
    await lookAgain(talk, step, results, exchange, token)
    for (const [at, each] of results.entries()) results[at] = await deadAtBirth(talk, step, each, token)
  }
  const combined = { ...(combine(results) ?? observedResult(step, exchange)), telling: [exchange] }
  if (exchange.response) refuseAssumed(step, combined)
  return combined.outcome === 'ok' ? (save(talk, step, exchange) ?? combined) : combined
}

/** Has the request made and judged by the verifier of the run. It counts, and is repeated, as that of any step. */
async function verified(
  talk: SpecTalk,
  step: SendStep,
  value: string | undefined,
  token: Token | undefined,
): Promise<StepResult> {
  const { verify, session, parts } = talk.context
  if (!verify) throw new Error(`nobody verifies the step of ${talk.spec.id}`)
  const telling: Exchange[] = []
  let unjudged: StepResult | undefined
  const send = async (request: WireRequest) => {
    const { result, exchange } = await sendAs(talk, step, request, token)
    unjudged ??= result
    telling.push(exchange)
    return exchange
  }
  // The verifier may be busy with another spec, which needs connections too.
  talk.lease.give()
  const redact = (text: string) => session.text(text)
  const judged = await verify(talk.spec, { value, token, variables: parts.variables, send, redact })
  if (session.isEnding) throw new Interrupted()
  return { ...(judged.outcome === 'miss' ? (unjudged ?? judged) : judged), telling }
}

/** Skips the spec where this Core does not take a request that the step assumes it to. @throws NotSent */
function refuseAssumed({ isAssumed }: SendStep, { outcome, got }: StepResult): void {
  if (isAssumed && outcome === 'miss') throw new NotSent(`this Core does not take such a request, and need not: ${got}`)
}

/** A value that can be saved: it can stand in a header, and has the length of an id. */
const SAVABLE = /^[ -~]{1,8192}$/

/**
 * Saves values of the response that the step names.
 * @returns the result that blocks the spec where that fails; else undefined
 */
function save({ saved, context }: SpecTalk, step: SendStep, exchange: Exchange): StepResult | undefined {
  for (const { name, at, isSecret } of step.save ?? []) {
    const value =
      exchange.response &&
      stringAt(
        exchange.response,
        at.replace(/^header:.*/, each => each.toLowerCase()),
      )
    const expected = `a value at ${at}, to be used as {${name}}`
    if (value === undefined)
      return { outcome: 'unreachable', expected, got: `${summary(exchange)}, without a text or a number at ${at}` }
    if (isSecret) context.session.hide(value, `saved ${name}`)
    if (!SAVABLE.test(value)) {
      const got = `${summary(exchange)}, with a value at ${at} that is not 1 to 8192 characters of printable ASCII`
      return { outcome: 'unreachable', expected, got }
    }
    saved.set(name, value)
  }
  return undefined
}

/** Sends a step once for each variation of its family. */
async function sendEach(talk: SpecTalk, step: SendStep): Promise<StepResult> {
  const branches = new Branches(talk)
  const each = new EachRun(step, toolsOn(talk, talk.request(step), branches))
  const result = await each.run().finally(() => branches.end())
  if (!step.expect.includes('revoked') && !step.expect.includes('issued')) refuseAssumed(step, result)
  if (step.observe !== undefined) talk.facts[`${step.observe}.accepted`] = each.accepted.join(', ') || 'none'
  return result
}

/** Returns the tools for a step over a family. @param own the request of the step */
function toolsOn(talk: SpecTalk, own: WireRequest, branches: Branches): EachTools {
  const { context, spec, named, issued, exchanges } = talk
  return {
    context,
    spec,
    named,
    issued,
    exchanges,
    textOf: token => talk.valueOf(token),
    put: async (one, request, token) => {
      const { result, results, exchange } = await sendAs(talk, one, request, token, own)
      return { result: result ?? combine(results) ?? OK, exchange }
    },
    beside: work => branches.run(branch => work(toolsOn(branch, own, branches))),
    wait: beside => branches.wait(beside),
    exchange: (request, options) => talk.exchange(request, options),
    keepAlive: async () => talk.keepAlive?.(),
    logOn: token => logonStep(talk, { action: 'logon', token, http: '1.1', tests: [] }, 'control'),
    // A token that was issued before belongs to whoever got it first.
    giveBack: async token => {
      const isOthers = context.session.tokens.some(each => each !== token && each.isLive && each.value === token.value)
      if (!isOthers) await context.session.giveBack([token], exchanges, talk.lease)
    },
    spreadUntilMs: talk.startMs + context.lifetime.lifetimeMs,
    rest: ms => rest(talk, ms),
    lookAgain: async (one, result, exchange, token) => {
      const results = [result]
      await lookAgain(talk, one, results, exchange, token)
      return results[0] ?? result
    },
  }
}

/** Lets time pass, in which other specs have the connections and the Core. */
async function rest({ context: { schedule }, lease, hooks, spec }: SpecTalk, ms: number): Promise<void> {
  hooks.gate?.leave()
  // Where others can do without, so that what came on its connection counts for further requests.
  lease.rest(ms)
  await schedule.until(schedule.now() + ms, { spec: spec.id, what: 'between refused logons', isBeside: true })
  await hooks.gate?.enter('stirs', NO_HASTE)
}

/**
 * Sends a request of a step, and judges it.
 * @param own the request of the step, where this is a variation of it
 * @returns `result` where the exchange decides nothing, else the results of the expectations
 */
export async function sendAs(
  talk: SpecTalk,
  step: SendStep,
  whole: WireRequest,
  token: Token | undefined,
  own?: WireRequest,
): Promise<{ result?: StepResult | undefined; results: StepResult[]; exchange: Exchange }> {
  const exchange = await sendOnce(talk, whole, step, token)
  // Checked without expectations too: later steps would be judged as if this one had happened.
  const unjudged = (await untestedResult(talk, exchange)) ?? unsettledResult(talk, exchange, step, token)
  if (token) noteEarlier(talk, token, exchange)
  const results: StepResult[] = []
  for (const expectation of unjudged ? [] : step.expect)
    results.push(await check(talk, expectation, exchange, token, own))
  note(talk, step, exchange, token, own)
  if (step.observe !== undefined && !own)
    Object.assign(talk.facts, factsOf(step.observe, exchange, isRefused(talk, step, exchange, results)))
  // The variation may be the reason why a logon is refused.
  const isLimit = !own && !step.isChunked && (await isLimited(talk, exchange))
  const limited: StepResult | undefined = isLimit
    ? { outcome: 'limited', room: talk.context.session.live, expected: 'a token is issued', got: summary(exchange) }
    : undefined
  return { result: limited ?? unjudged, results, exchange }
}

/** Whether an answer is a refusal, whatever its status: a logon that issued no token, or a body that this Core refuses with. */
function isRefused(talk: SpecTalk, step: SendStep, exchange: Exchange, results: readonly StepResult[]): boolean {
  const { response, request } = exchange
  if (!response) return false
  if (step.expect.includes('nothing issued')) return results.every(({ outcome }) => outcome === 'ok')
  if (talk.mayActAs('logon', exchange, step))
    return !talk.issued.some(({ issued }) => issued.sentAt === exchange.sentAt)
  return talk.context.answers.of(request).rejects(exchange)
}

/** Whether a right logon gave no token while the run holds tokens, as a limit of tokens causes: then another one gets none, either. */
async function isLimited(talk: SpecTalk, exchange: Exchange): Promise<boolean> {
  const { session } = talk.context
  if (!exchange.response || !session.isRightLogon(exchange.request) || session.live === 0) return false
  if (talk.issued.some(token => token.issued.sentAt === exchange.sentAt)) return false
  const again = await talk.exchange(talk.inRole('logon'), { isNew: true, isUnwaited: true })
  return !talk.take(again, 'token to see whether there is room')
}
