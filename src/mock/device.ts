/** The device, in one file because its rules call each other: a defect replaces any one of them. */
import { randomBytes, randomUUID } from 'node:crypto'
import { bearerToken } from './bearer.js'
import type { AnswerName, Dialect } from './dialect.js'
import { Disturbances } from './disturbances.js'
import { fillIn, fillInText } from './json.js'
import { Use } from './limits.js'
import {
  type ApiRequest,
  type ApiResponse,
  type Delivery,
  type HeaderList,
  headerValues,
  isApiPath,
  pathOf,
  type RequestHead,
} from './messages.js'
import { OwnRoutes } from './own-routes.js'
import { isJsonContent, type LogonBody, parseLogonBody } from './parse-logon.js'
import { type Answering, LOGON_PATH, type Routes, routes, type Visit } from './routes.js'
import type { Credentials } from './secrets.js'
import type { TokenStore } from './tokens.js'

/** The parts of a device. */
export interface DeviceParts {
  tokens: TokenStore
  dialect: Dialect
  credentials: Credentials
  /** The name shown for the user who can log on. */
  username: string
  accessControl: 'on' | 'off'
}

const CONTENT_TYPES = { json: 'application/json', text: 'text/plain; charset=utf-8', html: 'text/html; charset=utf-8' }

/**
 * The logic of the Core: it chooses the answer to a request and the effect on the tokens. It has no sockets and no timers, so a
 * test controls its clock. Each rule is a small public method that calls the others through `this`: a defect replaces one
 * method.
 */
export class Device implements Answering {
  /** Number of requests seen, whatever the answers were. */
  requests = 0
  /** Number of logons refused for a wrong name or password. */
  refusedLogons = 0

  readonly routes: Routes
  /** What counts for the limits of its dialect. */
  use: Use
  /** The errors and delays that a test asked for. */
  readonly disturbances = new Disturbances()
  /** The endpoints that a test added. */
  readonly ownRoutes = new OwnRoutes()

  constructor(readonly parts: DeviceParts) {
    const { dialect, tokens } = parts
    this.routes = routes(this, dialect, parts.accessControl)
    this.use = new Use(dialect, tokens.parts.clock)
  }

  /** Forgets what it counted, and what a test asked for. The tokens are not its own. */
  reset(): void {
    this.requests = 0
    this.refusedLogons = 0
    this.use = new Use(this.parts.dialect, this.parts.tokens.parts.clock)
    this.disturbances.reset()
  }

  /** Returns for how long a request waits before anything is done about it, in milliseconds on the clock of the mock. */
  holdMs(head: RequestHead): number {
    const { requests, logons } = this.use
    const isLogon = head.method === 'POST' && pathOf(head.target) === LOGON_PATH
    return Math.max(
      requests?.rate.beyond === 'wait' ? requests.take() : 0,
      isLogon && logons?.rate.beyond === 'wait' ? logons.take() : 0,
      isLogon ? this.use.workOut() : 0,
    )
  }

  /** Answers a request: {@link screen}, then {@link answer}, then {@link finish}. */
  handle(request: ApiRequest): ApiResponse {
    return this.finish(request, this.screen(request) ?? this.answer(request))
  }

  /**
   * Does the security checks. They need only the head and come first: a request that fails them has no effect on any token.
   *
   * @returns the refusal, or undefined when the request may be answered
   */
  screen(head: RequestHead): ApiResponse | undefined {
    this.requests += 1
    const away = this.turnAway()
    if (away !== undefined) return away
    if (head.target.length > (this.parts.dialect.limits.target ?? Number.POSITIVE_INFINITY))
      return this.say('targetTooLong')
    if (!this.parts.dialect.http10 && head.httpVersion === '1.0') return this.say('versionRefused')
    if (this.isHostMissing(head)) return this.say('hostMissing')
    if (this.isHostRepeated(head)) return this.say('hostRepeated')
    return this.disturbances.refusal(head)
  }

  /** Turns a request away while its client is banned, or beyond the rate of requests, whatever it asks for. */
  turnAway(): ApiResponse | undefined {
    const { ban, requests } = this.use
    const bannedMs = ban?.leftMs() ?? 0
    if (bannedMs > 0) return this.say('banned', retryIn(bannedMs))
    const beyondMs = requests === undefined || requests.rate.beyond === 'wait' ? 0 : requests.take()
    return beyondMs > 0 ? this.say('tooManyRequests', retryIn(beyondMs)) : undefined
  }

  /**
   * Tells whether the Host header is missing (Errors, 406). An empty one counts as present: the reference only speaks of a
   * missing one.
   */
  isHostMissing(head: RequestHead): boolean {
    return headerValues(head.headers, 'host').length === 0
  }

  /** Tells whether Host is repeated. RFC 9112 3.2 wants 400 then, because readers could choose different ones. */
  isHostRepeated(head: RequestHead): boolean {
    return headerValues(head.headers, 'host').length > 1
  }

  /** Answers a request that passed the security checks. Checks permission before it checks whether the request makes sense. */
  answer(request: ApiRequest): ApiResponse {
    const path = pathOf(request.target)
    if (!isApiPath(path)) return this.say('notFound')

    const presented = bearerToken(request.headers, this.parts.dialect.scheme === 'exact')
    const token = presented !== undefined && this.useToken(presented, request) ? presented : undefined
    if (token === undefined && this.needsToken(path, request)) {
      this.use.ban?.note()
      return this.reject(path, request, presented)
    }
    return this.route(path, { request, token })
  }

  /** Judges a token and notes its use, with any method and on any API path, known or not (Authentication 5). */
  useToken(token: string, _request: ApiRequest): boolean {
    return this.parts.tokens.use(token)
  }

  /**
   * Tells whether a request needs a token (Authentication 2). With access control on, every API request does. Unknown paths
   * need one too, so that nobody can map the API.
   */
  needsToken(path: string, request: ApiRequest): boolean {
    if (this.parts.accessControl === 'off') return false
    if (request.method === 'OPTIONS' && this.parts.dialect.options === 'open') return false
    return this.routes[path]?.[request.method]?.open !== true
  }

  /** Refuses a request that needs a valid token. */
  reject(path: string, { method }: ApiRequest, presented: string | undefined): ApiResponse {
    const revoking = method === 'DELETE' && path === LOGON_PATH
    if (presented === undefined) return this.say(revoking ? 'revokeMissing' : 'tokenMissing')
    if (revoking) return this.say('revokeRefused')
    const { tokens } = this.parts
    const record = tokens.find(presented)
    const state = record && tokens.state(record)
    if (state === 'expired') return this.say('tokenExpired')
    return this.say(state === 'revoked' ? 'tokenRevoked' : 'tokenRefused')
  }

  /** Passes a permitted request to its endpoint. */
  route(path: string, visit: Visit): ApiResponse {
    const { request } = visit
    const own = this.ownRoutes.answer(request)
    if (own !== undefined) return request.bodyTooLarge ? this.say('bodyTooLarge') : own
    const route = this.routes[path]
    if (route === undefined) return this.say('notFound')
    if (this.parts.dialect.queries === 'refused' && request.target.includes('?')) return this.say('queryRefused')
    const allow = Object.keys(route).join(', ')
    const endpoint = route[request.method]
    if (endpoint !== undefined) return request.bodyTooLarge ? this.say('bodyTooLarge') : endpoint.answer(visit)
    const toldAnyway = request.method === 'OPTIONS' && this.parts.dialect.options === 'open'
    return this.say(toldAnyway ? 'options' : 'methodNotAllowed', { allow })
  }

  /** Endpoint 1, Request a token. An unreadable body does not count as an attempt at a password. */
  logon({ request }: Visit): ApiResponse {
    const { logons, lockOut, ban } = this.use
    const beyondMs = logons === undefined || logons.rate.beyond === 'wait' ? 0 : logons.take()
    if (beyondMs > 0) return this.say('tooManyLogons', retryIn(beyondMs))
    const lockedMs = lockOut?.leftMs() ?? 0
    if (lockedMs > 0) return this.say('lockedOut', retryIn(lockedMs))
    const isAnyType = this.parts.dialect.logon.contentType === 'ignored'
    if (!isAnyType && !isJsonContent(request.headers)) return this.say('contentTypeRefused')
    const body = parseLogonBody(request.body)
    if (body === undefined) return this.say('bodyMalformed')
    if (this.matches(body)) return this.admit(request)
    ban?.note()
    lockOut?.note()
    return this.refuse(request)
  }

  /** Tells whether credentials are right. */
  matches({ username, password }: LogonBody): boolean {
    const known = this.parts.username
    const anyCase = this.parts.dialect.logon.usernames === 'any-case'
    const same = anyCase && username.toLowerCase() === known.toLowerCase()
    return this.parts.credentials.match(same ? known : username, password)
  }

  /** Answers right credentials. */
  admit(_request: ApiRequest): ApiResponse {
    const { tokens: most, beyond = 'refuse', freeAfterMs = 0 } = this.parts.dialect.limits
    if (most !== undefined) {
      if (beyond === 'revoke-oldest') this.parts.tokens.keepNewest(most - 1)
      else if (this.parts.tokens.takingRoom(freeAfterMs) >= most) return this.say('tooManyTokens')
    }
    return this.say('loggedOn', { bearer: this.issueToken() })
  }

  /** Answers wrong credentials. */
  refuse(_request: ApiRequest): ApiResponse {
    this.refusedLogons += 1
    return this.say('credentialsRefused')
  }

  /** Issues a new token for a user whose credentials were right. */
  issueToken(): string {
    return this.parts.tokens.issue()
  }

  /** Endpoint 2, Revoke a token. With access control off the token may be absent; then there is nothing to do. */
  revoke({ token }: Visit): ApiResponse {
    if (token !== undefined) this.parts.tokens.revoke(token)
    return this.say('revoked')
  }

  /** Makes an answer in the words of the dialect. */
  say(name: AnswerName, variables: Readonly<Record<string, string>> = {}): ApiResponse {
    const { status, headers = {}, as = 'json', body, delivery, fate } = this.parts.dialect.answers[name]
    const value = (variable: string) => variables[variable] ?? this.variable(variable)
    const filled = Object.entries(headers).flatMap(([field, given]) => {
      const lines = given === null ? [] : typeof given === 'string' ? [given] : given
      return lines.map(line => [field, fillInText(line, value)] as const)
    })
    const how = (delivery || fate) && { delivery: { ...delivery, ...(fate && { fate }) } }
    if (body === undefined || as === 'none') return { status, headers: filled, ...how }
    const content = fillIn(body, value)
    const typed: HeaderList =
      headerValues(filled, 'content-type').length > 0 ? [] : [['Content-Type', CONTENT_TYPES[as]]]
    const text = as !== 'json' && typeof content === 'string' ? content : JSON.stringify(content)
    return { status, headers: [...typed, ...filled], body: text, ...how }
  }

  /** Returns the value of a variable that any answer may contain, new each time. */
  variable(name: string): string | undefined {
    switch (name) {
      case 'username':
        return this.parts.username
      case 'requestId':
        return randomUUID()
      case 'now':
        return new Date().toISOString()
      case 'refresh':
        return randomBytes(64).toString('hex')
      case 'jwt':
        return [27, 120, 32].map(length => randomBytes(length).toString('base64url')).join('.')
      default:
        return undefined
    }
  }

  /** Adds the headers that every answer of the dialect has. */
  finish({ connection }: RequestHead, response: ApiResponse): ApiResponse {
    const { headers, delivery, limits } = this.parts.dialect
    const added = Object.entries(headers).map(
      ([name, value]) => [name, fillInText(value, variable => this.variable(variable))] as const,
    )
    const whole = { ...response, headers: [...response.headers, ...added] }
    const { count, end = 'announced' } = limits.onConnection ?? {}
    const isLast = count !== undefined && this.use.countOn(connection) >= count
    const last: Delivery = !isLast ? {} : end === 'announced' ? { close: true } : { hangUp: 'close' }
    return this.disturbances.delayed({ ...whole, delivery: { ...delivery, ...last, ...response.delivery } })
  }
}

/** Returns the variables of an answer that says when to come back. @param ms until there is room */
function retryIn(ms: number): Record<string, string> {
  const seconds = Math.ceil(ms / 1_000)
  // RFC 9110 5.6.7: an HTTP date
  return { retryAfter: String(seconds), retryAfterDate: new Date(Date.now() + seconds * 1_000).toUTCString() }
}
