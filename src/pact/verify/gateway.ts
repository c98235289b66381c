/** The local server that Pact's Verifier takes for the Core. */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Exchange, WireRequest } from '../../core/exchange.js'
import { passedOn } from './headers.js'

/** A request as the Verifier makes it of an interaction. */
export type IncomingRequest = Pick<WireRequest, 'method' | 'path' | 'headers' | 'body'>

/** Passes a request on to the Core. */
export type Forward = (request: IncomingRequest) => Promise<Exchange | undefined>

/** What provider states bring; none of it is a secret: on their way to the Core, these are replaced. */
export interface Placeholders {
  token: string
  username: string
  password: string
}

/** How large a body may be, of a request as of an answer: more than any contract about this API has. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024

/**
 * Plain HTTP on this machine, so that the Verifier needs to know nothing of certificates; and so that no secret ever gets
 * into it: what it puts into requests are placeholders. Its address holds a key, since whoever can send to it acts on the
 * Core with live tokens.
 */
export class Gateway {
  readonly placeholders: Placeholders = {
    token: `placeholder-token-${randomBytes(8).toString('hex')}`,
    username: `placeholder-username-${randomBytes(8).toString('hex')}`,
    password: `placeholder-password-${randomBytes(8).toString('hex')}`,
  }
  /** What is done with requests; set for each interaction. */
  forward: Forward | undefined
  /** A team's own names for what the states of an interaction bring; set for each interaction. */
  gives: Readonly<Record<string, keyof Placeholders>> = {}
  private readonly key = randomBytes(16).toString('hex')
  private readonly server: Server

  private constructor() {
    this.server = createServer((request, response) => {
      this.answer(request, response).catch(() => response.destroy())
    })
  }

  /** Starts listening on a free port. */
  static async start(): Promise<Gateway> {
    const gateway = new Gateway()
    await new Promise<void>((resolve, reject) => {
      gateway.server.once('error', reject).listen(0, '127.0.0.1', () => resolve())
    })
    return gateway
  }

  /** What the Verifier is told of the Core. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/${this.key}`
  }

  /** Where the Verifier asks for provider states. */
  get statesUrl(): string {
    return `${this.url}-states`
  }

  /** Whether a request would tell the Core how this gateway is reached; a generator of a contract can put that anywhere. */
  isToldBy({ path, headers, body = '' }: IncomingRequest): boolean {
    return [path, body, ...headers.flat()].some(text => text.includes(this.key))
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise(resolve => this.server.close(resolve))
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '/', method = 'GET' } = request
    const body = await bodyOf(request)
    if (url === `/${this.key}-states`) {
      // What the state needs was brought about before the Verifier was started.
      response.setHeader('Content-Type', 'application/json')
      const own = Object.entries(this.gives).map(([name, value]) => [name, this.placeholders[value]])
      response.end(JSON.stringify({ ...Object.fromEntries(own), ...this.placeholders }))
      return
    }
    const path = url.startsWith(`/${this.key}/`) ? url.slice(this.key.length + 1) : undefined
    if (path === undefined || !this.forward) {
      response.writeHead(404).end()
      return
    }
    const exchange = await this.forward({ method, path, headers: pairs(request.rawHeaders), ...(body && { body }) })
    if (exchange?.response) reply(response, exchange.response)
    else response.writeHead(502).end()
  }
}

/** The body of a request. @throws Error where it is too large */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) throw new Error('the request is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Headers as they came, of Node's flat list. */
export function pairs(raw: string[]): [string, string][] {
  return raw.flatMap((name, index): [string, string][] => (index % 2 ? [] : [[name, raw[index + 1] ?? '']]))
}

/** Answers as the Core did, and with no header that the Core did not send. */
export function reply(response: ServerResponse, answer: NonNullable<Exchange['response']>): void {
  const { status, body } = answer
  response.sendDate = false
  for (const [name, value] of passedOn(answer)) response.appendHeader(name, value)
  response.writeHead(status)
  response.end(status === 204 || status === 304 ? undefined : body)
}
