/** The local server that stands for the Core in front of a verifier of contracts: Pact's, or a stranger. */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Exchange } from '../../core/exchange.js'
import { type Listening, listen } from '../../ground/listen.js'
import { headersForVerifier } from './headers.js'

/** A request that a verifier made from an interaction. */
export interface IncomingRequest {
  method: string
  path: string
  headers: [name: string, value: string][]
  body?: string
}

/** Largest body of a request or an answer, in bytes: larger than in any contract about this API. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024

/** What stands behind a {@link Gateway}. */
export interface Behind {
  /**
   * Brings about the states that a verifier asks for.
   * @param url with its query
   * @returns the values that they supply, or what else is told, with a status other than 200
   */
  change(url: string, body: string): Promise<{ told: object; status?: number; headers?: Record<string, string> }>
  /** Passes a request on to the Core. A response that is undefined, or whose body is cut, is answered 502. */
  forward(request: IncomingRequest, gateway: Gateway): Promise<Exchange | undefined>
}

/**
 * A plain HTTP server on this machine. A verifier then needs no certificates. The URLs hold a key, because a request here acts on the
 * Core with live tokens.
 */
export class Gateway {
  private readonly key = randomBytes(16).toString('hex')

  private constructor(
    private readonly behind: Behind,
    private readonly listening: Listening,
  ) {}

  /** Starts to listen. @param port 0 for a free one @throws Error with a sentence for people where the port cannot be opened */
  static async start(behind: Behind, port = 0): Promise<Gateway> {
    const server = createServer((request, response) => {
      gateway.answer(request, response).catch(() => response.destroy())
    })
    const gateway = new Gateway(behind, await listen(server, port, 'port'))
    return gateway
  }

  /** The URL of the Core for a verifier. */
  get url(): string {
    return `http://127.0.0.1:${this.listening.port}/${this.key}/core`
  }

  /** The URL where a verifier sets up provider states. */
  get statesUrl(): string {
    return `http://127.0.0.1:${this.listening.port}/${this.key}/states`
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
    const core = `/${this.key}/core`
    const path = url.startsWith(`${core}/`) ? url.slice(core.length) : undefined
    if (url.split('?', 1)[0] === `/${this.key}/states`) {
      const { told, status = 200, headers } = await this.behind.change(url, body)
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(told))
    } else if (path === undefined) response.writeHead(404).end()
    else {
      const { rawHeaders: raw } = request
      const headers = raw.flatMap((name, at): [string, string][] => (at % 2 ? [] : [[name, raw[at + 1] ?? '']]))
      const sent = { method, path, headers, ...(body && { body }) }
      const exchange = await this.behind.forward(sent, this)
      // A part of a body would be judged as the whole.
      if (exchange?.response && !exchange.isBodyCut) reply(response, exchange.response)
      else response.writeHead(502).end()
    }
  }
}

/** Reads the body of a request. @throws Error where it is too large */
async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) throw new Error('the request is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Answers as the Core did, without headers that the Core did not send. */
function reply(response: ServerResponse, answer: NonNullable<Exchange['response']>): void {
  const { status, body } = answer
  response.sendDate = false
  for (const [name, value] of headersForVerifier(answer)) response.appendHeader(name, value)
  response.writeHead(status)
  response.end(status === 204 || status === 304 ? undefined : body)
}
