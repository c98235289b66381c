/** The local server that stands for the Core in front of a verifier of contracts: Pact's, or a stranger. */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Exchange, WireResponse } from '../../core/exchange.js'
import { type Listening, listen } from '../../ground/listen.js'
import { streamText } from '../../ground/stream-text.js'

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
    const body = await streamText(request, MAX_BODY_BYTES)
    if (body === undefined) throw new Error('the request is too large')
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
      if (!exchange?.response || exchange.isBodyCut) return void response.writeHead(502).end()
      const { status, body: answered } = exchange.response
      // Without headers that the Core did not send.
      response.sendDate = false
      for (const [name, value] of headersForVerifier(exchange.response)) response.appendHeader(name, value)
      response.writeHead(status).end(status === 204 || status === 304 ? undefined : answered)
    }
  }
}

/**
 * The prefix of headers that Pact's Verifier must not see under their names, in the contract and in the answer. Headers of one
 * connection would not arrive unchanged. The Verifier would follow `Location` of a redirect, judge the other answer, and reveal
 * the gateway's URL to that server.
 */
const ALIAS = 'X-As-Answered-'

/** Headers of one connection, or of an encoding that the body no longer has: the gateway sends its own. */
const OF_THE_CONNECTION =
  /^(connection|keep-alive|transfer-encoding|content-length|content-encoding|upgrade|trailer|proxy-connection)$/i

/** Returns the headers of an answer as the Verifier may see them. */
function headersForVerifier({ status, headers }: WireResponse): WireResponse['headers'] {
  return headers.flatMap(([name, value]): [string, string][] => {
    // A client may also follow these headers; nobody judges them.
    if (isRedirect(status) && /^(refresh|content-location)$/i.test(name)) return []
    return [[isRenamed(name, status) ? `${ALIAS}${name}` : name, value]]
  })
}

/** Renames the headers in the response of a contract. */
export function withAlias(contract: string, status: number): string {
  const renamed = (value: unknown, isInResponse = false): unknown => {
    if (Array.isArray(value)) return value.map(item => renamed(item, isInResponse))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        const [, path = '', header = ''] = /^((?:\$\.headers?\.)?)(.*)$/s.exec(key) ?? []
        const name = isInResponse && isRenamed(header, status) ? `${path}${ALIAS}${header}` : key
        // A field of that name in the body stays.
        return [name, key === 'body' ? item : renamed(item, isInResponse || key === 'response')]
      }),
    )
  }
  return JSON.stringify(renamed(JSON.parse(contract)))
}

/** Restores the original names in the Verifier's words. */
export function withoutAlias(text: string): string {
  return text.replaceAll(new RegExp(ALIAS, 'gi'), '')
}

function isRenamed(name: string, status: number): boolean {
  return OF_THE_CONNECTION.test(name) || (isRedirect(status) && /^location$/i.test(name))
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400
}
