import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { bearerToken } from './bearer.js'
import type { MockClock } from './clock.js'
import { type Service, serve } from './exchange.js'
import { type Json, parseJsonObject } from './json.js'
import { type ApiRequest, type ApiResponse, headerValues, pathOf, type RequestHead } from './messages.js'
import { Secret } from './secrets.js'

/** Bytes. */
const BODY_LIMIT = 4 * 1024

/** Names of the loopback host; any other one in a Host header is a web page that got its name resolved to 127.0.0.1. */
const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i

/** What the control endpoint controls. */
export interface ControlParts {
  clock: MockClock
  /** Everything that `GET /state` says beside `nowMs`. */
  state(): { readonly [key: string]: Json }
}

/**
 * Makes the control endpoint: plain HTTP, for whoever has its key. `POST /advance` with `{"ms": N}` lets the mock's clock
 * jump; `GET /state` tells what the mock has seen. A browser is kept out, since any page in it can reach the loopback host.
 *
 * @returns the server, not yet listening, and its key
 */
export function createControlServer(parts: ControlParts): { server: Server; key: string } {
  const key = randomBytes(32).toString('hex')
  const server = createServer({ headersTimeout: 20_000, requestTimeout: 30_000, connectionsCheckingInterval: 5_000 })
  serve(server, new Control(parts, new Secret(key)), { bodyLimit: BODY_LIMIT })
  return { server, key }
}

class Control implements Service {
  constructor(
    readonly parts: ControlParts,
    readonly key: Secret,
  ) {}

  screen({ headers }: RequestHead): ApiResponse | undefined {
    if (headerValues(headers, 'origin').length > 0) {
      return refusal(403, 'not for browsers: the request has an Origin header')
    }
    const hosts = headerValues(headers, 'host')
    if (hosts.length !== 1 || !hosts.every(host => LOOPBACK.test(host))) {
      return refusal(403, 'the Host header must name the loopback host')
    }
    if (this.key.equals(bearerToken(headers) ?? '')) return undefined
    return refusal(401, 'needs the header "Authorization: Bearer" with the control key', [
      ['WWW-Authenticate', 'Bearer'],
    ])
  }

  answer(request: ApiRequest): ApiResponse {
    switch (pathOf(request.target)) {
      case '/state':
        return request.method === 'GET' ? this.state() : methodNotAllowed('GET')
      case '/advance':
        return request.method === 'POST' ? this.advance(request) : methodNotAllowed('POST')
      default:
        return refusal(404, 'known are POST /advance and GET /state')
    }
  }

  state(): ApiResponse {
    return json(200, { nowMs: this.parts.clock.nowMs(), ...this.parts.state() })
  }

  advance({ body }: ApiRequest): ApiResponse {
    const wish = parseJsonObject(body) // one that was too large came in empty, and is none
    if (wish === undefined) return refusal(400, 'the body must be a JSON object such as {"ms": 1000}')
    if (typeof wish.ms !== 'number') return refusal(400, '"ms" must be a number of milliseconds')
    try {
      return json(200, { nowMs: this.parts.clock.advance(wish.ms) })
    } catch (error) {
      if (error instanceof RangeError) return refusal(400, error.message)
      throw error
    }
  }
}

function methodNotAllowed(allow: string): ApiResponse {
  return refusal(405, `only ${allow} is known here`, [['Allow', allow]])
}

function refusal(status: number, message: string, headers: [string, string][] = []): ApiResponse {
  return json(status, { code: status, message }, headers)
}

function json(status: number, body: Json, headers: [string, string][] = []): ApiResponse {
  return { status, headers: [['Content-Type', 'application/json'], ...headers], body: JSON.stringify(body) }
}
