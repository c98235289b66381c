import type { Exchange, WireRequest } from './exchange.js'
import type { KeptConnection } from './kept-connection.js'
import type { Session } from './session.js'
import { withToken } from './session.js'
import { neverIssued } from './token.js'

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
