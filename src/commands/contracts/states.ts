import type { Settings } from '../../config/settings.js'
import { clockOf } from '../../engine/clock.js'
import { count, numbered } from '../../ground/count.js'
import { inert } from '../../report/inert.js'
import { aborted, type Terminal, untilSignal } from '../../terminal.js'
import { coreUnderTest } from '../shared/core-under-test.js'
import { contractsStatesConfig } from './verify-config.js'

/**
 * `core-conformance contracts states`: serves provider states until the user stops it, then revokes every token.
 * @returns the exit code: 0, or 3 if a token could not be revoked
 * @throws ConfigError for a setting that cannot be used; Error if the Core cannot be used, or a port is not free
 */
export async function contractsStates(settings: Settings, terminal: Terminal): Promise<number> {
  const { json, ...config } = contractsStatesConfig(settings)
  const { stdout, stderr } = terminal
  const { target, control, close } = await coreUnderTest(config, terminal)
  try {
    const { serveStates } = await import('../../pact/states/serve-states.js')
    const signal = untilSignal(terminal, 'Stopped: revoking tokens. Once more stops at once.')
    const served = await serveStates({
      ...config,
      target,
      clock: clockOf(control),
      // Do not pass the signal on: after it, the tokens still have to be revoked.
      signal: new AbortController().signal,
      log: line => stderr.write(`${inert(line)}\n`),
    })
    const { statesUrl, coreUrl, expiryMs } = served
    const told = { states: statesUrl, core: coreUrl, username: target.username }
    stdout.write(json ? `${JSON.stringify(told)}\n` : `States  ${statesUrl}\nCore    ${coreUrl}\n`)
    stderr.write(
      `Whoever has these addresses gets live tokens, and the name and password of ${inert(target.username)}. Serving until stopped (Ctrl-C).\n`,
    )
    if (expiryMs !== undefined)
      stderr.write(
        `A token will have expired at ${new Date(Date.now() + expiryMs).toISOString()}; until then, that state is answered 503.\n`,
      )
    await aborted(signal)
    const { issued, left } = await served.close()
    const rest = left
      ? `${count(left, 'token')} could not be revoked`
      : `${numbered(issued, 'it is', 'all are')} given back`
    stderr.write(`${count(issued, 'token')} ${numbered(issued, 'was', 'were')} issued, ${rest}.\n`)
    return left ? 3 : 0
  } finally {
    await close()
  }
}
