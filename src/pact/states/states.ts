/** Serves provider states over HTTP to any Pact verifier. Each state is set up on the Core on request. */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Exchange } from '../../core/exchange.js'
import { NotSent } from '../../core/not-sent.js'
import type { RunOptions } from '../../engine/options.js'
import { runSuite } from '../../engine/run.js'
import { isFields, parseJson } from '../../ground/json.js'
import { type Listening, listen } from '../../ground/listen.js'
import type { RunResult } from '../../result.js'
import { type Meanings, meaningOf, type ProviderState, type Value, wordsOf } from '../read/meanings.js'
import { bodyOf, pairs, reply } from '../verify/gateway.js'
import { NotYetError, Provider } from './provider.js'

/** How a {@link StateServer} serves. */
export interface StateServerOptions {
  meanings: Meanings
  /** 0 for a free port. */
  port: number
  /** Gets the names of the values that were handed out, never the values. */
  log: (line: string) => void
}

/** The request for a state change. */
interface Change {
  action: 'setup' | 'teardown'
  states: ProviderState[]
}

/** A plain HTTP server on loopback. Its URLs hold a key, because it gives out live tokens and the password. */
export class StateServer {
  private readonly key = randomBytes(16).toString('hex')
  /** The queue of state changes. They run one after another, so that their values do not mix. */
  private turn: Promise<unknown> = Promise.resolve()

  private constructor(
    /** The Core. */
    readonly provider: Provider,
    private readonly options: StateServerOptions,
    private readonly listening: Listening,
  ) {}

  /** Starts to listen. @throws Error with a sentence for people where the port cannot be opened */
  static async start(provider: Provider, options: StateServerOptions): Promise<StateServer> {
    const server = createServer((request, response) => {
      const answer = () => provider.schedule.task(() => made.answer(request, response))
      made.turn = made.turn.then(answer).catch(() => response.destroy())
    })
    const made = new StateServer(provider, options, await listen(server, options.port, 'port'))
    return made
  }

  private get origin(): string {
    return `http://127.0.0.1:${this.listening.port}/${this.key}`
  }

  /** The URL where a verifier sets up states. */
  get statesUrl(): string {
    return `${this.origin}/states`
  }

  /** The URL of the Core through this machine. */
  get coreUrl(): string {
    return `${this.origin}/core`
  }

  /** Stops. The run gives the tokens back. */
  async close(): Promise<void> {
    await this.listening.close()
    await this.turn
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? '/'
    const body = await bodyOf(request)
    if (url.split('?', 1)[0] === `/${this.key}/states`) return this.change(url, body, response)
    if (url.startsWith(`/${this.key}/core/`))
      return this.pass(request, url.slice(`/${this.key}/core`.length), body, response)
    response.writeHead(404).end()
  }

  private async change(url: string, body: string, response: ServerResponse): Promise<void> {
    const tell = (status: number, told: object, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(told))
    try {
      const change = changeOf(url, body)
      if (change.action === 'teardown') {
        await this.provider.begin()
        tell(200, {})
        return
      }
      if (!change.states.length || this.provider.isUsed) await this.provider.begin()
      const values: Record<string, string> = {}
      for (const state of change.states) Object.assign(values, await this.setUp(state))
      tell(200, values)
    } catch (error) {
      if (!(error instanceof NotSent)) throw error
      this.log(`refused: ${error.message}`)
      const after =
        error instanceof NotYetError ? { 'Retry-After': String(Math.ceil(error.afterMs / 1000)) } : undefined
      tell(after ? 503 : 400, { error: this.provider.redacted(error.message) }, after)
    }
  }

  /** Sets up a state. Returns its values by the names that contracts use. */
  private async setUp(state: ProviderState): Promise<Record<string, string>> {
    const meaning = meaningOf(state, this.options.meanings)
    if (typeof meaning === 'string') throw new NotSent(meaning)
    const given = await this.provider.setUp(meaning.state, wordsOf(state))
    const own = Object.entries(meaning.gives).flatMap(([name, value]: [string, Value]) =>
      given[value] === undefined ? [] : [[name, given[value]] as const],
    )
    const values: Record<string, string> = { ...Object.fromEntries(own), ...given }
    this.log(`${wordsOf(state)}: gave ${Object.keys(values).sort().join(', ')}`)
    return values
  }

  private log(line: string): void {
    this.options.log(this.provider.redacted(line))
  }

  /** Passes a request on to the Core, with its TLS trust, and notes the tokens that it issues and revokes. */
  private async pass(request: IncomingMessage, path: string, body: string, response: ServerResponse): Promise<void> {
    const headers = pairs(request.rawHeaders).filter(([name]) => !NOT_PASSED_ON.test(name))
    const isTold = [path, body, ...headers.flat()].some(text => text.includes(this.key))
    this.provider.isUsed = true
    let exchange: Exchange | undefined
    try {
      if (isTold) throw new NotSent('the request would reveal the address of this server to the Core')
      const { method = 'GET' } = request
      exchange = await this.provider.send({
        method,
        path,
        headers,
        ...(body && { body }),
        httpVersion: '1.1',
        omitHost: false,
      })
    } catch (error) {
      if (!(error instanceof NotSent)) throw error
      this.log(`refused: ${error.message}`)
    }
    // A part of a body would be judged as the whole.
    if (exchange?.response && !exchange.isBodyCut) reply(response, exchange.response)
    else response.writeHead(502).end()
  }
}

const NOT_PASSED_ON = /^(host|connection|keep-alive|content-length|transfer-encoding|accept-encoding|expect)$/i

/**
 * Reads the request of a verifier: JSON (`state`, `params`, `action`), or the same in the query.
 * @throws NotSent for anything else
 */
function changeOf(url: string, body: string): Change {
  const { action, state, params, states, ...others } = body
    ? parsed(body)
    : Object.fromEntries(new URL(url, 'http://127.0.0.1').searchParams)
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

function parsed(body: string): Record<string, unknown> {
  const value = parseJson(body)
  if (isFields(value)) return value
  throw new NotSent('a state change is a JSON object with state, params and action')
}

interface ServeOptions extends StateServerOptions {
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
