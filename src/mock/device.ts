import { bearerToken } from './bearer.js'
import type { AnswerName, Dialect } from './dialect.js'
import { fillIn, fillInText } from './json.js'
import { isJsonContent, parseLogonBody } from './logon.js'
import { type ApiRequest, type ApiResponse, headerValues, isApiPath, pathOf, type RequestHead } from './messages.js'
import { type Routes, routes } from './routes.js'
import type { Credentials } from './secrets.js'
import type { TokenStore } from './tokens.js'

/** What a device is made of. */
export interface DeviceParts {
  tokens: TokenStore
  dialect: Dialect
  credentials: Credentials
  /** The name shown for the user who can log on. */
  username: string
  accessControl: 'on' | 'off'
}

/** How one request is seen after the checks that all requests go through. */
export interface Visit {
  request: ApiRequest
  /** The valid token that it was made with; undefined only where none is needed. */
  token: string | undefined
}

/**
 * The Core itself: which answer a request gets, and what that does to the tokens. No sockets and no timers, so that a test
 * holds its clock in hand; every rule a small public method that asks the others through `this`, so that a defect is one
 * replaced method.
 */
export class Device {
  /** Requests seen, whatever came of them. */
  requests = 0
  /** Logons refused for a wrong name or password. */
  refusedLogons = 0

  readonly routes: Routes = routes(this)

  constructor(readonly parts: DeviceParts) {}

  /** Answers a request: {@link screen}, then {@link answer}. */
  handle(request: ApiRequest): ApiResponse {
    return this.screen(request) ?? this.answer(request)
  }

  /**
   * The security checks, for which the head is enough, and which come before anything else: a request that fails them has no
   * effect on any token.
   *
   * @returns the refusal, or undefined when the request is to be answered
   */
  screen(head: RequestHead): ApiResponse | undefined {
    this.requests += 1
    if (this.isHostMissing(head)) return this.say('hostMissing')
    return this.isHostRepeated(head) ? this.say('hostRepeated') : undefined
  }

  /** Errors, 406: the Host header is missing. An empty one is there: the reference speaks of a missing one only. */
  isHostMissing(head: RequestHead): boolean {
    return headerValues(head.headers, 'host').length === 0
  }

  /** RFC 9112 3.2: a request with more than one Host header is answered 400, since nobody knows which one another reader took. */
  isHostRepeated(head: RequestHead): boolean {
    return headerValues(head.headers, 'host').length > 1
  }

  /** Answers a request that passed the security checks. Whether it may be answered comes before whether it makes sense. */
  answer(request: ApiRequest): ApiResponse {
    const path = pathOf(request.target)
    if (!isApiPath(path)) return this.say('notFound')

    const presented = this.presentedToken(request)
    const token = presented !== undefined && this.useToken(presented, request) ? presented : undefined
    if (token === undefined && this.needsToken(path, request)) {
      return this.say(presented === undefined ? 'tokenMissing' : 'tokenRefused')
    }

    const route = this.routes[path]
    if (route === undefined) return this.say('notFound')
    const endpoint = route[request.method]
    if (endpoint === undefined) return this.say('methodNotAllowed', { allow: Object.keys(route).join(', ') })
    return request.bodyTooLarge ? this.say('bodyTooLarge') : endpoint.answer({ request, token })
  }

  /** Where a token is looked for in a request (Authentication 4). */
  presentedToken(request: ApiRequest): string | undefined {
    return bearerToken(request.headers)
  }

  /** Judges a token and notes that it was used: with any method, on any API path, known or not (Authentication 5). */
  useToken(token: string, _request: ApiRequest): boolean {
    return this.parts.tokens.use(token)
  }

  /** Authentication 2: every API request, when access control is on; unknown paths too, so that nobody can map the API. */
  needsToken(path: string, request: ApiRequest): boolean {
    return this.parts.accessControl === 'on' && this.routes[path]?.[request.method]?.open !== true
  }

  /** Endpoint 1, Request a token. A body that cannot be read is no attempt at a password. */
  logon({ request }: Visit): ApiResponse {
    if (!isJsonContent(request.headers)) return this.say('contentTypeRefused')
    const body = parseLogonBody(request.body)
    if (body === undefined) return this.say('bodyMalformed')
    if (!this.parts.credentials.match(body.username, body.password)) {
      this.refusedLogons += 1
      return this.say('credentialsRefused')
    }
    return this.say('loggedOn', { bearer: this.issueToken() })
  }

  /** A new token for a user whose credentials were right. */
  issueToken(): string {
    return this.parts.tokens.issue()
  }

  /** Endpoint 2, Revoke a token. With access control off there may be none, and then nothing to do. */
  revoke({ token }: Visit): ApiResponse {
    if (token !== undefined) this.parts.tokens.revoke(token)
    return this.say('revoked')
  }

  /** Endpoint 3, the authenticated request of the reference. */
  users(_visit: Visit): ApiResponse {
    return this.say('users')
  }

  /** The Core's description of itself. */
  core(_visit: Visit): ApiResponse {
    return this.say('core')
  }

  /** Whether access control is on, told to everyone. */
  accessMode(_visit: Visit): ApiResponse {
    return this.say(this.parts.accessControl === 'on' ? 'accessControlOn' : 'accessControlOff')
  }

  /** Puts an answer into the words of the dialect. */
  say(name: AnswerName, variables: Readonly<Record<string, string>> = {}): ApiResponse {
    const { status, headers = {}, body } = this.parts.dialect.answers[name]
    const known = { username: this.parts.username, ...variables }
    const filled = Object.entries(headers).map(([field, value]) => [field, fillInText(value, known)] as const)
    if (body === undefined) return { status, headers: filled }
    return {
      status,
      headers: [['Content-Type', 'application/json'], ...filled],
      body: JSON.stringify(fillIn(body, known)),
    }
  }
}
