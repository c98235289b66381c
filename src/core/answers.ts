import type { WireRequest, WireResponse } from './exchange.js'

/** What tells one kind of answer from another: its status and, with what varies taken out, its body. */
export interface Answer {
  status: number
  body: string
}

/** Takes the telling part of a response. */
export function answerOf(response: WireResponse): Answer {
  return { status: response.status, body: response.body.replace(/[\w.+/=-]+/g, withoutVarying) }
}

/** Times, counters, ids and tokens vary from one answer to the next of the same kind. */
function withoutVarying(word: string): string {
  const isId = /^[0-9a-f-]{8,}$/i.test(word) || (word.length >= 16 && /\d/.test(word))
  return isId ? '#' : word.replace(/[0-9a-f]{8,}|[0-9]+/gi, '#')
}

/** Whether two answers look alike. */
export function alike(a: Answer, b: Answer): boolean {
  return a.status === b.status && a.body === b.body
}

const isSuccess = (status: number) => status >= 200 && status < 300
const isRefusal = (status: number) => status >= 400 && status < 500

/**
 * How this Core answers one request with a fresh token and without one, as the survey saw it; from that, what is taken as
 * accepted and what as rejected.
 */
export class Answers {
  constructor(
    /** The answer with a fresh token. */
    readonly accepted: Answer,
    /** The answers without a token, and with one that was never issued; those that there were. */
    readonly refusals: readonly Answer[],
  ) {}

  /** Whether this Core lets a refusal be told from acceptance here. */
  get tells(): boolean {
    return this.refusals.some(refusal => isRefusal(refusal.status) && !alike(refusal, this.accepted))
  }

  /** Whether a fresh token is answered with success here. */
  get succeeds(): boolean {
    return isSuccess(this.accepted.status)
  }

  /**
   * Accepted: as a fresh token is. Among successes the status may vary, and only a body that is the one of a refusal
   * speaks against it; a fresh token that meets an error (its user's role may not list users) is known by the whole answer.
   */
  accepts(response: WireResponse): boolean {
    const answer = answerOf(response)
    if (!isSuccess(answer.status) || !this.succeeds) return alike(answer, this.accepted)
    return !this.refusals.some(
      refusal => isSuccess(refusal.status) && !alike(refusal, this.accepted) && refusal.body === answer.body,
    )
  }

  /** Rejected: a 4xx that can be told from acceptance. 429 speaks of the rate, not of the token. */
  rejects(response: WireResponse): boolean {
    return isRefusal(response.status) && response.status !== 429 && !this.accepts(response)
  }
}

/** An {@link Answers} as plain data. */
export type AnswersState = Pick<Answers, 'accepted' | 'refusals'>

/** The answers of every request that the survey tried, by method and path. */
export class AnswerBook {
  private readonly answers = new Map<string, Answers>()

  /** @param probe the answers of the probe, which stand for every request that was not tried */
  constructor(public probe: Answers) {}

  /** All of it as plain data, for {@link AnswerBook.from}. */
  state(): { probe: AnswersState; others: [key: string, answers: AnswersState][] } {
    const plain = ({ accepted, refusals }: Answers): AnswersState => ({ accepted, refusals })
    return { probe: plain(this.probe), others: [...this.answers].map(([key, answers]) => [key, plain(answers)]) }
  }

  /** The book that {@link state} told of. */
  static from({ probe, others }: ReturnType<AnswerBook['state']>): AnswerBook {
    const alive = ({ accepted, refusals }: AnswersState) => new Answers(accepted, refusals)
    const book = new AnswerBook(alive(probe))
    for (const [key, answers] of others) book.answers.set(key, alive(answers))
    return book
  }

  /** Notes what the survey saw of a request. */
  note(request: Pick<WireRequest, 'method' | 'path'>, answers: Answers): void {
    this.answers.set(keyOf(request), answers)
  }

  /** The requests, `METHOD path`, that were answered alike with a valid token and without: with success. Sorted. */
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

  /** The answers of a request; the query does not matter. */
  of(request: Pick<WireRequest, 'method' | 'path'>): Answers {
    return this.answers.get(keyOf(request)) ?? this.probe
  }
}

function keyOf({ method, path }: Pick<WireRequest, 'method' | 'path'>): string {
  return `${method} ${path.split('?', 1)[0]}`
}
