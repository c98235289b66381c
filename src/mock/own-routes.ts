import { closest } from 'fastest-levenshtein'
import { decoded } from '../ground/decoded.js'
import { parseJson } from '../ground/json.js'
import {
  type ApiRequest,
  type ApiResponse,
  type HeaderList,
  headersByName,
  headerValues,
  isApiPath,
  pathOf,
  queryOf,
} from './messages.js'
import { LOGON_PATH } from './routes.js'

/** A request as the handler of a test gets it. */
export interface HandledRequest {
  /** As the client sent it. A request with HEAD comes to a handler of GET too. */
  method: string
  /** Without the query. */
  path: string
  /** The decoded text in the place of each `{name}` of the path. */
  params: Readonly<Record<string, string>>
  /** The decoded query; empty when there was none. */
  query: URLSearchParams
  /** Keys are lower-case; the values of a repeated header are joined with `, `. */
  headers: Readonly<Record<string, string>>
  /** As text; empty when there was none. */
  body: string
  /** The body as JSON; undefined when it is not JSON. */
  json: unknown
}

/** The answer of a handler. */
export interface HandledAnswer {
  /** Default 200, or 204 without a body. */
  status?: number
  /** By their names. */
  headers?: Readonly<Record<string, string>>
  /** A text is sent as it is, any other value as JSON. */
  body?: unknown
}

/** Answers a request that passed the authentication of the mock Core: a fixed answer, or a function that makes one. */
export type Handler = HandledAnswer | ((request: HandledRequest) => HandledAnswer | Promise<HandledAnswer>)

interface OwnRoute {
  method: string
  pattern: RegExp
  names: string[]
  handler: Handler
}

const ANSWER_KEYS = ['status', 'headers', 'body']

/** The endpoints that a test adds to a mock Core. */
export class OwnRoutes {
  #routes: OwnRoute[] = []

  /** See `MockActions`. A later endpoint takes precedence over an earlier one for the same requests. */
  on(method: string, path: string, handler: Handler): () => void {
    if (typeof method !== 'string' || !/^[A-Z]+$/.test(method))
      throw new RangeError(`a method must be upper-case, such as 'GET', not '${method}'`)
    if (typeof path !== 'string' || !isApiPath(path) || /[?#\s]/.test(path))
      throw new RangeError(`a path must begin with /api/ and have no query, not '${path}'`)
    if (path === LOGON_PATH) throw new RangeError(`${LOGON_PATH} cannot be replaced: the mock Core itself answers it`)
    if (typeof handler !== 'function') checkAnswer(handler, `the answer of ${method} ${path}`)
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    const source = path.split(/\{\w+\}/).map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    const route = { method, pattern: new RegExp(`^${source.join('([^/]+)')}$`), names, handler }
    this.#routes.unshift(route)
    return () => {
      this.#routes = this.#routes.filter(other => other !== route)
    }
  }

  /** Answers a request; undefined when no endpoint fits. */
  answer(request: ApiRequest): ApiResponse | undefined {
    if (this.#routes.length === 0) return undefined
    const path = pathOf(request.target)
    // HEAD is accepted wherever GET is; the server leaves the body out.
    const methods = request.method === 'HEAD' ? ['HEAD', 'GET'] : [request.method]
    const route = this.#routes.find(({ method, pattern }) => methods.includes(method) && pattern.test(path))
    if (route === undefined) return undefined
    const { handler } = route
    if (typeof handler !== 'function') return responseOf(handler)
    const place = `the handler of ${route.method} ${path}`
    const answered = async () => {
      try {
        const given = await handler(handled(route, path, request))
        checkAnswer(given, `the answer of ${place}`)
        return responseOf(given)
      } catch (error) {
        const message = `${place} failed: ${error instanceof Error ? error.message : String(error)}`
        return responseOf({ status: 500, body: { code: 500, message } })
      }
    }
    return { status: 500, headers: [], pending: answered() }
  }
}

function handled({ pattern, names }: OwnRoute, path: string, request: ApiRequest): HandledRequest {
  const { method, target, headers } = request
  const values = pattern.exec(path)?.slice(1) ?? []
  const body = new TextDecoder().decode(request.body)
  return {
    method,
    path,
    params: Object.fromEntries(names.map((name, index) => [name, decoded(values[index] ?? '')])),
    query: new URLSearchParams(queryOf(target)),
    headers: headersByName(headers),
    body,
    json: parseJson(body),
  }
}

function checkAnswer(answer: unknown, what: string): void {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw new TypeError(`${what} must be an object of status, headers and body`)
  const stranger = Object.keys(answer).find(key => !ANSWER_KEYS.includes(key))
  if (stranger !== undefined)
    throw new TypeError(
      `${what} has a key '${stranger}'; did you mean '${closest(stranger, ANSWER_KEYS)}'? The content goes into body`,
    )
  const { status = 200 } = answer as HandledAnswer
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw new RangeError(`${what}: status must be a whole number from 200 to 599`)
}

function responseOf({ status, headers = {}, body }: HandledAnswer): ApiResponse {
  const given: HeaderList = Object.entries(headers)
  if (body === undefined) return { status: status ?? 204, headers: given }
  const isText = typeof body === 'string'
  const typed = headerValues(given, 'content-type').length > 0
  const type: HeaderList = typed ? [] : [['Content-Type', isText ? 'text/plain; charset=utf-8' : 'application/json']]
  return { status: status ?? 200, headers: [...type, ...given], body: isText ? body : JSON.stringify(body) }
}
