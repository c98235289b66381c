/** What a session needs of the run, and whom it tells. */
import type { Connections } from './connections.js'
import type { Reading, WireRequest } from './exchange.js'
import type { Pacer } from './pacer.js'
import type { Redactor } from './redact.js'
import type { Token } from './token.js'
import type { Transport } from './transport.js'

/** Whoever writes down what a session must not forget, should its process die. Each is told before anything else happens. */
export interface SessionJournal {
  /** A token was issued. */
  issued(token: Token): void
  /** A token was given back, or was found to live on. */
  changed(token: Token): void
  /** A logon is about to be sent that may issue a token; call back when it has been answered. */
  loggingOn(): () => void
  /** A logon is about to be sent that is to be refused. @param owner on whose behalf */
  refusing(owner: string): void
}

/** What a `Session` needs of the run. */
export interface SessionOptions {
  transport: Transport
  redactor: Redactor
  /** How many connections there are, for all of the run. */
  connections?: Connections
  /** How fast the run may go. */
  pacer?: Pacer
  /** Whether the run is being ended early. */
  isEnding?: () => boolean
  /** Lets time pass on the clock of the run. */
  pause: (ms: number) => Promise<void>
  /** The logon with the right credentials. */
  logonRequest: () => WireRequest
  /** The request that revokes the token it carries. */
  revokeRequest: () => WireRequest
  /** Whether a token had certainly been unused for longer than its lifetime by then. */
  hasLapsed?: (token: Token, by: Reading) => boolean
  /** How many logons may be refused in this run. */
  maxRefusedLogons: number
  journal?: SessionJournal
}
