import { makeCertificate } from './certificate.js'
import { MockClock } from './clock.js'
import { createControlServer } from './control.js'
import { Device } from './device.js'
import { toDialect } from './dialect.js'
import { listen } from './listen.js'
import { RequestLog } from './log.js'
import { Credentials } from './secrets.js'
import { createApiServer } from './server.js'
import { TokenStore } from './tokens.js'
import type { MockCore, MockOptions } from './types.js'

/** Limits: 1 hour. */
const IDLE_LIFETIME_MS = 3_600_000

/** Puts a mock Core together and starts it. See `startMockCore`. */
export async function start(options: MockOptions): Promise<MockCore> {
  const { username, password, idleLifetimeMs = IDLE_LIFETIME_MS, accessControl = 'on' } = options
  const dialect = toDialect(options.dialect ?? {})
  let closed: Promise<void> | undefined
  const clock = new MockClock()
  const tokens = new TokenStore({ clock, idleLifetimeMs, format: dialect.token, expiry: dialect.expiry })
  const credentials = new Credentials(username, password)
  const device = new Device({ tokens, dialect, credentials, username, accessControl })
  if (options.defect !== undefined) {
    const { installDefect } = await import('./defects/index.js')
    installDefect(options.defect, { device, tokens, clock, idleLifetimeMs, username, password })
  }
  const log = new RequestLog({
    write: line => {
      if (closed === undefined) options.log?.(line) // whoever closed the mock may have closed the log as well
    },
    password,
    tokenFormat: dialect.token,
    knownPaths: Object.keys(device.routes),
  })
  const control = createControlServer({
    clock,
    state: () => ({
      tokens: { ...tokens.counts() },
      requests: device.requests,
      refusedLogons: device.refusedLogons,
    }),
  })

  const certificate = await makeCertificate()
  const api = await listen(createApiServer(device, certificate, log), options.port ?? 0, '--port')
  const controlPort = await listen(control.server, options.controlPort ?? 0, '--control-port').catch(async error => {
    await api.close()
    throw error
  })

  return {
    url: `https://127.0.0.1:${api.port}`,
    certificateFingerprint: certificate.fingerprint,
    certificatePem: certificate.certificate,
    control: { url: `http://127.0.0.1:${controlPort.port}`, key: control.key },
    close() {
      closed ??= Promise.all([api.close(), controlPort.close()]).then(() => {})
      return closed
    },
  }
}
