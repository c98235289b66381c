/** Opens the session with a Core for verifying contracts and for serving states. */
import { openSession } from '../../core/open-session.js'
import type { Redactor } from '../../core/redact.js'
import type { Session } from '../../core/session.js'
import type { Transport } from '../../core/transport.js'
import { MAX_BODY_BYTES } from './gateway.js'
import type { VerifyOptions } from './options.js'
import type { CoreRequests } from './provider.js'

/** Opens a session that keeps bodies up to the length that the gateway passes on. Sends no request yet. */
export function openCoreSession(
  { clock, ...options }: Pick<VerifyOptions, 'target' | 'deadlineMs' | 'clock' | 'signal' | 'maxRefusedLogons'>,
  requests: CoreRequests,
  redactor: Redactor,
): Promise<{ transport: Transport; session: Session }> {
  const { target, deadlineMs, signal, maxRefusedLogons } = options
  return openSession({
    target,
    deadlineMs,
    signal,
    maxRefusedLogons,
    redactor,
    now: () => clock.now(),
    bodyCapBytes: MAX_BODY_BYTES,
    logonRequest: () => requests.logon(target),
    revokeRequest: requests.revoke,
    controlRequest: () => requests.probe(),
  })
}
