/** The types of what a session gets from its run. */
import type { Connections } from './connections.js'
import type { Courtesy } from './courtesy.js'
import type { Exchange, Reading, WireRequest } from './exchange.js'
import type { Pacer } from './pacer.js'
import type { Redactor } from './redact.js'
import type { Silences } from './silences.js'
import type { Token } from './token.js'
import type { Transport } from './transport.js'

/**
 * Writes down what a session must not forget if its process dies. Each method is called before anything else happens.
 */
export interface SessionJournal {
  /** A token was issued. */
  issued(token: Token): void
  /** A token was given back, or turned out to be live after all. */
  changed(token: Token): void
  /** A logon that may issue a token is about to be sent. Call the returned function when the logon was answered. */
  loggingOn(): () => void
  /** A logon that should be refused is about to be sent. @param owner the spec that it is sent for */
  refusing(owner: string): void
}

/** The parts of a run that a `Session` works with. */
export interface SessionOptions {
  transport: Transport
  redactor: Redactor
  /** The connections of the whole run. */
  connections?: Connections
  /** The pace of the whole run. */
  pacer?: Pacer
  /** Whether the run is being ended early. */
  isEnding?: () => boolean
  /** Who goes first where this thread talks with other Cores too. */
  courtesy?: Courtesy | undefined
  /** Collects the stretches without any answer. */
  silences?: Silences
  /** Lets time pass on the clock of the run. */
  pause: (ms: number) => Promise<void>
  /** The logon with the right credentials. */
  logonRequest: () => WireRequest
  /** The request that revokes the token it carries. */
  revokeRequest: () => WireRequest
  /** The request that shows whether a token is accepted, without one; absent: tokens are found at one place of a logon only. */
  probeRequest?: () => WireRequest
  /** A request without effects that this Core answers, be it with a refusal; absent: nobody needs one. */
  controlRequest?: () => WireRequest
  /** Whether a token was certainly unused for longer than its lifetime at the time of this reading. */
  hasLapsed?: (token: Token, by: Reading) => boolean
  /** How many logons may be refused in this run. */
  maxRefusedLogons: number
  journal?: SessionJournal
  /** Hears of every request that was sent, each try of its own, with what came back. */
  tried?: (exchange: Exchange) => void
  /** Hears of every answer that was found to be that of a ban: it says nothing of its request. */
  wasBan?: (sent: Reading) => void
}
