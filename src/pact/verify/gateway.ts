/** The local server that stands for the Core in front of Pact's Verifier. */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Exchange } from '../../core/exchange.js'
import { type Listening, listen } from '../../ground/listen.js'
import type { Meaning, Value } from '../read/meanings.js'
import { headersForVerifier } from './headers.js'

/** A request that the Verifier made from an interaction. */
export interface IncomingRequest {
  method: string
  path: string
  headers: [name: string, value: string][]
  body?: string
}

/** The placeholders that provider states supply. They are no secrets; the gateway replaces them on the way to the Core. */
export type Placeholders = Record<Value, string>

/** Largest body of a request or an answer, in bytes: larger than in any contract about this API. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024

/**
 * A plain HTTP server on this machine. The Verifier then needs no certificates, and never gets a secret: it puts placeholders
 * into requests. The URL holds a key, because a request here acts on the Core with live tokens.
 */
export class Gateway {
  readonly placeholders: Placeholders = {
    token: `placeholder-token-${randomBytes(8).toString('hex')}`,
    username: `placeholder-username-${randomBytes(8).toString('hex')}`,
    password: `placeholder-password-${randomBytes(8).toString('hex')}`,
  }
  /** Passes a request on to the Core; set for each interaction. */
  forward: ((request: IncomingRequest) => Promise<Exchange | undefined>) | undefined
  /** A team's own names for the values of an interaction's states; set for each interaction. */
  gives: Meaning['gives'] = {}
  private readonly key = randomBytes(16).toString('hex')

  private constructor(private readonly listening: Listening) {}

  /** Starts to listen on a free port. */
  static async start(): Promise<Gateway> {
    const server = createServer((request, response) => {
      gateway.answer(request, response).catch(() => response.destroy())
    })
    const gateway = new Gateway(await listen(server, 0, 'port'))
    return gateway
  }

  /** The URL of the Core for the Verifier. */
  get url(): string {
    return `http://127.0.0.1:${this.listening.port}/${this.key}`
  }

  /** The URL where the Verifier sets up provider states. */
  get statesUrl(): string {
    return `${this.url}-states`
  }

  /** Tells whether a request would reveal the gateway's URL to the Core: a contract's generator can put it anywhere. */
  isToldBy({ path, headers, body = '' }: IncomingRequest): boolean {
    return [path, body, ...headers.flat()].some(text => text.includes(this.key))
  }

  /** Stops, and cuts every connection. */
  close(): Promise<void> {
    return this.listening.close()
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '/', method = 'GET' } = request
    const body = await bodyOf(request)
    if (url === `/${this.key}-states`) {
      // The state was set up before the Verifier started.
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

/** Reads the body of a request. @throws Error where it is too large */
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

/** Turns Node's flat list of headers into pairs. */
export function pairs(raw: string[]): [string, string][] {
  return raw.flatMap((name, index): [string, string][] => (index % 2 ? [] : [[name, raw[index + 1] ?? '']]))
}

/** Answers as the Core did, without headers that the Core did not send. */
export function reply(response: ServerResponse, answer: NonNullable<Exchange['response']>): void {
  const { status, body } = answer
  response.sendDate = false
  for (const [name, value] of headersForVerifier(answer)) response.appendHeader(name, value)
  response.writeHead(status)
  response.end(status === 204 || status === 304 ? undefined : body)
}
