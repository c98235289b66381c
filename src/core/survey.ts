/** Surveys a Core. Over 250 lines, since each step of the survey decides the next by the same findings. */
import type { Dialect } from '../result.js'
import { AnswerBook, Answers, alike, answerOf } from './answers.js'
import { lookForBackEnds } from './back-ends.js'
import { type Candidate, candidates, isTelling } from './candidates.js'
import { type Exchange, isCut, isDelivered, type WireRequest, type WireResponse } from './exchange.js'
import { withToken } from './give-back.js'
import { type FoundToken, identify, MAX_TRIED } from './identify.js'
import { KeptConnection } from './kept-connection.js'
import type { Session } from './session.js'
import { bySafety, type Endpoint, measureLatency, rounded, SurveyTalk, slowestMs, tryEndpoint } from './survey-talk.js'
import { alphabetOf, neverIssued, type Token } from './token.js'
import { isPlain } from './token-like.js'
import { noDifference, nothingTells, type Untestable, whyNoToken } from './untestable.js'
import { PAUSES_MS, warmUp } from './warm-up.js'

export type { Endpoint } from './survey-talk.js'

/** Settings of the survey. */
export interface SurveyOptions {
  session: Session
  /** The authenticated GET, without a token. */
  probe: WireRequest
  logon: WireRequest
  endpoints: Endpoint[]
  accessControl: 'on' | 'off'
  /** A field name or JSON Pointer from the user; undefined: the survey finds the token. */
  tokenField: string | undefined
  /** Signs of this Core's refusals as the user stated them; none: the survey finds them. */
  refused?: readonly string[]
  /** Whether a selected spec uses HTTP/1.0. */
  needsHttp10: boolean
}

/** Findings of the survey. */
export interface Survey {
  dialect: Dialect
  /** The answers of the Core; undefined where the target cannot be tested, and `untestable` says why. */
  answers: AnswerBook | undefined
  /** The path that stands for each endpoint, by the endpoint's name. */
  paths: ReadonlyMap<string, string>
  untestable: Untestable | undefined
  /** Whether the cause is a cut answer to the logon. */
  isCut?: boolean
  /** Whether the cause is that no logon was answered in time, though the Core answers other requests. */
  isUnanswered?: boolean
  /** Whether a second survey, on one connection, might find more. */
  retry?: boolean
  exchanges: Exchange[]
}

/** The dialect that a result states for a Core without a survey. */
export const UNKNOWN_DIALECT: Dialect = {
  token: null,
  logonStatus: null,
  acceptedStatus: null,
  rejectedStatus: null,
  unknownTokenStatus: null,
  refused: null,
  http10: null,
  sessions: null,
  lifetime: null,
  warmUp: null,
  backEnds: null,
  latency: null,
}

/**
 * Finds out, with a few exchanges, how this Core does what the reference leaves open: where the token stands, and what
 * acceptance and rejection look like. It judges nothing: specs judge a Core that accepts every token.
 */
export async function survey(options: SurveyOptions): Promise<Survey> {
  const found = await new Surveyor(options).run()
  if (!found.retry) return found
  const exchanges = [...found.exchanges]
  // A token that works only on its own connection is wrong, but is a token, and so is the next one where only some work. The specs are
  // to find that out.
  const kept = new KeptConnection()
  for (const on of [kept, undefined]) {
    const again = await new Surveyor(options, on).run().finally(() => kept.close())
    exchanges.push(...again.exchanges)
    if (again.answers) return { ...again, exchanges }
  }
  return { ...found, exchanges }
}

/** Pauses before the tries of a second logon, in milliseconds: one that is refused may be too many tokens, or too many logons for now. */
const SECOND_LOGON_MS = [0, 1000, 2000]
/** Tries to give a token back to a Core of several back ends: each try most likely meets another back end. */
const TRIES_AT_BACK_ENDS = Array.from({ length: 10 }, () => 0)

/**
 * Returns the pauses before further tries to give a token back to a Core of this dialect (see
 * `Session.giveBackPausesMs`).
 */
export function giveBackPausesMs({ backEnds, warmUp }: Dialect): readonly number[] {
  return backEnds ? TRIES_AT_BACK_ENDS : warmUp ? PAUSES_MS : [0]
}

class Surveyor {
  private readonly talk: SurveyTalk
  private readonly paths = new Map<string, string>()
  private readonly dialect: Dialect = { ...UNKNOWN_DIALECT }

  constructor(
    private readonly options: SurveyOptions,
    kept?: KeptConnection,
  ) {
    this.talk = new SurveyTalk(options.session, options.probe, kept)
  }

  async run(): Promise<Survey> {
    const { session } = this.options
    const isOff = this.options.accessControl === 'off'
    const first = isOff ? await this.none() : await this.talk.send(this.options.logon)
    if (first.error?.kind === 'connect' || first.error?.kind === 'tls') {
      return this.untestable({ reason: first.error.message, advice: first.error.advice ?? '' })
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
      // However the survey ends early, its token is given back.
      if (!session.tokens.some(({ value }) => value === best.value))
        session.add(best.value, 'token of the survey', logon)
      await session.giveBack(session.tokens, this.talk.exchanges)
      throw error
    }
  }

  /** Tries the token before any request that the Core refuses: a Core may hold a refusal against its client. */
  private async withStrings(strings: Candidate[], best: Candidate, logon: Exchange): Promise<Survey> {
    const { talk } = this
    const { session } = this.options
    const found = await identify(talk, strings, logon)
    if (!found && (logon.response?.status ?? 0) >= 300) return this.noToken(logon)
    if (!found) return this.noDifference(best, logon, strings.length > MAX_TRIED)

    const token = this.foundToken(found, logon)
    const { latency, looks } = await measureLatency(talk, token.value, logon)
    this.dialect.latency = latency
    const accepted = [found.exchange, ...looks]
    const none = await this.none()
    const answers = new AnswerBook(await this.learn(token, accepted, [[none]]))
    session.answers = answers
    const isSteady = (await this.isSteady(token, looks, answers.probe)) && this.dialect.backEnds === null
    const second = isSteady ? await this.askFurther(token, answers) : undefined
    const unknown = await this.unknown(token, none)
    answers.probe = await this.learn(token, accepted, [[none], [unknown]])
    const other = await this.withoutAccept(answers.probe, token)
    if (other) answers.probe = await this.learn(token, [...accepted, other.good], [[none], [unknown], other.refused])
    this.dialect.refused = [...answers.probe.signs]
    // A Core that serves the same without a token is open, and that is for the specs to judge.
    if (!answers.probe.tells && ![none, unknown].some(each => answers.probe.isOpenTo(each))) {
      await session.giveBack(second ? [token, second] : [token], talk.exchanges)
      return this.untestable(nothingTells(this.options.probe, found.exchange, none))
    }
    if (isSteady && this.dialect.backEnds === null) await this.askUnsafe(token, second, answers)
    await session.giveBack(second ? [token, second] : [token], talk.exchanges)
    this.dialect.latency = rounded({ ...latency, slowestMs: slowestMs(talk.exchanges) })
    return this.survey(answers)
  }

  /** Notes where the token stands, and how long it took to be accepted. */
  private foundToken({ candidate, exchange, response, warmUp }: FoundToken, logon: Exchange): Token {
    const { session } = this.options
    const { value, pointer } = candidate
    session.tokenPointer = pointer
    this.dialect.token = { pointer, length: value.length, alphabet: alphabetOf(value) }
    this.dialect.acceptedStatus = response.status
    this.dialect.warmUp = warmUp
    const token = session.add(value, 'token of the survey', logon)
    token.used(exchange, true)
    // Other strings of the logon, such as a refresh token, may be secret too.
    if (logon.response) session.hideTokenLike(logon.response)
    return token
  }

  /**
   * Learns how this Core refuses. A 4xx of its own needs no more than the requests that are sent anyway. Any other answer may be a
   * limit, a fault of the way, or what this Core answers to all: so each request without a good token is sent again, on a
   * kept connection, with good requests between, and one with a malformed token as well.
   * @param accepted answers to a good token; some may have been refused all the same
   * @param refused answers without a good token so far
   */
  private async learn(token: Token, accepted: readonly Exchange[], refused: Exchange[][]): Promise<Answers> {
    const { refused: stated = [] } = this.options
    const [first = [], ...others] = refused
    const good = accepted.filter(
      ({ response }, index) =>
        index === 0 ||
        (response?.status === accepted[0]?.response?.status && !first.some(none => isLike(none, response))),
    )
    const isPlain = refused.flat().every(exchange => {
      const { response, error } = exchange
      if (!isDelivered(exchange)) return true
      const status = response && !error ? response.status : 0
      const isOwn = status >= 400 && status < 500 && status !== 429 && status !== accepted[0]?.response?.status
      // What an open Core answers to all needs no second look either.
      return isOwn || accepted.some(each => each.response && response && isLike(each, response))
    })
    if (isPlain || stated.length > 0 || !first.length) return Answers.learn(good, refused, { stated })
    this.samples ??= await this.sample(token)
    const { none, unknown, malformed, between } = this.samples
    const [second = [], ...further] = others
    const groups = [[...first, ...none], [...second, ...unknown], malformed, ...further]
    return Answers.learn([...good, ...between], groups)
  }

  private samples: Awaited<ReturnType<Surveyor['sample']>> | undefined

  /** Sends the requests that this Core refuses in an odd way twice, on new and on kept connections. */
  private async sample(token: Token): Promise<Record<'none' | 'unknown' | 'malformed' | 'between', Exchange[]>> {
    const { talk } = this
    const kept = talk.kept ?? new KeptConnection()
    const made = neverIssued(token.value)
    const between = [await talk.use(token.value, kept)]
    const none = [await talk.send(this.options.probe, kept)]
    const unknown = [await talk.use(made), await talk.use(made, kept)]
    between.push(await talk.use(token.value, kept))
    const malformed = [await talk.use(MALFORMED), await talk.use(MALFORMED, kept)]
    if (kept !== talk.kept) kept.close()
    for (const look of between) token.used(look, look.response !== undefined)
    return { none, unknown, malformed, between }
  }

  /**
   * Sees how a request without Accept is refused. Servers that have a login page send it there, and give an error only to clients that
   * accept JSON.
   * @returns two such refusals, and the request with a good token between them; undefined where they are refused as others are, or where
   *   a good token is not accepted without Accept either
   */
  private async withoutAccept(
    probe: Answers,
    token: Token,
  ): Promise<{ refused: Exchange[]; good: Exchange } | undefined> {
    const { talk, options } = this
    const headers = options.probe.headers.filter(([name]) => name.toLowerCase() !== 'accept')
    const bare = { ...options.probe, headers }
    const first = await talk.send(bare)
    const isPage = first.response !== undefined && first.response.status < 400
    if (!probe.tells || !isPage || probe.kindOf(first) !== 'turned away') return undefined
    const good = await talk.send(withToken(bare, token.value))
    token.used(good, probe.accepts(good))
    return probe.accepts(good) ? { refused: [first, await talk.send(bare)], good } : undefined
  }

  /**
   * Sends the probe with a token that was never issued; once more where it is refused with another status than without a token, since a limit may
   * have answered.
   */
  private async unknown(token: Token, none: Exchange): Promise<Exchange> {
    const isAsNone = ({ response }: Exchange) => response?.status === none.response?.status
    const first = await this.talk.unknown(token.value)
    const again = isAsNone(first) ? first : await this.talk.unknown(token.value)
    const unknown = isAsNone(again) ? again : first
    this.dialect.unknownTokenStatus = unknown.response?.status ?? null
    return unknown
  }

  /** Sees whether all connections accept the token. */
  private async isSteady(token: Token, looks: readonly Exchange[], probe: Answers): Promise<boolean> {
    for (const look of looks) token.used(look, probe.accepts(look))
    const isRefused = looks.some(look => probe.rejects(look))
    // A token that was refused at first may have met another back end then.
    if ((isRefused || this.dialect.warmUp) && !this.talk.kept) await this.lookForBackEnds(token, probe)
    this.options.session.giveBackPausesMs = giveBackPausesMs(this.dialect)
    return !isRefused || this.dialect.backEnds === null
  }

  private async lookForBackEnds(token: Token, probe: Answers): Promise<void> {
    const { session } = this.options
    const kept = new KeptConnection()
    const looking = {
      onNew: (request: WireRequest) => session.exchange(request),
      onOne: (request: WireRequest) => session.exchange(request, kept),
    }
    const request = withToken(this.options.probe, token.value)
    const { backEnds, exchanges } = await lookForBackEnds(looking, request, probe).finally(() => kept.close())
    this.talk.exchanges.push(...exchanges)
    for (const look of exchanges) token.used(look, probe.accepts(look))
    if (!backEnds) return
    Object.assign(this.dialect, { backEnds, warmUp: null, sessions: null })
    session.giveBackPausesMs = giveBackPausesMs(this.dialect)
  }

  /**
   * Finds out what specs need to know besides: HTTP/1.0, other endpoints, and whether a user may hold several tokens.
   */
  private async askFurther(token: Token, answers: AnswerBook): Promise<Token | undefined> {
    if (this.options.needsHttp10) await this.tryHttp10(token, answers.probe)
    const [safe] = bySafety(this.options.endpoints)
    for (const endpoint of safe) await tryEndpoint(this.talk, endpoint, token, answers, this.paths)
    return this.trySecondLogon(token, answers.probe)
  }

  /** Tries the endpoints whose requests change something. They come last. */
  private async askUnsafe(token: Token, second: Token | undefined, answers: AnswerBook): Promise<void> {
    const { talk } = this
    const { session, endpoints } = this.options
    const [, others] = bySafety(endpoints)
    const last = token.seenDead && second ? second : token
    if (last !== token && this.dialect.warmUp && others.length)
      await warmUp({
        use: () => talk.use(last.value),
        isAccepted: exchange => answers.probe.accepts(exchange),
        pause: ms => session.pause(ms),
      })
    for (const endpoint of others) {
      await tryEndpoint(talk, endpoint, last, answers, this.paths)
      if (endpoint.requests.some(request => answers.of(request).tells)) continue
      // The token may have died before its request came, as where the requests before had to wait.
      if (!answers.probe.rejects(await talk.use(last.value))) continue
      last.rejected()
      const fresh = await this.secondLogon()
      if (!fresh) continue
      await tryEndpoint(talk, endpoint, fresh, answers, this.paths)
      await session.giveBack([fresh], talk.exchanges)
    }
  }

  /**
   * Surveys a Core without access control. There is no token to find: accepted is the answer to a request without one.
   */
  private open(none: Exchange): Survey {
    const { response } = none
    this.dialect.acceptedStatus = response?.status ?? null
    this.dialect.rejectedStatus = null
    const isOpen = response !== undefined && response.status >= 200 && response.status < 300
    const book = new AnswerBook(Answers.learn(isOpen ? [none] : [], [], { stated: this.options.refused ?? [] }))
    this.options.session.answers = book
    return this.survey(book)
  }

  /** Returns the strings of the logon response that may be the token, likeliest first. */
  private strings(logon: Exchange): Candidate[] {
    const { response } = logon
    if (!response) return []
    const { tokenField } = this.options
    if (response.status < 300 || tokenField !== undefined) return candidates(response, tokenField)
    // A status says nothing of a token, but the words of an error are none. There only a telling name counts, and in a redirect also the
    // look of a token.
    const isTokenLike = (value: string) => response.status < 400 && value.length >= LEAST_LIKE && !isPlain(value)
    return candidates(response).filter(({ pointer, value }) => isTelling(pointer) || isTokenLike(value))
  }

  /** Sends the probe without a token, once. */
  private async none(): Promise<Exchange> {
    const none = await this.talk.none()
    this.dialect.rejectedStatus = none.response?.status ?? null
    return none
  }

  private async tryHttp10(token: Token, answers: Answers): Promise<void> {
    const exchange = await this.talk.send({ ...withToken(this.options.probe, token.value), httpVersion: '1.0' })
    this.dialect.http10 = answers.accepts(exchange)
  }

  /** Finds out whether a user may hold two tokens. That decides which specs can run side by side. */
  private async trySecondLogon(token: Token, answers: Answers): Promise<Token | undefined> {
    const second = await this.secondLogon()
    if (!second) return undefined
    const again = await this.talk.use(token.value)
    const lives = answers.accepts(again)
    const isRefused = answers.rejects(again)
    if (isRefused && !this.talk.kept) await this.lookForBackEnds(token, answers)
    if (this.dialect.backEnds) return second
    if (isRefused) token.rejected()
    if (second.value === token.value) this.dialect.sessions = 'same'
    else if (lives) this.dialect.sessions = 'many'
    else if (isRefused) return this.tryThirdLogon(token, second, answers)
    return second
  }

  /** Logs on once more, and again a while later where that is refused: there may be no room for two tokens, or logons may have to come apart. */
  private async secondLogon(): Promise<Token | undefined> {
    const { session } = this.options
    let refused: Exchange | undefined
    for (const ms of SECOND_LOGON_MS) {
      if (ms > 0) await session.pause(ms)
      const logon = await this.talk.send(this.options.logon)
      const token = session.take(logon, 'second token of the survey')
      if (token && refused) session.limitsLogons(refused)
      if (token) return token
      refused ??= logon
    }
    return undefined
  }

  /**
   * Checks whether a new logon ends the token before it a second time. The first time may have been a restart of the
   * Core, or a logon that took longer than a token lives. The second token is used as often as the first was: that use
   * may have ended the first one, and then no spec may hold several tokens either.
   * @returns the token that stays valid
   */
  private async tryThirdLogon(first: Token, second: Token, answers: Answers): Promise<Token> {
    const { session } = this.options
    const third = session.take(await this.talk.send(this.options.logon), 'third token of the survey')
    if (!third) return second
    const uses = this.talk.exchanges.filter(({ request }) => carries(request, first)).length
    let look = await this.talk.use(second.value)
    for (let used = 1; used < uses && answers.accepts(look); used++) look = await this.talk.use(second.value)
    const lives = answers.accepts(look)
    const isRefused = answers.rejects(look)
    if (isRefused) second.rejected()
    if (third.value === second.value) this.dialect.sessions = 'same'
    else if (lives || isRefused) this.dialect.sessions = lives ? 'many' : 'newest'
    const [left, kept] = lives ? [third, second] : [second, third]
    await session.giveBack([left], this.talk.exchanges)
    return kept
  }

  private async noToken(logon: Exchange): Promise<Survey> {
    this.options.session.noteLost(logon)
    const { error, response, earlier = [] } = logon
    const isHung = !response && [...earlier, { error }].every(tried => tried.error?.kind === 'deadline')
    const isUnanswered = isHung && (await this.none()).response !== undefined
    return { ...this.untestable(whyNoToken(logon, this.options.tokenField)), isCut: isCut(logon), isUnanswered }
  }

  /**
   * Reports that no string opens the API. The likeliest string is given back all the same, so that nothing stays
   * behind.
   */
  private async noDifference(best: Candidate, logon: Exchange, isCrowded: boolean): Promise<Survey> {
    const none = await this.none()
    const token = this.options.session.add(best.value, 'token of the survey', logon)
    await this.options.session.giveBack([token], this.talk.exchanges)
    const reason = noDifference(this.options.probe, none)
    return { ...this.untestable(reason), retry: this.talk.kept === undefined && !isCrowded }
  }

  private untestable(untestable: Untestable): Survey {
    return { ...this.survey(undefined), untestable }
  }

  private survey(answers: AnswerBook | undefined): Survey {
    const { dialect, paths } = this
    return { dialect, answers, paths, untestable: undefined, exchanges: this.talk.exchanges }
  }
}

/** A string of a redirect has so many characters at least to look like a token. */
const LEAST_LIKE = 16
/** A token that no Core issues: too short, and no token68. */
const MALFORMED = '!'

function isLike(exchange: Exchange, response: WireResponse | undefined): boolean {
  if (!exchange.response || !response) return false
  return alike(answerOf(exchange.response), answerOf(response))
}

function carries({ headers }: WireRequest, token: Token): boolean {
  return headers.some(([, value]) => value.endsWith(` ${token.value}`))
}
