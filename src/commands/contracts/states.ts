import type { Settings } from '../../config/settings.js'
import { clockOf } from '../../engine/clock.js'
import { count, numbered } from '../../ground/count.js'
import { whyNot } from '../../mock/listen.js'
import type { StateServer } from '../../pact/states/states.js'
import { inert } from '../../report/inert.js'
import { loadSpecs } from '../../runner/choose-specs.js'
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
  const { target, control, kind, close } = await coreUnderTest(config, terminal)
  try {
    const { serveStates } = await import('../../pact/states/states.js')
    const signal = untilSignal(terminal, 'Stopped: revoking tokens. Once more stops at once.')
    const { tokenField, meanings, port } = config
    const core = { target, targetKind: kind, tokenField }
    const run = {
      suite: await loadSpecs([]),
      specs: [],
      configuration: config,
      ...core,
      advice: { patience: '--patience' },
    }
    const log = (line: string) => stderr.write(`${inert(line)}\n`)
    const serving = ({ statesUrl, coreUrl, provider: { expiryMs } }: StateServer) => {
      const told = { states: statesUrl, core: coreUrl, username: target.username }
      stdout.write(json ? `${JSON.stringify(told)}\n` : `States  ${statesUrl}\nCore    ${coreUrl}\n`)
      stderr.write(
        `Whoever has these addresses gets live tokens, and the name and password of ${inert(target.username)}. Serving until stopped (Ctrl-C).\n`,
      )
      if (expiryMs !== undefined)
        stderr.write(
          `A token will have expired at ${new Date(Date.now() + expiryMs).toISOString()}; until then, that state is answered 503.\n`,
        )
      return aborted(signal)
    }
    // Do not pass the signal on: after it, the tokens still have to be revoked.
    const { issued, left } = await serveStates(
      { ...run, clock: clockOf(control) },
      { meanings, port, log, serving },
    ).catch(error => {
      if (error.syscall !== 'listen') throw error
      throw new Error(whyNot(error, port ?? 0, 'port'), { cause: error })
    })
    const rest = left
      ? `${count(left, 'token')} could not be revoked`
      : `${numbered(issued, 'it is', 'all are')} given back`
    stderr.write(`${count(issued, 'token')} ${numbered(issued, 'was', 'were')} issued, ${rest}.\n`)
    return left ? 3 : 0
  } finally {
    await close()
  }
}
