/** Serves the provider states of a Core, in a run that has nothing else to do. */
import type { RunOptions } from '../../engine/options.js'
import { runSuite } from '../../engine/run.js'
import type { RunResult } from '../../result.js'
import { Provider } from './provider.js'
import { StateServer, type StateServerOptions } from './states.js'

/** How states are served, and to whom. */
export interface ServeOptions extends StateServerOptions {
  /** Called once they are. Serving ends with the promise. */
  serving: (server: StateServer) => Promise<void>
}

/**
 * Surveys the Core, serves its states, and gives every token back.
 * @returns the tokens that were issued, and those that could not be revoked
 * @throws Error where the Core or the port is unusable, after every token has been given back
 */
export async function serveStates(
  run: RunOptions,
  { serving, ...options }: ServeOptions,
): Promise<RunResult['tokens']> {
  let failure: unknown
  let isServed = false
  const host: RunOptions['host'] = async context => {
    isServed = true
    try {
      const server = await StateServer.start(await Provider.begin(context, run), options)
      await serving(server).finally(() => server.close())
    } catch (error) {
      failure = error
    }
  }
  const { reason, advice, tokens } = await runSuite({ ...run, host })
  if (failure) throw failure
  if (!isServed) throw new Error(advice ? `${reason}; ${advice}` : reason)
  return tokens
}
