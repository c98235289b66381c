/** Serves provider states over HTTP to any Pact verifier. Each state is set up on the Core on request. */
import { NotSent } from '../../core/not-sent.js'
import type { RunOptions } from '../../engine/options.js'
import { runSuite } from '../../engine/run.js'
import { isFields, parseJson } from '../../ground/json.js'
import type { RunResult } from '../../result.js'
import { type Meanings, meaningOf, type ProviderState, type Value, wordsOf } from '../read/meanings.js'
import { type Behind, Gateway } from '../verify/gateway.js'
import { NotYetError, Provider } from './provider.js'

/** How states are served. */
export interface StateServerOptions {
  meanings: Meanings
  /** 0 for a free port. */
  port: number
  /** Gets the names of the values that were handed out, never the values. */
  log: (line: string) => void
}

/** Makes what stands behind the gateway of provider states, which gives out live tokens and the password. */
function statesOf(provider: Provider, { meanings, log }: StateServerOptions) {
  const { schedule, session } = provider.context
  /** The queue of what is asked. One thing comes after another, so that the values of states do not mix. */
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = turn.then(() => schedule.task(work))
    turn = done.catch(() => {})
    return done
  }
  const tell = (line: string) => log(session.text(line))
  /** Sets up a state. Returns its values by the names that contracts use. */
  const setUp = async (state: ProviderState) => {
    const meaning = meaningOf(state, meanings)
    if (typeof meaning === 'string') throw new NotSent(meaning)
    const given = await provider.setUp(meaning.state, wordsOf(state))
    const own = Object.entries(meaning.gives).flatMap(([name, value]: [string, Value]) =>
      given[value] === undefined ? [] : [[name, given[value]] as const],
    )
    const values: Record<string, string> = { ...Object.fromEntries(own), ...given }
    tell(`${wordsOf(state)}: gave ${Object.keys(values).sort().join(', ')}`)
    return values
  }
  const changed: Behind['change'] = async (url, body) => {
    try {
      const { action, states } = changeOf(url, body)
      if (action === 'teardown' || !states.length || provider.isUsed) await provider.begin()
      const values: Record<string, string> = {}
      if (action === 'setup') for (const state of states) Object.assign(values, await setUp(state))
      return { told: values }
    } catch (error) {
      if (!(error instanceof NotSent)) throw error
      tell(`refused: ${error.message}`)
      const told = { error: session.text(error.message) }
      if (!(error instanceof NotYetError)) return { told, status: 400 }
      return { told, status: 503, headers: { 'Retry-After': String(Math.ceil(error.afterMs / 1000)) } }
    }
  }
  /** Passes a request on to the Core, with its TLS trust, and notes the tokens that it issues and revokes. */
  const pass: Behind['forward'] = async (request, gateway) => {
    const headers = request.headers.filter(([name]) => !NOT_PASSED_ON.test(name))
    const sent = { ...request, headers }
    provider.isUsed = true
    try {
      if (gateway.isToldBy(sent)) throw new NotSent('the request would reveal the address of this server to the Core')
      return await provider.send({ ...sent, httpVersion: '1.1', omitHost: false })
    } catch (error) {
      if (!(error instanceof NotSent)) throw error
      tell(`refused: ${error.message}`)
      return undefined
    }
  }
  const behind: Behind = {
    change: (...change) => inTurn(() => changed(...change)),
    forward: (...request) => inTurn(() => pass(...request)),
  }
  /** `over` settles when nothing is asked any more. */
  return { ...behind, over: () => turn }
}

const NOT_PASSED_ON = /^(host|connection|keep-alive|content-length|transfer-encoding|accept-encoding|expect)$/i

/**
 * Reads the request of a verifier: JSON (`state`, `params`, `action`), or the same in the query.
 * @throws NotSent for anything else
 */
function changeOf(url: string, body: string) {
  const fields = body ? parseJson(body) : Object.fromEntries(new URL(url, 'http://127.0.0.1').searchParams)
  if (!isFields(fields)) throw new NotSent('a state change is a JSON object with state, params and action')
  const { action, state, params, states, ...others } = fields
  if (action !== undefined && action !== 'setup' && action !== 'teardown')
    throw new NotSent(`'${String(action)}' is no action: it is setup or teardown`)
  const names = typeof state === 'string' ? [state] : Array.isArray(states) ? states : []
  const given = isFields(params) ? params : body ? {} : others
  return {
    action: action ?? 'setup',
    states: names.flatMap(each => {
      const found = isFields(each) ? each : { name: each, params: given }
      const name = typeof found.name === 'string' ? found.name.trim() : ''
      return name ? [{ name, params: isFields(found.params) ? found.params : {} }] : []
    }),
  }
}

interface ServeOptions extends StateServerOptions {
  /** Called once they are. Serving ends with the promise. */
  serving: (gateway: Gateway, provider: Provider) => Promise<void>
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
      const provider = await Provider.begin(context, run)
      const states = statesOf(provider, options)
      const gateway = await Gateway.start(states, options.port)
      await serving(gateway, provider).finally(async () => {
        await gateway.close()
        await states.over()
      })
    } catch (error) {
      failure = error
    }
  }
  const { reason, advice, tokens } = await runSuite({ ...run, host })
  if (failure) throw failure
  if (!isServed) throw new Error(advice ? `${reason}; ${advice}` : reason)
  return tokens
}
