import type { Dialect } from '../result.js'
import { AnswerBook, Answers, alike, answerOf } from './answers.js'
import { type Candidate, candidates } from './candidates.js'
import { type Exchange, isCut, summary, type WireRequest, type WireResponse } from './exchange.js'
import { isRevocation, type Session, withToken } from './session.js'
import { alphabetOf, neverIssued, type Token } from './token.js'
import { KeptConnection } from './transport.js'
import { type Untestable, whyNoToken } from './untestable.js'

/** How many strings of a logon response are tried as the token. */
const MAX_TRIED = 8

/** A request that specs judge, beside the probe: the first of these at which the Core tells tokens apart stands for it. */
export interface Endpoint {
  /** How the suite calls it. */
  name: string
  /** Without a token; alike but for the path. */
  requests: WireRequest[]
}

/** What the survey is told. */
export interface SurveyOptions {
  session: Session
  /** The authenticated GET, without a token. */
  probe: WireRequest
  logon: WireRequest
  endpoints: Endpoint[]
  accessControl: 'on' | 'off'
  /** A field name or JSON Pointer that the user gave; undefined: found out. */
  tokenField: string | undefined
  /** Whether a selected spec speaks HTTP/1.0. */
  needsHttp10: boolean
}

/** What the survey found. */
export interface Survey {
  dialect: Dialect
  /** Undefined when the target cannot be tested; then `untestable` says why. */
  answers: AnswerBook | undefined
  /** For each endpoint, by its name, the path that stands for it. */
  paths: ReadonlyMap<string, string>
  untestable: Untestable | undefined
  /** Whether it is because the answer to the logon was a success that did not come whole. */
  isCut?: boolean
  /** Whether another try, on one connection, might find more. */
  retry?: boolean
  exchanges: Exchange[]
}

/** What is written of a Core that could not be surveyed. */
export const UNKNOWN_DIALECT: Dialect = {
  token: null,
  logonStatus: null,
  acceptedStatus: null,
  rejectedStatus: null,
  unknownTokenStatus: null,
  http10: null,
  sessions: null,
  lifetime: null,
}

/** What stands for the answers of a Core that could not be surveyed. */
export const UNKNOWN_ANSWERS = new AnswerBook(new Answers({ status: 200, body: '' }, []))

/**
 * Finds out how this Core says what the reference leaves open, with a few exchanges: where the token stands, and what
 * accepted and rejected look like. It judges nothing; a Core that accepts every token is a matter for the specs.
 */
export async function survey(options: SurveyOptions): Promise<Survey> {
  const found = await new Surveyor(options).run()
  if (!found.retry) return found
  // A token that is good on its own connection only is wrong, but still a token: the specs are to find that out.
  const kept = new KeptConnection()
  const again = await new Surveyor(options, kept).run().finally(() => kept.close())
  const exchanges = [...found.exchanges, ...again.exchanges]
  return again.answers ? { ...again, exchanges } : { ...found, exchanges }
}

/** A string that opens the API, and the exchange in which it did. */
interface Found {
  candidate: Candidate
  exchange: Exchange
  response: WireResponse
}

class Surveyor {
  private readonly exchanges: Exchange[] = []
  private readonly paths = new Map<string, string>()
  private readonly dialect: Dialect = { ...UNKNOWN_DIALECT }
  private refusal: Exchange | undefined

  constructor(
    private readonly options: SurveyOptions,
    private readonly kept?: KeptConnection,
  ) {}

  async run(): Promise<Survey> {
    const { session } = this.options
    const isOff = this.options.accessControl === 'off'
    const first = isOff ? await this.none() : await this.send(this.options.logon)
    if (first.error?.kind === 'connect' || first.error?.kind === 'tls') {
      return this.untestable(first.error.message, first.error.advice ?? '')
    }
    if (isOff) return this.open(first)

    const logon = first
    this.dialect.logonStatus = logon.response?.status ?? null
    const strings = this.strings(logon)
    const best = strings[0]
    if (!best) return this.noToken(logon)

    try {
      return await this.withStrings(strings, best, logon)
    } catch (error) {
      // Whatever ends the survey early, what it was issued is given back.
      if (!session.tokens.some(({ value }) => value === best.value))
        session.add(best.value, 'token of the survey', logon)
      await session.giveBack(session.tokens, this.exchanges)
      throw error
    }
  }

  /** The token is tried before anything that is refused: a Core may hold a refusal against whoever met it. */
  private async withStrings(strings: Candidate[], best: Candidate, logon: Exchange): Promise<Survey> {
    const { probe, session } = this.options
    const found = await this.identify(strings, best)
    if (!found) return this.noDifference(best, logon, strings.length > MAX_TRIED)

    const { candidate, exchange, response } = found
    const { value, pointer } = candidate
    session.tokenPointer = pointer
    this.dialect.token = { pointer, length: value.length, alphabet: alphabetOf(value) }
    this.dialect.acceptedStatus = response.status
    const token = session.add(value, 'token of the survey', logon)
    token.used(exchange, true)
    // What else the logon gave may be a secret too.
    if (logon.response) session.hideTokenLike(logon.response)
    const answers = new AnswerBook(toAnswers(response, []))
    if (this.options.needsHttp10) await this.tryHttp10(token, answers.probe)
    const [safe, others] = bySafety(this.options.endpoints)
    for (const endpoint of safe) await this.tryEndpoint(endpoint, token, answers)
    const second = await this.trySecondLogon(token, answers.probe)
    const none = await this.none()
    const unknown = await this.send(withToken(probe, neverIssued(value)))
    this.dialect.unknownTokenStatus = unknown.response?.status ?? null
    answers.probe = toAnswers(response, [none, unknown])
    const last = token.seenDead && second ? second : token
    for (const endpoint of others) await this.tryEndpoint(endpoint, last, answers)
    await session.giveBack(second ? [token, second] : [token], this.exchanges)
    return { dialect: this.dialect, answers, paths: this.paths, untestable: undefined, exchanges: this.exchanges }
  }

  /** With access control off there is no token to look for: accepted is what a request without one gets. */
  private open(none: Exchange): Survey {
    const { response } = none
    this.dialect.acceptedStatus = response?.status ?? null
    this.dialect.rejectedStatus = null
    const isOpen = response !== undefined && response.status >= 200 && response.status < 300
    const accepted = isOpen ? answerOf(response) : { status: 200, body: '' }
    const answers = new AnswerBook(new Answers(accepted, []))
    return { dialect: this.dialect, answers, paths: this.paths, untestable: undefined, exchanges: this.exchanges }
  }

  /** The strings of the logon response that may be the token, likeliest first. */
  private strings(logon: Exchange): Candidate[] {
    const { response } = logon
    if (!response || response.status >= 300) return []
    const { tokenField } = this.options
    return candidates(response).filter(({ pointer }) => tokenField === undefined || isNamed(pointer, tokenField))
  }

  /** The probe without a token, once. */
  private async none(): Promise<Exchange> {
    this.refusal ??= await this.send(this.options.probe)
    this.dialect.rejectedStatus = this.refusal.response?.status ?? null
    return this.refusal
  }

  /**
   * The string that opens the API: with it, the probe is answered otherwise than without a token. A success decides at once;
   * else the likeliest that is answered otherwise than a made-up one, too, is it.
   */
  private async identify(strings: Candidate[], best: Candidate): Promise<Found | undefined> {
    const differs = (response: WireResponse, from: Exchange) =>
      !from.response || !alike(answerOf(from.response), answerOf(response))
    const tried: Found[] = []
    for (const candidate of strings.slice(0, MAX_TRIED)) {
      const exchange = await this.send(withToken(this.options.probe, candidate.value))
      const { response } = exchange
      if (!response || response.status >= 500) continue
      const found = { candidate, exchange, response }
      if (response.status < 300) {
        const none = await this.none()
        // On a Core that is open no string can make a difference: the likeliest name is taken.
        const isOpen = none.response !== undefined && none.response.status < 300
        if (isOpen || differs(response, none)) return found
      }
      tried.push(found)
    }
    const none = await this.none()
    const unknown = await this.send(withToken(this.options.probe, neverIssued(best.value)))
    return tried.find(({ response }) => differs(response, none) && differs(response, unknown))
  }

  private async tryHttp10(token: Token, answers: Answers): Promise<void> {
    const exchange = await this.send({ ...withToken(this.options.probe, token.value), httpVersion: '1.0' })
    this.dialect.http10 = exchange.response !== undefined && answers.accepts(exchange.response)
  }

  /** Finds the first path of an endpoint at which tokens are told apart; where there is none, the first stands for it. */
  private async tryEndpoint({ name, requests }: Endpoint, token: Token, book: AnswerBook): Promise<void> {
    for (const request of requests) {
      const early = isSafe(request) ? undefined : await this.refused(request, token)
      const fresh = await this.send(withToken(request, token.value))
      if (request.method === 'DELETE' && isRevocation(fresh)) token.givenBack = true
      if (!fresh.response) continue
      const answers = toAnswers(fresh.response, early ?? (await this.refused(request, token)))
      if (answers.tells || !this.paths.has(name)) {
        book.note(request, answers)
        this.paths.set(name, request.path)
      }
      if (answers.tells) return
    }
  }

  private async refused(request: WireRequest, token: Token): Promise<Exchange[]> {
    const none = await this.send(request)
    return isSafe(request) ? [none] : [none, await this.send(withToken(request, neverIssued(token.value)))]
  }

  /** Finds out whether a user may hold two tokens: it decides what can run side by side. */
  private async trySecondLogon(token: Token, answers: Answers): Promise<Token | undefined> {
    const { session, probe } = this.options
    const logon = await this.send(this.options.logon)
    const second = session.take(logon, 'second token of the survey')
    if (second) {
      const again = await this.send(withToken(probe, token.value))
      const lives = again.response !== undefined && answers.accepts(again.response)
      token.seenDead = again.response !== undefined && answers.rejects(again.response)
      if (second.value === token.value) this.dialect.sessions = 'same'
      else if (lives || token.seenDead) this.dialect.sessions = lives ? 'many' : 'newest'
    }
    return second
  }

  private noToken(logon: Exchange): Survey {
    this.options.session.noteLost(logon)
    const { reason, advice } = whyNoToken(logon, this.options.tokenField)
    return { ...this.untestable(reason, advice), isCut: isCut(logon) }
  }

  /** None of the strings opens the API; the likeliest is given back all the same, so that nothing stays behind. */
  private async noDifference(best: Candidate, logon: Exchange, isCrowded: boolean): Promise<Survey> {
    const none = await this.none()
    const token = this.options.session.add(best.value, 'token of the survey', logon)
    await this.options.session.giveBack([token], this.exchanges)
    const reason = `with the token of the logon, ${this.options.probe.path} answers as without one (${summary(none)})`
    const advice =
      'if the user may not read that path, name one that it may with --probe-path; if the token stands elsewhere, name its field with --token-field'
    return { ...this.untestable(reason, advice), retry: this.kept === undefined && !isCrowded }
  }

  private untestable(reason: string, advice: string): Survey {
    const { dialect, paths, exchanges } = this
    return { dialect, answers: undefined, paths, untestable: { reason, advice }, exchanges }
  }

  private async send(request: WireRequest): Promise<Exchange> {
    const exchange = await this.options.session.exchange(request, this.kept)
    this.exchanges.push(exchange)
    return exchange
  }
}

/** Whether a place in a response is the one that the user named, by pointer, field or header. */
function isNamed(pointer: string, name: string): boolean {
  return [name, `header:${name.toLowerCase()}`].includes(pointer) || pointer.endsWith(`/${name}`)
}

/** Whether a request changes nothing, by its method (RFC 9110 9.2.1). */
function isSafe({ method }: WireRequest): boolean {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method)
}

/** Endpoints that change nothing, and the others. */
function bySafety(endpoints: Endpoint[]): [safe: Endpoint[], others: Endpoint[]] {
  const safe = endpoints.filter(({ requests }) => requests.every(isSafe))
  return [safe, endpoints.filter(endpoint => !safe.includes(endpoint))]
}

function toAnswers(accepted: WireResponse, refused: Exchange[]): Answers {
  return new Answers(
    answerOf(accepted),
    refused.flatMap(({ response }) => (response ? [answerOf(response)] : [])),
  )
}
