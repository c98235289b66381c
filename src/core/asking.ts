import type { Exchange, WireRequest } from './exchange.js'
import type { Session } from './session.js'
import { withToken } from './session.js'
import { neverIssued } from './token.js'
import type { KeptConnection } from './transport.js'

/** What the survey asks with, and what it was answered. */
export class Asking {
  readonly exchanges: Exchange[] = []
  private refusal: Exchange | undefined

  constructor(
    readonly session: Session,
    /** The authenticated GET, without a token. */
    readonly probe: WireRequest,
    /** The one connection that everything goes over; undefined: each request has its own. */
    readonly kept?: KeptConnection,
  ) {}

  /** Sends a request, and keeps what came of it. */
  async send(request: WireRequest, kept = this.kept): Promise<Exchange> {
    const exchange = await this.session.exchange(request, kept)
    this.exchanges.push(exchange)
    return exchange
  }

  /** The probe with a token. */
  use(token: string, kept = this.kept): Promise<Exchange> {
    return this.send(withToken(this.probe, token), kept)
  }

  /** The probe without a token, sent once. */
  async none(): Promise<Exchange> {
    this.refusal ??= await this.send(this.probe)
    return this.refusal
  }

  /** The probe with a token that was never issued, of the same shape. */
  unknown(like: string): Promise<Exchange> {
    return this.use(neverIssued(like))
  }
}
