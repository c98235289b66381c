/** Turns a recorded exchange of a run into an interaction of a contract. */

import { count } from '../../ground/count.js'
import type { ExchangeRecord, ResponseRecord } from '../../result.js'
import type { Interaction, RequestTemplate, ResponseTemplate, Template } from '../process/model.js'
import { roleOf } from '../read/contract-file.js'
import type { Demands } from './consumer.js'
import {
  bearerHeader,
  exampleToken,
  fromState,
  issuedToken,
  parseRecorded,
  shapeOf,
  type TokenDialect,
} from './expected-body.js'
import { named, type Proved } from './select.js'

/** The options for making interactions. */
export interface BuildOptions extends Demands {
  /** Beside the token: the status of an accepted request; null where that is not known. */
  dialect: TokenDialect & { acceptedStatus: number | null }
  /** The place of observation, in words: `the embedded mock Core` or a host. */
  observedOn: string
}

/** The states in which the Core has no reason to refuse. */
export const GRANTED: readonly string[] = ['a valid token', 'right credentials', 'access control off']

/** Headers that belong to a connection, or that every client sends by itself. */
const OF_THE_CONNECTION = /^(host|connection|content-length|transfer-encoding|accept-encoding|user-agent)$/i

/** Redacted secrets for which contracts have no name. */
const SECRET = /\[(password|basic-credentials|[a-z]+-password|withheld|second token of the survey)\]/
const TOKEN = /\[token [^\]]*\]/
/** A value that is just a redacted token, perhaps after a scheme. */
const ISSUED = /^(bearer +)?\[[^\]]*token[^\]]*\]$/i

/**
 * Makes an interaction from a proved exchange.
 * @returns the interaction, or the reason in a few words why no contract can express it
 */
export function buildInteraction(
  { mark, requirements, exchange }: Proved,
  options: BuildOptions,
): Interaction | string {
  const { response } = exchange
  if (!response) return 'it has no response'
  const request = requestOf(exchange, options.dialect)
  if (typeof request === 'string') return request
  const isLogon = roleOf(exchange.request) === 'logon'
  const answered = responseOf(response, mark.state, isLogon, options)
  return {
    name: mark.name,
    description: mark.description,
    states: [mark.state],
    comments: [
      ...requirements.map(({ id, section, text }) => `${id} (${section}): ${text}`),
      observed(response, answered, isLogon, options),
    ],
    request,
    response: answered,
  }
}

function requestOf({ request }: ExchangeRecord, dialect: TokenDialect): RequestTemplate | string {
  const { pathname, searchParams } = new URL(request.path, 'https://core')
  if (
    !request.path.startsWith('/') ||
    TOKEN.test(request.path) ||
    SECRET.test(request.path) ||
    /%5Btoken/i.test(request.path)
  )
    return 'its path holds what a contract cannot bring'
  const headers: [string, Template][] = []
  for (const [name, value] of request.headers) {
    if (OF_THE_CONNECTION.test(name)) continue
    const made = headerOf(name, value, dialect)
    if (made === undefined) return `its header ${name} holds what a contract cannot bring`
    headers.push([name, made])
  }
  if (new Set(headers.map(([name]) => name.toLowerCase())).size < headers.length) return 'it has a header twice'
  const body = bodyOf(roleOf(request) === 'logon', request.body)
  if (body === null) return 'its body holds what a contract cannot bring'
  return { method: request.method, path: pathname, query: [...searchParams], headers, ...(body && { body }) }
}

function headerOf(name: string, value: string, dialect: TokenDialect): Template | undefined {
  const bearer = /^(Bearer) (.+)$/i.exec(value)
  if (name.toLowerCase() === 'authorization' && bearer) return bearerHeader(bearer[1] ?? 'Bearer', dialect)
  if (SECRET.test(value)) return undefined
  if (!TOKEN.test(value)) return value
  const fill = (token: string) => value.replace(new RegExp(TOKEN, 'g'), () => token)
  return fromState(fill(`\${token}`), fill(exampleToken(dialect)))
}

/** Makes the body of a request; null where no contract can express it. */
function bodyOf(isLogon: boolean, text = ''): RequestTemplate['body'] | null {
  if (text === '') return undefined
  const json = parseRecorded(text)
  // A text may hold a username anywhere.
  if (json === undefined) return isLogon || SECRET.test(text) || TOKEN.test(text) ? null : { text }
  if (!isLogon || json === null || typeof json !== 'object' || Array.isArray(json))
    return { json: shapeOf(json) ?? null }
  // The credentials of a run never enter a contract; at verification the state supplies those of the target.
  const fields = ['password', 'username'].filter(field => typeof json[field] === 'string')
  const credentials = fields.map(field => [field, fromState(`\${${field}}`, `example-${field}`)])
  return { json: { ...(shapeOf(json) as { [key: string]: Template }), ...Object.fromEntries(credentials) } }
}

function responseOf(
  response: ResponseRecord,
  state: string,
  isLogon: boolean,
  options: BuildOptions,
): ResponseTemplate {
  const { dialect, pinStatuses, strictToken = false, fields = [] } = options
  const { status } = response
  const isRefusal = !GRANTED.includes(state) && status >= 400 && status < 500
  // The body of a refusal is for people: no client should depend on it. Where an acceptance has the same form (a role that
  // may not list users), only the status tells them apart. An accepted logon gives a token.
  const { acceptedStatus } = dialect
  const isAmbiguous = !isLogon && acceptedStatus !== null && acceptedStatus >= 400
  if (isRefusal) return { status, anyRefusal: !pinStatuses && !isAmbiguous }
  const json = isJson(response) ? parseRecorded(response.body) : undefined
  // Demands a token only where a client takes one. A Core may also name a token elsewhere, such as the revoked one; no client
  // needs that.
  const issued = (text: string, inJson = true) => {
    const found = isLogon ? ISSUED.exec(text) : null
    return found ? issuedToken(dialect, { scheme: found[1] ?? '', strict: strictToken, inJson }) : undefined
  }
  const whole = json === undefined ? undefined : shapeOf(json, text => issued(text))
  const template = whole === undefined || fields.includes('all') ? whole : named(whole, fields)
  const headers = response.headers.flatMap(([name, value]): [string, Template][] => {
    const token = issued(value, false)
    return token === undefined ? [] : [[name, token]]
  })
  return {
    status,
    anyRefusal: false,
    ...(!pinStatuses && GRANTED.includes(state) && status >= 200 && status < 300 && { anySuccess: true }),
    ...(headers.length > 0 && { headers }),
    ...(template !== undefined && { json: template }),
  }
}

function isJson({ headers }: ResponseRecord): boolean {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  return /^application\/json\s*(;|$)/i.test(type)
}

/** Lists the parts of the response that the reference does not show. */
function observed(
  response: ResponseRecord,
  template: ResponseTemplate,
  isLogon: boolean,
  { dialect, observedOn }: BuildOptions,
): string {
  const { status, anyRefusal, anySuccess, json, headers } = template
  const open = anyRefusal ? ' (any 4xx will do)' : anySuccess ? ' (any 2xx will do)' : ''
  const parts = [`status ${status}${open}`]
  const { token } = dialect
  const isIssued = isLogon && (headers !== undefined || TOKEN.test(response.body))
  if (isIssued && token && (headers ?? json) !== undefined)
    parts.push(`a token of ${count(token.length, 'character')}, ${token.alphabet}, at ${token.pointer}`)
  else if (json !== undefined) parts.push('the fields of the body')
  else if (isJson(response) && status < 400) parts.push('a body in JSON, whose fields are left open here')
  else if (response.body !== '' && (status < 400 || status > 499))
    parts.push('a body that is not sent as application/json, which is left open here')
  return `Observed on ${observedOn}, since the reference does not show it: ${parts.join('; ')}`
}
