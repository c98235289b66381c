/** A session with a Core, as in a run, with all its parts in reach of a test. */
import type { WireRequest } from '../../dist/core/exchange.js'
import { Pacer } from '../../dist/core/pacer.js'
import { Redactor } from '../../dist/core/redact.js'
import { Session } from '../../dist/core/session.js'
import type { SessionOptions } from '../../dist/core/session-options.js'
import { Transport } from '../../dist/core/transport.js'
import { LOGON, type ScriptedCore, USERS } from './scripted-core.js'

const ACCEPT: [string, string] = ['Accept', 'application/json']
const BASE: WireRequest = { method: 'GET', path: USERS, headers: [ACCEPT], httpVersion: '1.1', omitHost: false }

/** The authenticated request of the reference, without a token. */
export const PROBE = BASE
/** A revocation, without a token. */
export const REVOKE: WireRequest = { ...BASE, method: 'DELETE', path: LOGON, headers: [] }

/** Makes a logon with these credentials. */
export function logonRequest({ username, password }: Pick<ScriptedCore, 'username' | 'password'>): WireRequest {
  const headers: WireRequest['headers'] = [ACCEPT, ['Content-Type', 'application/json']]
  return { ...BASE, method: 'POST', path: LOGON, headers, body: JSON.stringify({ username, password }) }
}

/** A session with its parts. */
export interface ScriptedSession {
  session: Session
  redactor: Redactor
  /** The pauses that the session asked for; they take no time. */
  pauses: number[]
}

/** Opens a session with a Core. @param options `clock`: passes as real time does, unless another is given; the pauses come on top */
export async function openSession(
  core: ScriptedCore,
  options: Partial<SessionOptions> & { deadlineMs?: number; patienceMs?: number; clock?: () => number } = {},
): Promise<ScriptedSession> {
  const { deadlineMs = 5000, patienceMs, clock = () => performance.now(), ...others } = options
  const target = { url: core.url, trust: { kind: 'insecure' as const } }
  const redactor = new Redactor()
  const pauses: number[] = []
  let pausedMs = 0
  const now = () => clock() + pausedMs
  const { connect } = core
  const transport = await Transport.create({ target, deadlineMs, now, ...(connect && { connect }) })
  const pacer = new Pacer({ now, patienceMs: patienceMs ?? 900_000 })
  const session = new Session({
    transport,
    redactor,
    pacer,
    pause: async ms => {
      pausedMs += ms
      pauses.push(Math.round(ms))
    },
    logonRequest: () => logonRequest(core),
    revokeRequest: () => REVOKE,
    maxRefusedLogons: 10,
    ...others,
  })
  return { session, redactor, pauses }
}
