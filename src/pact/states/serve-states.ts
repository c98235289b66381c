/** Surveys a Core and serves its provider states until stopped. */
import { randomBytes } from 'node:crypto'
import { redactorFor } from '../../core/redactor-for.js'
import { survey } from '../../core/survey.js'
import { openCoreSession } from '../verify/core-session.js'
import type { VerifyOptions } from '../verify/options.js'
import { coreRequests, Provider } from '../verify/provider.js'
import { StateServer, type StateServerOptions } from './states.js'

/** The options for serving states. */
export type ServeOptions = Omit<VerifyOptions, 'contracts' | 'targetKind' | 'waiting' | 'secrets'> &
  Pick<StateServerOptions, 'port' | 'log'>

/** A running server of states. */
export interface Served {
  /** The URL where a verifier sets up states. */
  statesUrl: string
  /** The URL of the Core through this machine. */
  coreUrl: string
  /** Time until a token has expired, in milliseconds from now; undefined where no token is to expire. */
  expiryMs: number | undefined
  /** Stops and revokes every token. Returns how many were issued, and how many could not be revoked. */
  close(): Promise<{ issued: number; left: number }>
}

/** Allowance for rounding of clocks, in milliseconds. */
const MARGIN_MS = 50
const QUICK = '--profile quick leaves out what needs waiting'
const ONE_SESSION =
  'a logon ends the session before it on this Core, so a token is ended before it can expire: use contracts verify, which puts it last'

/**
 * Surveys the Core and starts to serve.
 * @throws Error where the Core or the port is unusable, after every token has been revoked
 */
export async function serveStates(options: ServeOptions): Promise<Served> {
  const { target, maxRefusedLogons, accessControl } = options
  const redactor = redactorFor(target)
  const requests = coreRequests(options.probePath)
  const { session } = await openCoreSession(options, requests, redactor)
  try {
    const found = await survey({
      session,
      probe: requests.probe(),
      logon: requests.logon(target),
      endpoints: [],
      accessControl,
      tokenField: options.tokenField,
      refused: options.refused,
      needsHttp10: false,
    })
    if (!found.answers) {
      const { reason = 'the survey found nothing', advice } = found.untestable ?? {}
      throw new Error(redactor.text(advice ? `${reason}; ${advice}` : reason))
    }
    const credentials = { username: target.username, password: target.password }
    // A verifier got the values themselves, so no placeholder stands for them.
    const never = { token: unlikely(), username: unlikely(), password: unlikely() }
    const answers = accessControl === 'on' ? found.answers.probe : undefined
    const provider = new Provider({ session, requests, credentials, answers, placeholders: never })
    const expiring = await expiringOf(options, provider, found.dialect.sessions === 'many')
    const { meanings, port } = options
    const log = (line: string) => options.log(redactor.text(line))
    const server = await StateServer.start({
      session,
      provider,
      credentials,
      meanings,
      accessControl,
      maxRefusedLogons,
      expiring,
      port,
      log,
    })
    return {
      statesUrl: server.statesUrl,
      coreUrl: server.coreUrl,
      expiryMs: typeof expiring === 'string' || expiring.leap ? undefined : expiring.leftMs(),
      close: async () => {
        await server.close()
        await session.giveBack(session.tokens, [])
        return { issued: new Set(session.tokens.map(({ value }) => value)).size, left: session.left }
      },
    }
  } catch (error) {
    await session.giveBack(session.tokens, [])
    throw error
  }
}

async function expiringOf(
  { accessControl, profile, clock, idleLifetimeMs, idleTolerance }: ServeOptions,
  provider: Provider,
  sideBySide: boolean,
): Promise<StateServerOptions['expiring']> {
  if (accessControl === 'off') return 'no token is needed with access control off'
  if (profile === 'quick') return QUICK
  if (!sideBySide) return ONE_SESSION
  const token = await provider.mintForExpiry([])
  const lifetimeMs = idleLifetimeMs * (1 + idleTolerance) + MARGIN_MS
  return {
    token,
    leftMs: () => token.possibleUse.receivedAt + lifetimeMs - clock.now(),
    leap: clock.leap && (ms => clock.leap?.(ms) ?? Promise.resolve()),
  }
}

function unlikely(): string {
  return randomBytes(16).toString('hex')
}
