import type { WireRequest, WireResponse } from './exchange.js'

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

const isSuccess = (status: number) => status >= 200 && status < 300
const isRefusal = (status: number) => status >= 400 && status < 500

/**
 * The answers of this Core to one request, with a fresh token and without one, as the survey saw them. They decide
 * which responses count as accepted and which as rejected.
 */
export class Answers {
  constructor(
    /** The answer with a fresh token. */
    readonly accepted: Answer,
    /** The answers without a token and with a token that was never issued, as far as the Core answered. */
    readonly refusals: readonly Answer[],
  ) {}

  /** Whether this Core's refusal of this request differs from its acceptance. */
  get tells(): boolean {
    return this.refusals.some(refusal => isRefusal(refusal.status) && !alike(refusal, this.accepted))
  }

  /** Whether a fresh token gets a success here. */
  get succeeds(): boolean {
    return isSuccess(this.accepted.status)
  }

  /**
   * Whether a response counts as accepted: it looks like that to a fresh token. Any success status counts,
   * unless its body is that of a refusal. Where a fresh token gets an error (the user may not list users), the whole
   * answer has to be the same.
   */
  accepts(response: WireResponse): boolean {
    const answer = answerOf(response)
    if (!isSuccess(answer.status) || !this.succeeds) return alike(answer, this.accepted)
    return !this.refusals.some(
      refusal => isSuccess(refusal.status) && !alike(refusal, this.accepted) && refusal.body === answer.body,
    )
  }

  /**
   * Whether a response counts as rejected: a 4xx that differs from acceptance. 429 is about the rate, not about the
   * token.
   */
  rejects(response: WireResponse): boolean {
    return isRefusal(response.status) && response.status !== 429 && !this.accepts(response)
  }
}

/** An {@link Answers} as plain data. */
export type AnswersState = Pick<Answers, 'accepted' | 'refusals'>

/** The answers of every request that the survey tried, by method and path. */
export class AnswerBook {
  private readonly answers = new Map<string, Answers>()

  /** @param probe the answers of the probe; they stand for every request that was not tried */
  constructor(public probe: Answers) {}

  /** Returns the whole book as plain data, for {@link AnswerBook.from}. */
  state(): { probe: AnswersState; others: [key: string, answers: AnswersState][] } {
    const plain = ({ accepted, refusals }: Answers): AnswersState => ({ accepted, refusals })
    return { probe: plain(this.probe), others: [...this.answers].map(([key, answers]) => [key, plain(answers)]) }
  }

  /** Rebuilds the book from its {@link state}. */
  static from({ probe, others }: ReturnType<AnswerBook['state']>): AnswerBook {
    const alive = ({ accepted, refusals }: AnswersState) => new Answers(accepted, refusals)
    const book = new AnswerBook(alive(probe))
    for (const [key, answers] of others) book.answers.set(key, alive(answers))
    return book
  }

  /** Notes the answers of a request. */
  note(request: Pick<WireRequest, 'method' | 'path'>, answers: Answers): void {
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
  has(request: Pick<WireRequest, 'method' | 'path'>): boolean {
    return this.answers.has(keyOf(request))
  }

  /** Returns the answers of a request. The query of its path is ignored. */
  of(request: Pick<WireRequest, 'method' | 'path'>): Answers {
    return this.answers.get(keyOf(request)) ?? this.probe
  }
}

function keyOf({ method, path }: Pick<WireRequest, 'method' | 'path'>): string {
  return `${method} ${path.split('?', 1)[0]}`
}
