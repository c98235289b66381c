/** The session with a Core whose contracts are verified, or whose provider states are served. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Connections } from '../../core/connections.js'
import type { Redactor } from '../../core/redact.js'
import { DEFAULT_CONNECTIONS, Session } from '../../core/session.js'
import { hideByKind } from '../../core/traces.js'
import { Transport } from '../../core/transport.js'
import { MAX_BODY_BYTES } from './gateway.js'
import type { CoreRequests } from './provider.js'
import type { VerifyOptions } from './verify.js'

/** Opens a session in which bodies are kept as whole as the gateway passes them on. No request is sent yet. */
export async function openCoreSession(
  options: Pick<VerifyOptions, 'target' | 'deadlineMs' | 'clock' | 'signal' | 'maxRefusedLogons'>,
  requests: CoreRequests,
  redactor: Redactor,
): Promise<{ transport: Transport; session: Session }> {
  const { target, deadlineMs, clock, signal, maxRefusedLogons } = options
  const connections = new Connections(DEFAULT_CONNECTIONS)
  const transport = await Transport.create({
    target,
    deadlineMs,
    watch: connections,
    now: () => clock.now(),
    bodyCapBytes: MAX_BODY_BYTES,
    onAnswer: (request, response) => hideByKind(redactor, request, response),
  })
  const session = new Session({
    transport,
    redactor,
    connections,
    isEnding: () => signal.aborted,
    pause: ms => sleep(ms, undefined, { signal }),
    logonRequest: () => requests.logon(target),
    revokeRequest: requests.revoke,
    maxRefusedLogons,
  })
  return { transport, session }
}
