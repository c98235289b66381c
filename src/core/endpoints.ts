import { isSafe } from '../ground/methods.js'
import { type AnswerBook, Answers } from './answers.js'
import type { Exchange, WireRequest } from './exchange.js'
import { withToken } from './session.js'
import type { SurveyTalk } from './survey-talk.js'
import { neverIssued, type Token } from './token.js'

/**
 * An endpoint that specs judge, besides the probe. The first of its paths at which the Core tells tokens apart stands
 * for the endpoint.
 */
export interface Endpoint {
  /** Its name in the suite. */
  name: string
  /** Requests without a token; they differ in their path only. */
  requests: WireRequest[]
}

/** Splits endpoints into those that change nothing, and the others. */
export function bySafety(endpoints: Endpoint[]): [safe: Endpoint[], others: Endpoint[]] {
  const safe = endpoints.filter(({ requests }) => requests.every(({ method }) => isSafe(method)))
  return [safe, endpoints.filter(endpoint => !safe.includes(endpoint))]
}

/**
 * Finds the first path of an endpoint at which the Core tells tokens apart. Where there is none, the first path stands
 * for the endpoint.
 * @param book receives the answers of every path that was tried
 * @param paths receives the path that stands for the endpoint
 */
export async function tryEndpoint(
  talk: SurveyTalk,
  { name, requests }: Endpoint,
  token: Token,
  book: AnswerBook,
  paths: Map<string, string>,
): Promise<void> {
  for (const request of requests) {
    const early = isSafe(request.method) ? undefined : await refused(talk, request, token)
    const fresh = await talk.send(withToken(request, token.value))
    if (request.method === 'DELETE' && book.effectOf(fresh) === 'accepted') token.revoked()
    if (!fresh.response) continue
    const without = early ?? (await refused(talk, request, token))
    const answers = Answers.learn(
      [fresh],
      without.map(each => [each]),
      { known: book.probe.signs },
    )
    book.note(request, answers)
    if (answers.tells || !paths.has(name)) paths.set(name, request.path)
    if (answers.tells) return
  }
}

async function refused(talk: SurveyTalk, request: WireRequest, token: Token): Promise<Exchange[]> {
  const none = await talk.send(request)
  return isSafe(request.method) ? [none] : [none, await talk.send(withToken(request, neverIssued(token.value)))]
}
