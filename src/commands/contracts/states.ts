import type { Settings } from '../../config/settings.js'
import { count, numbered } from '../../ground/count.js'
import type { Provider } from '../../pact/states/provider.js'
import type { Gateway } from '../../pact/verify/gateway.js'
import { inert } from '../../report/inert.js'
import { VERDICTS } from '../../result/outcomes.js'
import { aborted, type Terminal, untilSignal } from '../../terminal.js'
import { coreUnderTest } from '../shared/target.js'
import { contractsRun, contractsStatesConfig } from './verify-config.js'

/**
 * `core-conformance contracts states`: serves provider states until the user stops it, then revokes every token.
 * @returns the exit code: 0, or 3 if a token could not be revoked
 */
export async function contractsStates(settings: Settings, terminal: Terminal): Promise<number> {
  const { json, ...config } = contractsStatesConfig(settings)
  const { stdout, stderr } = terminal
  const core = await coreUnderTest(config, terminal)
  const { username } = core.target
  try {
    const { serveStates } = await import('../../pact/states/states.js')
    const signal = untilSignal(terminal, 'Stopped: revoking tokens. Once more stops at once.')
    const { meanings, port } = config
    const log = (line: string) => stderr.write(`${inert(line)}\n`)
    const serving = ({ statesUrl, url: coreUrl }: Gateway, { expiryMs }: Provider) => {
      const told = { states: statesUrl, core: coreUrl, username }
      stdout.write(json ? `${JSON.stringify(told)}\n` : `States  ${statesUrl}\nCore    ${coreUrl}\n`)
      stderr.write(
        `Whoever has these addresses gets live tokens, and the name and password of ${inert(username)}. Serving until stopped (Ctrl-C).\n`,
      )
      if (expiryMs !== undefined)
        stderr.write(
          `A token will have expired at ${new Date(Date.now() + expiryMs).toISOString()}; until then, that state is answered 503.\n`,
        )
      return aborted(signal)
    }
    // Do not pass the signal on: after it, the tokens still have to be revoked.
    const { issued, left } = await serveStates(await contractsRun(config, core), { meanings, port, log, serving })
    const rest = left
      ? `${count(left, 'token')} could not be revoked`
      : `${numbered(issued, 'it is', 'all are')} given back`
    stderr.write(`${count(issued, 'token')} ${numbered(issued, 'was', 'were')} issued, ${rest}.\n`)
    return left ? VERDICTS.incomplete.exitCode : 0
  } finally {
    await core.close()
  }
}
