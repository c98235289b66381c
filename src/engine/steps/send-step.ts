/** Runs a step that sends a request and judges the answer. */
import { stringAt } from '../../core/candidates.js'
import { type Exchange, summary, type WireRequest } from '../../core/exchange.js'
import { withToken } from '../../core/give-back.js'
import { NotSent } from '../../core/not-sent.js'
import type { Token } from '../../core/token.js'
import { count } from '../../ground/count.js'
import type { SendStep } from '../../suite/spec.js'
import { RUN_TOKENS } from '../../suite/step-words.js'
import { Interrupted } from '../schedule.js'
import { combine, OK, observedResult, type StepResult } from '../step-result.js'
import { deadAtBirth, lookAgain, otherwiseLetIn } from './after-miss.js'
import { EachRun } from './each.js'
import { tokensOfRun } from './run-tokens.js'
import { sendAs } from './send-as.js'
import type { SpecTalk } from './spec-talk.js'

/** Sends the request as often as the step says, while the answers are as expected. @throws NotSent; Interrupted */
export async function sendStep(talk: SpecTalk, step: SendStep): Promise<StepResult> {
  if (step.each) {
    const result = await sendEach(talk, step)
    return deadAtBirth(talk, step, result, plainToken(talk, step))
  }
  const ofRun = step.token && RUN_TOKENS.get(step.token.name)
  if (step.token && ofRun) return toEach(talk, step, step.token.name, ofRun)
  let result = await send(talk, step)
  let sent = 1
  for (; sent < step.times && result.outcome === 'ok'; sent++) {
    if (talk.context.session.isEnding) throw new Interrupted()
    result = await send(talk, step)
  }
  return result.outcome === 'ok' || step.times === 1
    ? result
    : { ...result, got: `${result.got}, at request ${sent} of ${step.times}` }
}

/** Sends the request with each of these tokens of the run, while the answers are as expected. @param what they are */
async function toEach(talk: SpecTalk, step: SendStep, name: string, what: string): Promise<StepResult> {
  const all = tokensOfRun(name, talk.context)
  // A look at one of its own would be use of it, which its waits count from.
  const own = [...talk.named].filter(([named]) => named !== name).map(([, token]) => token)
  const others = all.filter(token => !own.includes(token))
  const tokens = others.length > 0 ? others : all
  let result: StepResult = { ...OK, expected: 'rejected', got: `nothing was left to look at of ${what}` }
  for (const token of tokens) {
    talk.name(name, token)
    // Where it is accepted, nothing is left of that. A form of many values is told by its first.
    const how = token.revocation?.variation?.replace(/^(.{60}.*?,).*$/, '$1 …')
    const each = await send(talk, step)
    const ended = name === 'expired' ? 'had expired' : 'was revoked'
    const whose = `${token.label} of an earlier logon, which ${ended}${how === undefined ? '' : ` (${how})`}`
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
  const isUnexpected = result !== undefined || results.some(({ outcome }) => outcome !== 'ok')
  const form = step.isChunked
    ? 'a body in chunks'
    : step.isBodyLate
      ? 'a body that comes later than its head'
      : step.isAssumed && 'such a request'
  if (isUnexpected && form && exchange.error?.kind === 'closed')
    throw new NotSent(`this Core does not take ${form}, and need not: ${summary(exchange)}`)
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
  const each = new EachRun(step, talk)
  const result = await each.run()
  if (!step.expect.includes('revoked') && !step.expect.includes('issued')) refuseAssumed(step, result)
  if (step.observe !== undefined) talk.facts[`${step.observe}.accepted`] = each.accepted.join(', ') || 'none'
  return result
}
