/** What the answers of a Core mean. Over 250 lines, since a book, its answers and the kinds of them decide together. */
import { type Aim, type Answered, type Exchange, header, type WireResponse } from './exchange.js'
import { turnsAway } from './pause.js'
import {
  contradicts,
  isInBody,
  isInHead,
  isPage,
  isPortable,
  isTypedAsPage,
  isUnreadable,
  learnSigns,
  oppositesOf,
  showsSign,
  typeOf,
} from './refusal-signs.js'
import { heldOf, type Served, servedBy } from './served.js'

/**
 * The part of a response that tells one kind of answer from another: its status, and its body without the parts that
 * vary.
 */
export interface Answer {
  status: number
  body: string
}

/** Returns the telling part of a response. */
export function answerOf(response: WireResponse): Answer {
  return { status: response.status, body: response.body.replace(/[\w.+/=-]+/g, withoutVarying) }
}

/** Replaces times, counters, ids and tokens: they vary between answers of the same kind. */
function withoutVarying(word: string): string {
  const isId = /^[0-9a-f-]{8,}$/i.test(word) || (word.length >= 16 && /\d/.test(word))
  if (isId) return '#'
  // A number with a fraction, a date or an address is one value: it may be longer next time, or shorter.
  return word.replace(/[0-9a-f]{8,}|[0-9]+/gi, '#').replace(/#(?:[.+/=-]#)+/g, '#')
}

/** Whether two answers look alike. */
export function alike(a: Answer, b: Answer): boolean {
  return a.status === b.status && a.body === b.body
}

/** The answer that stands for any success. */
const ANY_SUCCESS: Answer = { status: 200, body: '' }

const isSuccess = (status: number) => status >= 200 && status < 300
const isClientError = (status: number) => status >= 400 && status < 500

/**
 * The meaning of an answer. `accepted`: what only a request with a good token gets. `refused`: what a request without one gets.
 * `turned away`: anything else, such as 429, a 5xx, or no answer. It says nothing of the token.
 */
export type AnswerKind = 'accepted' | 'refused' | 'turned away'

/** An {@link Answers} as plain data. */
export interface AnswersState {
  /** The answer with a fresh token. */
  accepted: Answer
  /** The answers without a token and with a token that was never issued, as far as the Core answered. */
  refusals: readonly Answer[]
  /** The signs of refusals (see `src/settings/refused.ts`). */
  signs: readonly string[]
  /** What the Core serves to a fresh token; absent where that cannot be recognised. */
  served?: Served | undefined
  /** What every accepted answer shows where refusals show a sign, and the type of its content; absent for nothing. */
  expected?: readonly string[]
  /** Whether refusals ask to come back later; absent: they do not. */
  asksToWait?: boolean
  /** Whether this Core's refusal of this request differs from its acceptance. */
  tells: boolean
}

/**
 * The answers of this Core to one request, with a fresh token and without one, as the survey saw them. They decide what
 * an answer means.
 */
export class Answers {
  constructor(private readonly known: AnswersState) {}

  get accepted(): Answer {
    return this.known.accepted
  }

  get refusals(): readonly Answer[] {
    return this.known.refusals
  }

  get signs(): readonly string[] {
    return this.known.signs
  }

  get tells(): boolean {
    return this.known.tells
  }

  /** Returns it as plain data. */
  state(): AnswersState {
    return this.known
  }

  /**
   * Learns what answers to a request mean.
   * @param accepted the answers with a fresh token, the first of which stands for them; at least one has a response
   * @param refused the answers without a good token; one list for each request
   * @param known signs that are preferred, and `stated` ones, which take the place of learned ones
   */
  static learn(
    accepted: readonly Exchange[],
    refused: readonly (readonly Exchange[])[],
    { known = [], stated = [] }: { known?: readonly string[]; stated?: readonly string[] } = {},
  ): Answers {
    const first = accepted.find(({ response }) => response)?.response
    const like = first ? answerOf(first) : ANY_SUCCESS
    const all = refused.flat()
    const others = all.flatMap(({ response }) => (response ? [response] : []))
    const served = first && isSuccess(first.status) ? servedBy(first, others) : undefined
    const refusals = others.map(answerOf)
    const state = { accepted: like, refusals, ...(served && { served }), tells: true }
    // What is served all the same is no refusal, so it shows no sign of one.
    const isServed = (exchange: Exchange) => new Answers({ ...state, signs: [] }).shown(exchange) !== undefined
    const unserved = refused.map(answers => answers.filter(each => !isServed(each)))
    const found = learnSigns(accepted, unserved, known)
    const kept = known.filter(sign => !accepted.some(each => showsSign([sign], each)))
    // Elsewhere it refuses as here, also what was not tried there.
    const signs = stated.length > 0 ? stated : [...new Set([...found, ...kept])]
    const expected = [...oppositesOf(signs, accepted), ...typeOf(accepted)]
    const asksToWait = all.some(
      ({ response }) =>
        response !== undefined && !turnsAway(response.status) && header(response, 'retry-after') !== undefined,
    )
    const told = { ...(expected.length > 0 && { expected }), ...(asksToWait && { asksToWait }) }
    const learned = new Answers({ ...state, signs, ...told })
    return new Answers({ ...learned.known, tells: all.some(exchange => learned.rejects(exchange)) })
  }

  /** Whether a fresh token gets a success here. */
  get succeeds(): boolean {
    return isSuccess(this.accepted.status)
  }

  /**
   * Says what an answer means. What holds the things that only an accepted request is served is accepted, whatever its status
   * is. What shows a sign of this Core's refusals is refused, and so is any 4xx that is not acceptance, or a method that it does
   * not know (501); 429 is about the rate.
   * Any success counts as acceptance where a fresh token gets one. Where it gets an error (the user may not list users), the
   * whole answer has to be the same.
   */
  kindOf(exchange: Answered): AnswerKind {
    const { request, response, error } = exchange
    const isRefusal = showsSign(this.signs, exchange)
    if (!response) return isRefusal ? 'refused' : 'turned away'
    const { status } = response
    // A success that breaks off let the request in, as far as the part that came shows.
    if (error && !isSuccess(status)) return 'turned away'
    if ((isRefusal || !isSuccess(status)) && this.shown(exchange) !== undefined) return 'accepted'
    if (this.isStrange(exchange)) return 'turned away'
    if (isRefusal) return 'refused'
    if (this.succeeds && isUnchanged(exchange)) return 'accepted'
    const isAlike = isSuccess(status) && this.succeeds ? true : alike(answerOf(response), this.accepted)
    // The answer to HEAD, or a part of one, has no body that could show a refusal.
    const isTold = this.signs.every(sign => !isInBody(sign) || isInHead(sign, response))
    const isHidden = (this.isHiddenFrom(request) && !isTold) || (error !== undefined && this.signs.some(isInBody))
    if (isAlike) return isHidden && isSuccess(status) ? 'turned away' : 'accepted'
    return status >= 400 && !turnsAway(status) ? 'refused' : 'turned away'
  }

  /**
   * Whether a limit, or a server in front, gave this answer in place of the Core's own: a refusal that asks to come back later, as
   * none that the survey saw does; or a success with a page for people, or, where refusals are told by the body, with another value
   * or with what is no JSON.
   */
  isStrange(exchange: Answered): boolean {
    const { response } = exchange
    if (!response) return false
    const { status, body } = response
    const { expected = [], asksToWait } = this.known
    if (status >= 300 && status < 500)
      return this.refusals.length > 0 && !asksToWait && header(response, 'retry-after') !== undefined
    const isKnown = showsSign(this.signs, exchange) || this.shown(exchange) !== undefined
    if (!isSuccess(status) || !this.succeeds || isKnown) return false
    const { body: usual } = this.accepted
    const isStrangePage = this.accepted !== ANY_SUCCESS && !isPage(usual) && isPage(body)
    const isOther = isTypedAsPage(expected, response) || isUnreadable(this.signs, expected, response)
    return isStrangePage || isOther || contradicts(expected, response)
  }

  /** Whether an answer is accepted. */
  accepts(exchange: Answered): boolean {
    return this.kindOf(exchange) === 'accepted'
  }

  /** Whether an answer is refused. */
  rejects(exchange: Answered): boolean {
    return this.kindOf(exchange) === 'refused'
  }

  /** Returns the beginning of what an answer holds of that which only an accepted request is served; undefined for nothing. */
  shown({ response, error }: Answered): string | undefined {
    const { served } = this.known
    return response && !error && served ? heldOf(response, served) : undefined
  }

  /** Whether the answer to a request without a good token shows that none is needed: it holds what a good one is served. */
  isOpenTo(exchange: Answered): boolean {
    const { response } = exchange
    if (this.shown(exchange) !== undefined) return true
    return (
      this.accepts(exchange) &&
      response?.body.trim() !== '' &&
      response !== undefined &&
      alike(answerOf(response), this.accepted)
    )
  }

  /** Whether the answer to this request cannot show the signs of refusals: it has no body. */
  isHiddenFrom({ method }: { method: string }): boolean {
    return method === 'HEAD' && this.signs.some(isInBody)
  }
}

/**
 * Whether an answer says that what was asked for on a condition has not changed. A server looks at conditions only where it
 * would serve the request without them (RFC 9110, 13.2.1).
 */
function isUnchanged({ request: { headers, method }, response }: Answered): boolean {
  const isConditional = headers.some(([name]) => /^if-(none-match|modified-since)$/i.test(name))
  return response?.status === 304 && isConditional && (method === 'GET' || method === 'HEAD')
}

/** The answers of every request that the survey tried, by method and path. */
export class AnswerBook {
  private readonly answers = new Map<string, Answers>()

  /** @param probe the answers of the probe; they stand for every request that was not tried */
  constructor(public probe: Answers) {}

  /** Returns the whole book as plain data, for {@link AnswerBook.from}. */
  state(): { probe: AnswersState; others: [key: string, answers: AnswersState][] } {
    return { probe: this.probe.state(), others: [...this.answers].map(([key, answers]) => [key, answers.state()]) }
  }

  /** Rebuilds the book from its {@link state}. */
  static from({ probe, others }: ReturnType<AnswerBook['state']>): AnswerBook {
    const book = new AnswerBook(new Answers(probe))
    for (const [key, answers] of others) book.answers.set(key, new Answers(answers))
    return book
  }

  /** Notes the answers of a request. */
  note(request: Aim, answers: Answers): void {
    this.answers.set(keyOf(request), answers)
  }

  /** Lists the requests, as `METHOD path`, that succeed alike with a valid token and without one. Sorted. */
  openOnes(): { request: string; status: number }[] {
    return [...this.answers]
      .filter(([, { tells, succeeds, refusals }]) => !tells && succeeds && refusals.length > 0)
      .map(([request, { accepted }]) => ({ request, status: accepted.status }))
      .sort((a, b) => (a.request < b.request ? -1 : 1))
  }

  /** Whether the survey got answers to this request. */
  has(request: Aim): boolean {
    return this.answers.has(keyOf(request))
  }

  /**
   * Says what the answer to a logon or a revocation means: any success, or what a fresh token got here, is acceptance, unless it
   * shows a sign of this Core's refusals.
   */
  effectOf(exchange: Answered): AnswerKind {
    const known = this.answers.get(keyOf(exchange.request))
    const { accepted, refusals, signs, expected = [], asksToWait = false } = (known ?? this.probe).state()
    const like = known && accepted.status < 400 ? accepted : ANY_SUCCESS
    const shown = known ? signs : signs.filter(isPortable)
    const state = { accepted: like, refusals, signs: shown, expected: known ? expected : [], asksToWait, tells: true }
    return new Answers(state).kindOf(exchange)
  }

  /**
   * Whether a logon without a token was answered as one that succeeded: with a success, where this Core refuses by statuses that are none.
   * As long as nobody knows how it refuses, that is not known either.
   */
  isEmptySuccess({ response }: Exchange): boolean {
    const { refusals } = this.probe
    return (
      response !== undefined &&
      isSuccess(response.status) &&
      refusals.length > 0 &&
      !refusals.some(({ status }) => isSuccess(status)) &&
      !this.probe.signs.some(sign => sign.startsWith('body'))
    )
  }

  /** Whether this Core refuses by closing the connection. */
  get refusesByClosing(): boolean {
    return this.probe.signs.includes('closed')
  }

  /** Whether an answer is that of a limit, or of a server in front, and says nothing of its request. */
  turnsAway(exchange: Answered): boolean {
    const { request, response } = exchange
    return response !== undefined && (turnsAway(response.status) || this.of(request).isStrange(exchange))
  }

  /** Whether the connection was closed, where that is how this Core refuses if it does so again; undefined where nobody knows how it refuses. */
  mayBeRefusal({ request, response, error }: Exchange): boolean | undefined {
    if (response || error?.kind !== 'closed') return false
    return this === UNKNOWN_ANSWERS ? undefined : this.of(request).signs.includes('closed')
  }

  /** Whether an exchange is a refusal as this Core refuses, though it has no answer of its own that says so. */
  isOddRefusal(exchange: Exchange): boolean {
    const { response, error } = exchange
    const isOdd = !response || error !== undefined || response.status === 429 || response.status >= 500
    return isOdd && this.of(exchange.request).rejects(exchange)
  }

  /**
   * Says how an answer refuses its request, as a Core may count it that bans after many refusals: with an error of the client,
   * and whether as it refuses a token or credentials. Undefined where it is no error.
   */
  refusalOf(exchange: Exchange): { isRefusal: boolean } | undefined {
    const { request, response } = exchange
    if (!response) return undefined
    const { status } = response
    const isRejected = this.of(request).rejects(exchange) || this.effectOf(exchange) === 'refused'
    // A server in front counts any status of an error.
    if (!isRejected) return isClientError(status) ? { isRefusal: false } : undefined
    const isUsual = this.probe.refusals.some(each => each.status === status)
    return { isRefusal: isUsual || status === 401 || status === 403 }
  }

  /** Returns the answers of a request. The query of its path is ignored. */
  of(request: Aim): Answers {
    return this.answers.get(keyOf(request)) ?? this.probe
  }
}

/** The answers that stand for a Core without a survey. */
export const UNKNOWN_ANSWERS = new AnswerBook(
  new Answers({ accepted: ANY_SUCCESS, refusals: [], signs: [], tells: false }),
)

function keyOf({ method, path }: Aim): string {
  return `${method} ${path.split('?', 1)[0]}`
}
