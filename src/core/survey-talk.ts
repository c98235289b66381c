/** What the survey sends: requests that it keeps, looks at the latency, and at endpoints besides the probe. */
import { isSafe } from '../ground/methods.js'
import type { Latency } from '../result.js'
import { type AnswerBook, Answers } from './answers.js'
import type { Exchange, WireRequest } from './exchange.js'
import { withToken } from './give-back.js'
import { KeptConnection } from './kept-connection.js'
import type { Session } from './session.js'
import { neverIssued, type Token } from './token.js'

/** Sends the requests of the survey, and keeps the exchanges. */
export class SurveyTalk {
  readonly exchanges: Exchange[] = []
  private refusal: Exchange | undefined

  constructor(
    readonly session: Session,
    /** The authenticated GET, without a token. */
    readonly probe: WireRequest,
    /** The one connection that carries every request; undefined: each request has a connection of its own. */
    readonly kept?: KeptConnection,
  ) {}

  /** Sends a request, and keeps its exchange. */
  async send(request: WireRequest, kept = this.kept): Promise<Exchange> {
    const exchange = await this.session.exchange(request, kept)
    this.exchanges.push(exchange)
    return exchange
  }

  /** Sends the probe with a token. */
  use(token: string, kept = this.kept): Promise<Exchange> {
    return this.send(withToken(this.probe, token), kept)
  }

  /** Sends the probe without a token, at the first call only. Later calls return the same exchange. */
  async none(): Promise<Exchange> {
    this.refusal ??= await this.send(this.probe)
    return this.refusal
  }

  /** Sends the probe with a token that was never issued and has the same shape as the given one. */
  unknown(like: string): Promise<Exchange> {
    return this.use(neverIssued(like))
  }
}

/** How many new connections are timed. Each is also a second look at the token. */
const FRESH = 3

/** The measured latency, with the exchanges that measured it. */
export interface Measured {
  latency: Latency
  looks: Exchange[]
}

/**
 * Measures how long a request with a valid token takes, on new connections and on an open one.
 * @param logon the logon of the survey
 */
export async function measureLatency(talk: SurveyTalk, token: string, logon: Exchange): Promise<Measured> {
  const looks: Exchange[] = []
  const fresh: number[] = []
  const timed = async (kept: KeptConnection | undefined) => {
    const startMs = performance.now()
    looks.push(await talk.use(token, kept))
    return performance.now() - startMs
  }
  const own = new KeptConnection()
  try {
    // Where one connection carries everything, the Core would refuse a new one.
    const [one, many] = talk.kept ? [talk.kept, 0] : [own, FRESH - 1]
    for (let index = 0; index < many; index++) fresh.push(await timed(undefined))
    const first = await timed(one)
    if (!talk.kept) fresh.push(first)
    const keptMs = await timed(one)
    const freshMs = fresh.sort((a, b) => a - b)[Math.floor(fresh.length / 2)] ?? keptMs
    const latency = { freshMs, keptMs, logonMs: spentMs(logon), slowestMs: 0 }
    return { latency: rounded({ ...latency, slowestMs: slowestMs(talk.exchanges) }), looks }
  } finally {
    own.close()
  }
}

/** Returns the time of the slowest of the answered exchanges, in milliseconds. */
export function slowestMs(exchanges: readonly Exchange[]): number {
  return Math.max(0, ...exchanges.filter(({ response }) => response).map(spentMs))
}

function spentMs({ sentAt, receivedAt }: Exchange): number {
  return receivedAt - sentAt
}

/** Rounds each value to tenths of milliseconds. */
export function rounded(latency: Latency): Latency {
  const all = Object.entries(latency).map(([name, ms]) => [name, Math.round(ms * 10) / 10])
  return { ...latency, ...Object.fromEntries(all) }
}

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
