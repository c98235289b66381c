import type { WireRequest } from '../core/exchange.js'
import { withToken } from '../core/give-back.js'
import { type Role, requestOf } from '../suite/roles.js'
import type { RequestTemplate, SendStep } from '../suite/spec.js'
import type { Body } from '../suite/step-words.js'
import { fill, fillTokens, type Variables } from '../suite/variables.js'

/** How a step departs from its named request. */
export type Departure = Partial<SendStep>

/** The requests of the suite. */
export interface Templates {
  requests: ReadonlyMap<string, RequestTemplate>
}

/** The parts that requests are made from. */
export interface RequestParts extends Templates {
  variables: Variables
  /** The path that stands for each request that names several. */
  paths?: ReadonlyMap<string, string>
  /** Values that steps of the spec saved, by their names. */
  saved?: ReadonlyMap<string, string>
}

/**
 * Makes a named request ready to send.
 * @param tokenOf returns the value for `{token NAME}`
 * @throws Error where there is no request of that name
 */
export function makeRequest(
  { requests, variables: ofRun, paths, saved }: RequestParts,
  name: string,
  departure: Departure = {},
  tokenOf: (name: string) => string = token => `{token ${token}}`,
): WireRequest {
  const template = requests.get(name)
  if (!template) throw new Error(`the suite has no request '${name}'`)
  const left = new Set((departure.without ?? []).map(header => header.toLowerCase()))
  const variables = { ...ofRun, ...Object.fromEntries(saved ?? []) }
  const encoded = [...(saved ?? [])].map(([each, value]) => [each, encodeURIComponent(value)])
  const inPath: Variables = { ...ofRun, ...Object.fromEntries(encoded) }
  const complete = (text: string) => fillTokens(fill(text, variables), tokenOf)
  const headers: WireRequest['headers'] = mergedHeaders(template.headers, departure.headers)
    .filter(([header]) => !left.has(header.toLowerCase()))
    .map(([header, value]) => [header, complete(value)])
  const body = departure.body ?? template.body
  const path = fill(departure.path ?? paths?.get(name) ?? pathsOf(template)[0] ?? '/', inPath)
  return {
    method: departure.method ?? template.method,
    path: fillTokens(path, token => encodeURIComponent(tokenOf(token))),
    headers,
    httpVersion: departure.http ?? '1.1',
    omitHost: left.has('host'),
    ...(left.has('user-agent') && { omitUserAgent: true as const }),
    ...(left.has('connection') && { omitConnection: true as const }),
    ...(departure.isChunked && { chunks: 'several' as const }),
    ...(departure.isBodyLate && { inPieces: 'body' as const }),
    ...(departure.breaksOff && { breaksOff: departure.breaksOff }),
    ...(body !== undefined && { body: fillTokens(toText(fill(body, variables)), tokenOf) }),
  }
}

/**
 * Makes the request of a role ready to send.
 * @throws Error where no request of the suite has the role
 */
export function roleRequest(parts: RequestParts, role: Role, departure?: Departure): WireRequest {
  if (departure) return makeRequest(parts, requestOf(parts.requests, role), departure)
  const made = MADE.get(parts.requests) ?? new Map<Role, Made>()
  MADE.set(parts.requests, made)
  const last = made.get(role)
  if (last && last.variables === parts.variables && last.paths === parts.paths) return last.request
  const { saved: _saved, ...ofRun } = parts
  const request = makeRequest(ofRun, requestOf(parts.requests, role))
  made.set(role, { ...ofRun, request })
  return request
}

/** Makes the probe with a token. */
export function probeWith(parts: RequestParts, token: string): WireRequest {
  return withToken(roleRequest(parts, 'probe'), token)
}

/** A request of a role, and the parts that it was made from. */
interface Made extends RequestParts {
  request: WireRequest
}

/** The requests of roles as they were made last: a run asks for them several times for each exchange. */
const MADE = new WeakMap<RequestParts['requests'], Map<Role, Made>>()

/** Returns the paths of a request. Most have one. */
export function pathsOf({ path }: RequestTemplate): string[] {
  return [path].flat()
}

/** Returns a path without its query. */
export function pathOnly(path: string): string {
  return path.split('?', 1)[0] ?? path
}

/** Replaces headers by those of the step with the same name. A list becomes several lines. */
function mergedHeaders(
  own: Record<string, string> = {},
  other: Record<string, string | string[]> = {},
): [string, string][] {
  const replaced = new Set(Object.keys(other).map(name => name.toLowerCase()))
  const kept = Object.entries(own).filter(([name]) => !replaced.has(name.toLowerCase()))
  return [...kept, ...Object.entries(other)].flatMap(([name, value]) =>
    [value].flat().map((line): [string, string] => [name, line]),
  )
}

function toText(body: Body): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}
