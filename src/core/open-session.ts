/**
 * Opens a session outside a run: to verify contracts, to serve their provider states, or to check whether a Core can be
 * tested.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Connections } from './connections.js'
import { hideByKind } from './hide-by-kind.js'
import { Pacer } from './pacer.js'
import type { Redactor } from './redact.js'
import { DEFAULT_CONNECTIONS, DEFAULT_PATIENCE_MS, Session, type SessionOptions } from './session.js'
import type { Place } from './target.js'
import { Transport } from './transport.js'

/** Settings of a session outside a run. */
export interface SessionOpening
  extends Pick<SessionOptions, 'logonRequest' | 'revokeRequest' | 'controlRequest' | 'maxRefusedLogons' | 'tried'> {
  target: Place
  deadlineMs: number
  /** Hides the secrets that the session learns. */
  redactor: Redactor
  /** Ends the pauses that the Core asks for. */
  signal: AbortSignal
  /** Clock of the caller, in milliseconds; default: the clock of the process. */
  now?: () => number
  /** Most bytes kept of a body; default: as in a run. */
  bodyCapBytes?: number
}

/** Opens a session. No request is sent yet. */
export async function openSession({
  target,
  deadlineMs,
  redactor,
  signal,
  now = () => performance.now(),
  bodyCapBytes,
  ...requests
}: SessionOpening): Promise<{ transport: Transport; session: Session }> {
  const connections = new Connections(DEFAULT_CONNECTIONS)
  const transport = await Transport.create({
    target,
    deadlineMs,
    watch: connections,
    now,
    ...(bodyCapBytes !== undefined && { bodyCapBytes }),
    onAnswer: (request, response) => hideByKind(redactor, request, response),
  })
  const session = new Session({
    ...requests,
    transport,
    redactor,
    connections,
    // The pace counts from when requests were sent, so it needs the clock that tells that.
    pacer: new Pacer({ now, patienceMs: DEFAULT_PATIENCE_MS }),
    isEnding: () => signal.aborted,
    pause: ms => sleep(ms, undefined, { signal }),
  })
  return { transport, session }
}
