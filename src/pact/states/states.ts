/** Provider states over HTTP, for whatever verifier of Pact asks: each is brought about on the Core when it is asked for. */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Exchange } from '../../core/exchange.js'
import { NotSent, type Session } from '../../core/session.js'
import type { Token } from '../../core/token.js'
import { type Meanings, meaningOf, type ProviderState, type Value, wordsOf } from '../read/meanings.js'
import { bodyOf, pairs, reply } from '../verify/gateway.js'
import { type Prepared, type Provider, StateError } from '../verify/provider.js'
import { kindsOf } from '../verify/situation.js'

/** What a {@link StateServer} works with. */
export interface StateServerOptions {
  session: Session
  provider: Provider
  credentials: { username: string; password: string }
  meanings: Meanings
  accessControl: 'on' | 'off'
  /** How often a name and a wrong password are handed out, since accounts lock. */
  maxRefusedLogons: number
  /** The token that expires, and how long that takes from now on; or a sentence on why there is none. */
  expiring: { token: Token; leftMs: () => number; leap: ((ms: number) => Promise<void>) | undefined } | string
  /** 0: a free one. */
  port: number
  /** Told what was handed out, by names: no value is among them. */
  log: (line: string) => void
}

/** What a state change asks for. */
interface Change {
  action: 'setup' | 'teardown'
  states: ProviderState[]
}

/** What keeps a state from being brought about now: its status, and after how long to ask again. */
class Later extends StateError {
  constructor(
    message: string,
    readonly afterMs: number,
  ) {
    super(message)
  }
}

/** Verifiers give up after 5 s by default; a shorter wait is done while they ask. */
const LONGEST_HELD_MS = 3000
/** Verifiers ask for one state after another, and some never tell that they are done; an interaction has two or three. */
const MOST_HELD = 8

/** Plain HTTP on loopback. Its addresses hold a key, since whoever has them gets live tokens and the password. */
export class StateServer {
  private readonly key = randomBytes(16).toString('hex')
  private readonly server: Server
  private readonly held: Token[] = []
  private current: Prepared = nothing()
  /** Whether a request came since the last state: the next state is of another interaction. */
  private isUsed = false
  private wrongOnes = 0
  /** One after another: what a state brings must not be taken for that of another. */
  private turn: Promise<unknown> = Promise.resolve()

  private constructor(private readonly options: StateServerOptions) {
    this.server = createServer((request, response) => {
      this.turn = this.turn.then(() => this.answer(request, response)).catch(() => response.destroy())
    })
  }

  /** Starts listening. @throws Error where the port cannot be had */
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

  /** Where a verifier asks for states. */
  get statesUrl(): string {
    return `${this.origin}/states`
  }

  /** The Core, by way of this machine. */
  get coreUrl(): string {
    return `${this.origin}/core`
  }

  /** Stops; tokens are given back by whoever has the session. */
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
      const after = error instanceof Later ? { 'Retry-After': String(Math.ceil(error.afterMs / 1000)) } : undefined
      tell(after ? 503 : 400, { error: error.message }, after)
    }
  }

  /** Brings a state about; gives what it brings, by the names that contracts ask for it by. */
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

  /** Adds what a state brought to the interaction, and gives back the oldest tokens where there are many. */
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

  /** Begins another interaction: what the last one was given goes back. */
  private async begin(): Promise<void> {
    const { session, provider } = this.options
    await provider.release(this.current, [])
    await session.giveBack(this.held.splice(0), [])
    this.current = nothing()
    this.isUsed = false
  }

  /** Between two wrong passwords there is always a logon that succeeds, since accounts lock. */
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
      throw new Later(
        `no token has expired yet: ask again after ${new Date(Date.now() + leftMs).toISOString()}`,
        leftMs,
      )
    await sleep(leftMs)
  }

  /** Passes a request on to the Core, by its trust, and notes which tokens it issues and revokes. */
  private async pass(request: IncomingMessage, path: string, body: string, response: ServerResponse): Promise<void> {
    const headers = pairs(request.rawHeaders).filter(([name]) => !NOT_PASSED_ON.test(name))
    const isTold = [path, body, ...headers.flat()].some(text => text.includes(this.key))
    this.isUsed = true
    const { provider, log } = this.options
    let exchange: Exchange | undefined
    try {
      if (isTold) throw new StateError('the request holds the address of this server, and that is not told to a Core')
      exchange = await provider.send(
        { method: request.method ?? 'GET', path, headers, ...(body && { body }), httpVersion: '1.1', omitHost: false },
        this.current,
        [],
      )
    } catch (error) {
      if (!(error instanceof StateError || error instanceof NotSent)) throw error
      log(`refused: ${error.message}`)
    }
    // A part of a body would be judged for the whole.
    if (exchange?.response && !exchange.isBodyCut) reply(response, exchange.response)
    else response.writeHead(502).end()
  }
}

const NOT_PASSED_ON = /^(host|connection|keep-alive|content-length|transfer-encoding|accept-encoding|expect)$/i

function nothing(): Prepared {
  return { token: undefined, credentials: undefined, refused: true, issued: [] }
}

/**
 * What a verifier asks for: JSON (`state`, `params`, `action`), or the same in the query.
 * @throws StateError for what is neither
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
  try {
    const value: unknown = JSON.parse(body)
    if (isFields(value)) return value
  } catch {}
  throw new StateError('a state change is a JSON object with state, params and action')
}

function fromQuery(url: string): Record<string, unknown> {
  return Object.fromEntries(new URL(url, 'http://127.0.0.1').searchParams)
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
