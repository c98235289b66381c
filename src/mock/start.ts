import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { listen } from '../ground/listen.js'
import { makeCertificate } from './certificate.js'
import { MockClock } from './clock.js'
import { createControlServer } from './control.js'
import { Device } from './device.js'
import { toDialect } from './dialect.js'
import { toMs } from './duration.js'
import { RequestLog } from './log.js'
import { Recorder } from './recorder.js'
import { Credentials } from './secrets.js'
import { createApiServer, createMemoryServer, sentOrStuck } from './server.js'
import { TokenStore } from './tokens.js'
import type { MockActions, MockCore, MockOptions } from './types.js'

/** Idle lifetime of 1 hour (Limits). */
export const IDLE_LIFETIME_MS = 3_600_000

/** Builds a mock Core and starts it. See `startMockCore`. */
export async function start(options: MockOptions): Promise<MockCore> {
  const { username, password } = options
  let closed: Promise<void> | undefined
  // the caller may have closed the log together with the mock
  const built = await build(options, line => closed === undefined && options.log?.(line))
  const { tokens, opened } = built
  const certificate = options.certificate ?? (await makeCertificate(options.names))
  let newest = certificate.fingerprint
  const { stage, connected } = options
  const recorder = new Recorder({
    tokens,
    answered: options.answered,
    stage: stage && ((request, connection) => stage(request, () => isMadeWith(newest, connection))),
  })
  const { server, secure, exchanges } = createApiServer({ ...built, recorder }, certificate)
  secure.on('secureConnection', opened)
  if (connected !== undefined)
    server.on('connection', tcp =>
      // A request that came with the end is recorded in the next turn.
      connected(
        new Promise(resolve => tcp.once('close', () => setImmediate(() => resolve(recorder.hasRequestOf(tcp))))),
      ),
    )
  const api = await listen(server, options.port ?? 0, 'port')
  const actions = actionsOf(built, recorder, async () => {
    await sentOrStuck(exchanges)
    api.cut()
  })
  const control = createControlServer({ actions, requests: () => recorder.requests })
  const controlPort = await listen(control.server, options.controlPort ?? 0, 'control port').catch(async error => {
    await api.close()
    throw error
  })
  const close = () => {
    closed ??= Promise.all([api.close(), controlPort.close()]).then(() => {})
    return closed
  }

  return {
    url: `https://127.0.0.1:${api.port}`,
    certificateFingerprint: certificate.fingerprint,
    certificatePem: certificate.certificate,
    credentials: { username, password },
    control: { url: `http://127.0.0.1:${controlPort.port}`, key: control.key },
    ...actions,
    get requests() {
      return recorder.requests
    },
    waitForRequest: async (wanted, options = {}) => recorder.waiting.wait(wanted, options, recorder.requests),
    async changeCertificate() {
      const { certificate: cert, privateKey: key, fingerprint } = await makeCertificate(options.names)
      newest = fingerprint
      secure.setSecureContext({ cert, key })
      return cert
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Tells whether a connection was made with the certificate of this fingerprint. */
function isMadeWith(fingerprint: string, connection: object): boolean {
  const own = connection instanceof TLSSocket ? connection.getCertificate() : null
  return own !== null && 'fingerprint256' in own && own.fingerprint256 === fingerprint
}

/** A mock Core that serves connections within its process, and listens nowhere. */
export interface MemoryCore extends MockActions {
  /** Serves a connection, given the Core's end of it. */
  serve(socket: Socket): void
}

/** Builds a mock Core without a network: no port, no TLS. What it does on a connection is the same. See `startMemoryCore`. */
export async function startInMemory(options: MockOptions): Promise<MemoryCore> {
  const built = await build(options, line => options.log?.(line))
  const { tokens, opened } = built
  const recorder = new Recorder({ tokens, answered: options.answered })
  const { serve, cut } = createMemoryServer({ ...built, recorder })
  return {
    ...actionsOf(built, recorder, cut),
    serve(socket) {
      opened(socket)
      serve(socket)
    },
  }
}

/** Builds the device of a mock Core. @param write gets the lines of its log */
async function build(options: MockOptions, write: (line: string) => void) {
  const { username, password, idleLifetimeMs = IDLE_LIFETIME_MS, accessControl = 'on', issued: onIssue } = options
  const dialect = toDialect(options.dialect ?? {})
  const clock = new MockClock(options.timeScale)
  const tokens = new TokenStore({ clock, idleLifetimeMs, format: dialect.token, expiry: dialect.expiry, onIssue })
  const credentials = new Credentials(username, password)
  const device = new Device({ tokens, dialect, credentials, username, accessControl })
  const listeners: ((socket: Socket) => void)[] = []
  if (options.defect !== undefined) {
    const { installDefect } = await import('./defects/index.js')
    const onConnection = (listener: (socket: Socket) => void) => listeners.push(listener)
    const subject = { device, tokens, clock, idleLifetimeMs, username, password, onConnection }
    installDefect(options.defect, subject, options.mutantDid)
  }
  const log = new RequestLog({ write, password, tokenFormat: dialect.token, knownPaths: Object.keys(device.routes) })
  const opened = (socket: Socket) => {
    for (const listener of listeners) listener(socket)
  }
  return { clock, tokens, device, log, opened }
}

/**
 * Makes the actions of a mock Core.
 * @param cut cuts every connection after the pending answers have gone out
 */
function actionsOf(
  { clock, tokens, device }: Awaited<ReturnType<typeof build>>,
  recorder: Recorder,
  cut: () => Promise<void>,
): MockActions {
  const { disturbances } = device
  return {
    advance: time => clock.advance(toMs(time, 'a time')),
    expireTokens: () => tokens.expireAll(),
    revokeTokens: () => tokens.keepNewest(0),
    refuseNext: (count, status, options) => disturbances.refuseNext(count, status, options),
    on: (method, path, handler) => device.ownRoutes.on(method, path, handler),
    delayNext: (count, time) => disturbances.delayNext(count, toMs(time, 'a delay')),
    restart() {
      tokens.forgetAll()
      return cut()
    },
    forgetTokens: () => tokens.forgetAll(),
    reset() {
      tokens.reset()
      device.reset()
      recorder.reset()
    },
    state: () => ({
      nowMs: clock.nowMs(),
      tokens: tokens.counts(),
      requests: device.requests,
      refusedLogons: device.refusedLogons,
    }),
  }
}
