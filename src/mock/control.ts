import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { bearerToken } from './bearer.js'
import type { RefusalOptions } from './disturbances.js'
import { toMs } from './duration.js'
import { type Service, serve } from './exchange.js'
import { type Json, parseJsonObject } from './json.js'
import {
  type ApiRequest,
  type ApiResponse,
  type HeaderList,
  headerValues,
  jsonAnswer,
  pathOf,
  type RequestHead,
} from './messages.js'
import type { HandledAnswer } from './own-routes.js'
import type { RecordedRequest } from './recorded-request.js'
import { Secret } from './secrets.js'
import type { MockActions } from './types.js'

/** Longest body that is read, in bytes. */
const BODY_LIMIT = 4 * 1024

/**
 * The names of the loopback host. Another name in the Host header means a web page whose name was made to resolve to 127.0.0.1.
 */
const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i

/** The parts of a mock Core that the control endpoint uses. */
export interface ControlParts {
  actions: MockActions
  /** Returns the content of the answer to `GET /requests`. */
  requests(): readonly RecordedRequest[]
}

/** The JSON object in the body of a control request. */
type Wish = { readonly [key: string]: Json }

/** The actions by method and path. What an action returns is answered. It throws a RangeError for an argument that it cannot use. */
const ENDPOINTS: Readonly<Record<string, (parts: ControlParts, wish: Wish) => unknown>> = {
  'GET /state': ({ actions }) => actions.state(),
  'GET /requests': ({ requests }) => ({ requests: requests() }),
  'POST /advance': ({ actions }, wish) => ({ nowMs: actions.advance(timeOf(wish)) }),
  'POST /expire': ({ actions }) => actions.expireTokens(),
  'POST /revoke': ({ actions }) => actions.revokeTokens(),
  'POST /refuse': ({ actions }, wish) => {
    const status = 'status' in wish ? numberOf(wish, 'status') : undefined
    actions.refuseNext(numberOf(wish, 'count'), status, refusalOf(wish))
  },
  'POST /delay': ({ actions }, wish) => actions.delayNext(numberOf(wish, 'count'), timeOf(wish)),
  'POST /route': ({ actions }, { method, path, ...answer }) => {
    actions.on(String(method), String(path), answer as HandledAnswer)
  },
  'POST /restart': ({ actions }) => void actions.restart(),
  'POST /reset': ({ actions }) => actions.reset(),
}

function timeOf({ ms, time }: Wish): number {
  if (ms !== undefined && time !== undefined) throw new RangeError('give either "ms" or "time"')
  if (typeof time === 'string') return toMs(time, '"time"')
  if (typeof ms === 'number') return toMs(ms, '"ms"')
  throw new RangeError('"ms" must be a number of milliseconds, or "time" a text such as "61 min"')
}

function refusalOf(wish: Wish): RefusalOptions {
  const { method, path } = wish
  return {
    ...(typeof method === 'string' && { method }),
    ...(typeof path === 'string' && { path }),
    ...('retryAfter' in wish && { retryAfter: numberOf(wish, 'retryAfter') }),
  }
}

function numberOf(wish: Wish, name: string): number {
  const value = wish[name]
  if (typeof value !== 'number') throw new RangeError(`"${name}" must be a number`)
  return value
}

/**
 * Makes the control endpoint: plain HTTP, open to clients that hold its key. Every action of a mock Core has its path:
 * `POST /advance` with `{"ms": N}` or `{"time": "61 min"}` advances the clock, `GET /requests` lists what clients sent.
 * Browsers are refused, because any page in a browser can reach the loopback host.
 *
 * @returns the server, not yet listening, and its key
 */
export function createControlServer(parts: ControlParts): { server: Server; key: string } {
  const key = randomBytes(32).toString('hex')
  const server = createServer({ headersTimeout: 20_000, requestTimeout: 30_000, connectionsCheckingInterval: 5_000 })
  const secret = new Secret(key)
  const service: Service = { screen: head => screen(head, secret), answer: request => answer(request, parts) }
  serve(server, service, { bodyLimit: BODY_LIMIT })
  return { server, key }
}

/** Tells why a request is not answered; undefined where it is. */
function screen({ headers }: RequestHead, key: Secret): ApiResponse | undefined {
  if (headerValues(headers, 'origin').length > 0) {
    return refusal(403, 'not for browsers: the request has an Origin header')
  }
  const hosts = headerValues(headers, 'host')
  if (hosts.length !== 1 || !hosts.every(host => LOOPBACK.test(host))) {
    return refusal(403, 'the Host header must name the loopback host')
  }
  if (key.equals(bearerToken(headers) ?? '')) return undefined
  return refusal(401, 'needs the header "Authorization: Bearer" with the control key', [['WWW-Authenticate', 'Bearer']])
}

function answer({ method, target, body, bodyTooLarge }: ApiRequest, parts: ControlParts): ApiResponse {
  const path = pathOf(target)
  const names = Object.keys(ENDPOINTS)
  const act = ENDPOINTS[`${method} ${path}`]
  if (act === undefined) {
    const [allow] = names.find(name => name.endsWith(` ${path}`))?.split(' ') ?? []
    if (allow === undefined) return refusal(404, `known are ${names.join(', ')}`)
    return refusal(405, `only ${allow} is known here`, [['Allow', allow]])
  }
  const wish = bodyTooLarge || (method === 'POST' && body.length > 0) ? parseJsonObject(body) : {}
  if (wish === undefined) return refusal(400, 'the body must be a JSON object such as {"ms": 1000}')
  try {
    return jsonAnswer(200, act(parts, wish) ?? {})
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return refusal(400, error.message)
    throw error
  }
}

function refusal(status: number, message: string, headers: HeaderList = []): ApiResponse {
  return jsonAnswer(status, { code: status, message }, headers)
}
