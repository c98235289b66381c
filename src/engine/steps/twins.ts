/** Sends the twin of a variation: the same request with a good token, without any, or with Host. It tells what an answer shows. */
import { alike, answerOf } from '../../core/answers.js'
import type { Exchange, WireRequest } from '../../core/exchange.js'
import { withToken } from '../../core/give-back.js'
import { neverIssued, type Token } from '../../core/token.js'
import { requestOf } from '../../suite/roles.js'
import type { SendStep } from '../../suite/spec.js'
import type { Expectation } from '../../suite/step-words.js'
import { gotThrough } from '../got-through.js'
import { type OtherReason, otherReason, withOther } from '../let-in.js'
import { type Ready, Variations } from '../variations.js'
import { isCarrier, isSilent } from './row-values.js'

/**
 * Statuses of a request that is refused before its meaning is looked at: its target is too long (RFC 9110 15.5.15), or its
 * headers are (RFC 6585 5).
 */
const NOT_TAKEN: ReadonlySet<number> = new Set([414, 431])
/** The fields that only a request with a body, or with a token, has. */
const LEFT_OUT = /^(authorization|content-.*|transfer-encoding)$/i

/** HOST-1: the answer to a request without Host. */
const WITHOUT_HOST = 406

/** What a step expects of a request because of its token. */
const OF_TOKEN: ReadonlySet<Expectation> = new Set<Expectation>(['rejected', 'expired', 'not accepted'])

/** Sends the twins of a step's variations. */
export class Twins {
  constructor(
    private readonly variations: Variations,
    private readonly talk = variations.talk,
  ) {}

  private get step(): SendStep {
    return this.variations.step
  }

  /**
   * Finds the reason why a row gets through, where that is not what stands in the place of its token: a made-up token in the same
   * place gets through as well, or none.
   */
  async openWithout(ready: Ready): Promise<'no token' | 'made-up token' | undefined> {
    const { talk, variations } = this
    for await (const [why, look] of this.twinsWithout(ready))
      if (gotThrough(look, variations.own, talk.context)) return why
    return undefined
  }

  /** Sends a row with a made-up token in the place of its own, where it holds one in plain text, and then without any. */
  private async *twinsWithout({
    request,
    values,
    name,
  }: Ready): AsyncGenerator<['no token' | 'made-up token', Exchange]> {
    const { talk, variations, step } = this
    const value = talk.named.get(step.token?.name ?? '')?.value
    // A made-up token has no cookies, and no name and password.
    const listed = values.filter(each => each.made?.headers === undefined)
    const carrying = listed.length < values.length ? variations.row(listed).request : request
    const other = value === undefined ? undefined : withOther(carrying, value, neverIssued(value))
    const sent = async (twin: WireRequest, what: string) => {
      const look = await talk.exchange(twin)
      look.variation = `${name}, ${what}`
      return look
    }
    if (other) yield ['made-up token', await sent(other, 'with a made-up token')]
    const without = variations.row(values.filter(each => !isCarrier(each))).request
    const headers = without.headers.filter(([header]) => header.toLowerCase() !== 'authorization')
    yield ['no token', await sent({ ...without, headers }, 'without a token')]
  }

  /**
   * Whether a success at another target, which alone says nothing, is owed to what stands in the place of a token: the same request is
   * refused without it, and with a made-up token there.
   */
  async isThroughByToken(ready: Ready, exchange: Exchange): Promise<boolean> {
    const { step, talk } = this
    const { response, error } = exchange
    const { probe } = talk.context.answers
    const carries = step.token !== undefined || ready.values.some(isCarrier)
    const isOpen = step.expect.some(expectation => OF_TOKEN.has(expectation)) && step.role === 'probe' && carries
    // Some Cores refuse by a success whose body says so.
    const isSuccess = !error && response !== undefined && response.status < 300 && !probe.rejects(exchange)
    if (!isOpen || !isSuccess || !probe.tells) return false
    for await (const [, look] of this.twinsWithout(ready)) if (!probe.rejects(look)) return false
    return true
  }

  /**
   * Finds the reason why a variation gets through, where the reason is not its token. Other specs judge such reasons.
   */
  async openFor(
    { request, name }: Ready,
    exchange: Exchange,
    token: Token,
  ): Promise<'no token' | OtherReason | undefined> {
    if (!this.step.expect.some(expectation => OF_TOKEN.has(expectation))) return undefined
    const { talk } = this
    const isThrough = (look: Exchange) => gotThrough(look, this.variations.own, talk.context)
    if (!isThrough(exchange)) return undefined
    const headers = request.headers.filter(([header]) => header.toLowerCase() !== 'authorization')
    const look = await talk.exchange({ ...request, headers })
    look.variation = `${name}, without a token`
    return isThrough(look) ? 'no token' : otherReason(talk, exchange, token, isThrough)
  }

  /** Whether the Core does not take a row without Host for another reason: with Host and a good token it is not accepted either. */
  async isNotTaken(ready: Ready): Promise<boolean> {
    return ready.request.omitHost && (await this.isTaken(ready)) === false
  }

  /** Whether the target or the headers of a request without Host are too long: a GET with Host and no token is answered, or closed on, alike. */
  async isTooLarge({ request, name }: Ready, { response, error }: Exchange): Promise<boolean> {
    const isNotTaken = response ? NOT_TAKEN.has(response.status) : error?.kind === 'closed'
    if (!request.omitHost || !isNotTaken) return false
    const { body: _, ...rest } = request
    // As long, and without a token and a body.
    const headers = request.headers.map(([header, value]): [string, string] =>
      LEFT_OUT.test(header) ? ['X-Filler', 'x'.repeat(header.length + value.length)] : [header, value],
    )
    const look = await this.talk.exchange({ ...rest, method: 'GET', headers, omitHost: false })
    look.variation = `${name}, as a GET with Host`
    return look.response?.status === response?.status && (response !== undefined || look.error?.kind === 'closed')
  }

  /**
   * Whether a good request was refused as if its credentials, or its token, were wrong, or as if it had no Host, for nothing that asks for
   * anything: a use of a good token departs by the same, and is accepted.
   */
  async isMistaken({ values }: Ready, { request, response }: Exchange): Promise<boolean> {
    const { talk, step } = this
    const { answers, parts } = talk.context
    const { bracket: name = '' } = step
    const token = talk.named.get(name)
    if (!response || !token || !values.every(isSilent)) return false
    const answer = answerOf(response)
    const isOwn = answers.of(request).refusals.some(each => alike(each, answer))
    if (!isOwn && response.status !== WITHOUT_HOST) return false
    const probe = requestOf(parts.requests, 'probe')
    const use: SendStep = { ...step, request: probe, role: 'probe', token: { name }, expect: [] }
    const twin = new Variations(use, talk).row(values)
    const look = await talk.exchange(twin.request)
    look.variation = `${twin.name}, in a use of token ${name}`
    const isTaken = answers.probe.accepts(look)
    token.used(look, isTaken)
    return isTaken
  }

  /** Whether the same variation is accepted with a good token, and Host; undefined where the step has no good token. */
  async isTaken({ request, name, values }: Ready): Promise<boolean | undefined> {
    const { talk, step, variations } = this
    const isRow = step.each?.dimensions !== undefined
    const token = talk.named.get(step.bracket ?? (request.omitHost ? (step.token?.name ?? '') : ''))
    if (!token) return undefined
    const good = isRow ? variations.row(values.filter(value => !isCarrier(value))).request : request
    const headers = isRow ? good.headers.filter(([header]) => header.toLowerCase() !== 'authorization') : good.headers
    const exchange = await talk.exchange(withToken({ ...good, headers, omitHost: false }, token.value))
    exchange.variation = `${name}, with token ${step.bracket ?? step.token?.name}`
    const isTaken = gotThrough(exchange, variations.own, talk.context)
    token.used(exchange, isTaken)
    return isTaken
  }
}
