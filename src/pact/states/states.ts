/**
 * Serves provider states over HTTP to any Pact verifier. Each state is set up on the Core on request. One file, because every
 * request changes the same state: the interaction in progress.
 */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Exchange } from '../../core/exchange.js'
import { NotSent, type Session } from '../../core/session.js'
import type { Token } from '../../core/token.js'
import { isFields, parseJson } from '../../ground/json.js'
import { type Meanings, meaningOf, type ProviderState, type Value, wordsOf } from '../read/meanings.js'
import { bodyOf, pairs, reply } from '../verify/gateway.js'
import { type Prepared, type Provider, StateError } from '../verify/provider.js'
import { kindsOf } from '../verify/situation.js'

/** The parts and limits of a {@link StateServer}. */
export interface StateServerOptions {
  session: Session
  provider: Provider
  credentials: { username: string; password: string }
  meanings: Meanings
  accessControl: 'on' | 'off'
  /** How often a username with a wrong password is handed out; more could lock the account. */
  maxRefusedLogons: number
  /** The token that expires, with its remaining time; or a sentence on why there is none. */
  expiring: { token: Token; leftMs: () => number; leap: ((ms: number) => Promise<void>) | undefined } | string
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

/** A state cannot be set up now. Holds the time after which to ask again, in milliseconds. */
class NotYetError extends StateError {
  constructor(
    message: string,
    readonly afterMs: number,
  ) {
    super(message)
  }
}

/** Verifiers give up after 5 s by default. A shorter wait is done within the request. */
const LONGEST_HELD_MS = 3000
/**
 * Number of states of one interaction that are held: an interaction has two or three, and some verifiers never say that they
 * are done.
 */
const MOST_HELD = 8

/** A plain HTTP server on loopback. Its URLs hold a key, because it gives out live tokens and the password. */
export class StateServer {
  private readonly key = randomBytes(16).toString('hex')
  private readonly server: Server
  private readonly held: Token[] = []
  private current: Prepared = nothing()
  /** Whether a request came since the last state: the next state then belongs to another interaction. */
  private isUsed = false
  private wrongOnes = 0
  /** The queue of state changes. They run one after another, so that their values do not mix. */
  private turn: Promise<unknown> = Promise.resolve()

  private constructor(private readonly options: StateServerOptions) {
    this.server = createServer((request, response) => {
      this.turn = this.turn.then(() => this.answer(request, response)).catch(() => response.destroy())
    })
  }

  /** Starts to listen. @throws Error where the port cannot be opened */
  static async start(options: StateServerOptions): Promise<StateServer> {
    const made = new StateServer(options)
    await new Promise<void>((resolve, reject) => {
      made.server.once('error', reject).listen(options.port, '127.0.0.1', () => resolve())
    })
    return made
  }

  private get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/${this.key}`
  }

  /** The URL where a verifier sets up states. */
  get statesUrl(): string {
    return `${this.origin}/states`
  }

  /** The URL of the Core through this machine. */
  get coreUrl(): string {
    return `${this.origin}/core`
  }

  /** Stops. The owner of the session revokes the tokens. */
  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise(resolve => this.server.close(resolve))
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
        await this.begin()
        tell(200, {})
        return
      }
      if (this.isUsed || !change.states.length) await this.begin()
      const values: Record<string, string> = {}
      for (const state of change.states) Object.assign(values, await this.setUp(state))
      tell(200, values)
    } catch (error) {
      if (!(error instanceof StateError || error instanceof NotSent)) throw error
      this.options.log(`refused: ${error.message}`)
      const after =
        error instanceof NotYetError ? { 'Retry-After': String(Math.ceil(error.afterMs / 1000)) } : undefined
      tell(after ? 503 : 400, { error: error.message }, after)
    }
  }

  /** Sets up a state. Returns its values by the names that contracts use. */
  private async setUp(state: ProviderState): Promise<Record<string, string>> {
    const { meanings, accessControl, provider, credentials, log } = this.options
    const meaning = meaningOf(state, meanings)
    if (typeof meaning === 'string') throw new StateError(meaning)
    const kinds = kindsOf(meaning.state)
    if ((meaning.state === 'access control off') !== (accessControl === 'off') && meaning.state !== undefined)
      throw new StateError(
        `'${wordsOf(state)}' needs a Core with access control ${accessControl === 'on' ? 'off' : 'on'} (--access-control)`,
      )
    if (kinds.credentials === 'wrong' || kinds.credentials === 'unknown user') await this.countWrong()
    if (kinds.token === 'expired') await this.expire()
    const prepared = await provider.prepare({ ...kinds, accessControl }, [])
    await this.hold(prepared)
    const given = {
      ...credentials,
      ...prepared.credentials,
      ...(prepared.token !== undefined && { token: prepared.token }),
    }
    const own = Object.entries(meaning.gives).flatMap(([name, value]: [string, Value]) =>
      given[value] === undefined ? [] : [[name, given[value]] as const],
    )
    const values: Record<string, string> = { ...Object.fromEntries(own), ...given }
    log(`${wordsOf(state)}: gave ${Object.keys(values).sort().join(', ')}`)
    return values
  }

  /** Adds the values of a state to the interaction. Revokes the oldest tokens where there are many. */
  private async hold({ token, credentials, refused, issued }: Prepared): Promise<void> {
    const { current, held } = this
    this.current = {
      token: token ?? current.token,
      credentials: credentials ?? current.credentials,
      refused: refused && current.refused,
      issued: [...current.issued, ...issued],
    }
    held.push(...issued)
    await this.options.session.giveBack(held.splice(0, held.length - MOST_HELD), [])
  }

  /** Begins another interaction: revokes the tokens of the last one. */
  private async begin(): Promise<void> {
    const { session, provider } = this.options
    await provider.release(this.current, [])
    await session.giveBack(this.held.splice(0), [])
    this.current = nothing()
    this.isUsed = false
  }

  /** Counts a wrong password. Between two of them a logon always succeeds, since accounts may lock. */
  private async countWrong(): Promise<void> {
    const { maxRefusedLogons, provider, session } = this.options
    if (this.wrongOnes >= maxRefusedLogons)
      throw new StateError(
        `wrong credentials were handed out ${maxRefusedLogons} times, and the account might lock (--max-refused-logons)`,
      )
    if (this.wrongOnes++ > 0) await session.giveBack([await provider.mint('token between refused logons', [])], [])
  }

  private async expire(): Promise<void> {
    const { expiring } = this.options
    if (typeof expiring === 'string') throw new StateError(expiring)
    const leftMs = Math.max(expiring.leftMs(), 0)
    if (!leftMs) return
    if (expiring.leap) return expiring.leap(leftMs)
    if (leftMs > LONGEST_HELD_MS)
      throw new NotYetError(
        `no token has expired yet: ask again after ${new Date(Date.now() + leftMs).toISOString()}`,
        leftMs,
      )
    await sleep(leftMs)
  }

  /** Passes a request on to the Core, with its TLS trust, and notes the tokens that it issues and revokes. */
  private async pass(request: IncomingMessage, path: string, body: string, response: ServerResponse): Promise<void> {
    const headers = pairs(request.rawHeaders).filter(([name]) => !NOT_PASSED_ON.test(name))
    const isTold = [path, body, ...headers.flat()].some(text => text.includes(this.key))
    this.isUsed = true
    const { provider, log } = this.options
    let exchange: Exchange | undefined
    try {
      if (isTold) throw new StateError('the request would reveal the address of this server to the Core')
      exchange = await provider.send(
        { method: request.method ?? 'GET', path, headers, ...(body && { body }), httpVersion: '1.1', omitHost: false },
        this.current,
        [],
      )
    } catch (error) {
      if (!(error instanceof StateError || error instanceof NotSent)) throw error
      log(`refused: ${error.message}`)
    }
    // A part of a body would be judged as the whole.
    if (exchange?.response && !exchange.isBodyCut) reply(response, exchange.response)
    else response.writeHead(502).end()
  }
}

const NOT_PASSED_ON = /^(host|connection|keep-alive|content-length|transfer-encoding|accept-encoding|expect)$/i

function nothing(): Prepared {
  return { token: undefined, credentials: undefined, refused: true, issued: [] }
}

/**
 * Reads the request of a verifier: JSON (`state`, `params`, `action`), or the same in the query.
 * @throws StateError for anything else
 */
function changeOf(url: string, body: string): Change {
  const { action, state, params, states, ...others } = body ? parsed(body) : fromQuery(url)
  if (action !== undefined && action !== 'setup' && action !== 'teardown')
    throw new StateError(`'${String(action)}' is no action: it is setup or teardown`)
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
  throw new StateError('a state change is a JSON object with state, params and action')
}

function fromQuery(url: string): Record<string, unknown> {
  return Object.fromEntries(new URL(url, 'http://127.0.0.1').searchParams)
}
