/** Reads the parts of a run result that a dialect needs. Assumes nothing about the file. `src/result.ts` defines its format. */
import { isFields, parseJson } from '../ground/json.js'
import { unpacked } from '../ground/shared-values.js'
import type { Json } from './json.js'

/** One exchange of a run with a complete response. */
export interface SeenExchange {
  method: string
  /** Whether the request carried a token, or a text in the place of a token. */
  authorized: boolean
  /** Whether the request asked to end the connection. */
  closing: boolean
  status: number
  /** From the status line. */
  httpVersion: string
  headers: (readonly [name: string, value: string])[]
  body: string
}

/** The parts of a run result that a dialect needs. */
export type Recorded = ReturnType<typeof recordedOf>

/** Returns the value at a path of keys; undefined if there is none. */
function at(value: Json | undefined, ...keys: string[]): Json | undefined {
  return keys.reduce<Json | undefined>(
    (found, key) => (isFields(found) && Object.hasOwn(found, key) ? found[key] : undefined),
    value,
  )
}

/** Returns the text at a path of keys; undefined if there is none. */
export function textAt(value: Json | undefined, ...keys: string[]): string | undefined {
  const found = at(value, ...keys)
  return typeof found === 'string' ? found : undefined
}

function numberAt(value: Json | undefined, ...keys: string[]): number | undefined {
  const found = at(value, ...keys)
  return typeof found === 'number' && Number.isInteger(found) && found >= 0 ? found : undefined
}

function listAt(value: Json | undefined, ...keys: string[]): readonly Json[] {
  const found = at(value, ...keys)
  return Array.isArray(found) ? found : []
}

/**
 * Reads a run result.
 * @throws RangeError when it names what it does not hold
 */
export function recordedOf(file: Json) {
  const value = isFields(file) ? unpacked(file) : file
  const survey = listAt(value, 'survey').flatMap(seen)
  const specs = listAt(value, 'specs')
  const token = at(value, 'dialect', 'token')
  const [pointer, length, alphabet] = [textAt(token, 'pointer'), numberAt(token, 'length'), textAt(token, 'alphabet')]
  const http10 = at(value, 'dialect', 'http10')
  return {
    schemaVersion: at(value, 'schemaVersion') ?? null,
    url: textAt(value, 'target', 'url') ?? 'a Core',
    startedAt: textAt(value, 'startedAt') ?? '',
    /** The username of the run; undefined when the result shows no logon. */
    username: listAt(value, 'survey').map(usernameOf).find(Boolean),
    token: pointer === undefined || !length || alphabet === undefined ? null : { pointer, length, alphabet },
    logonStatus: numberAt(value, 'dialect', 'logonStatus'),
    acceptedStatus: numberAt(value, 'dialect', 'acceptedStatus'),
    rejectedStatus: numberAt(value, 'dialect', 'rejectedStatus'),
    http10: typeof http10 === 'boolean' ? http10 : undefined,
    sessions: textAt(value, 'dialect', 'sessions'),
    accessControl: textAt(value, 'configuration', 'accessControl'),
    idleLifetimeMs: numberAt(value, 'configuration', 'idleLifetimeMs'),
    probePath: textAt(value, 'configuration', 'probePath'),
    /** The ids of the specs that failed. */
    failed: specs.flatMap(spec => (textAt(spec, 'outcome') === 'failed' ? (textAt(spec, 'id') ?? []) : [])),
    survey,
    /** Returns the answer to the first judged request of a spec; undefined when the spec went wrong or did not run. */
    shown(id: string): SeenExchange | undefined {
      const spec = specs.find(spec => [id, `${id}-http11`].includes(textAt(spec, 'id') ?? ''))
      if (!['passed', 'observed'].includes(textAt(spec, 'outcome') ?? '')) return undefined
      const judged = listAt(spec, 'steps').find(
        step => textAt(step, 'kind') === 'check' && listAt(step, 'exchanges').length > 0,
      )
      const index = listAt(judged, 'exchanges')[0]
      return seen(listAt(spec, 'exchanges')[Number(index)])[0]
    },
  }
}

/** Returns an exchange, or nothing when its response is missing or incomplete. */
function seen(exchange: Json | undefined): SeenExchange[] {
  const [method, status] = [textAt(exchange, 'request', 'method'), numberAt(exchange, 'response', 'status')]
  const body = textAt(exchange, 'response', 'body')
  const isWhole = at(exchange, 'response', 'complete') === true && body?.endsWith('…') === false
  if (method === undefined || status === undefined || status < 200 || status > 599 || !isWhole) return []
  const asked = headersAt(exchange, 'request')
  return [
    {
      method,
      authorized: hasHeader(asked, 'authorization'),
      closing: hasHeader(asked, 'connection', 'close'),
      status,
      httpVersion: textAt(exchange, 'response', 'httpVersion') ?? '1.1',
      headers: headersAt(exchange, 'response'),
      body,
    },
  ]
}

function headersAt(exchange: Json | undefined, side: string): SeenExchange['headers'] {
  return listAt(exchange, side, 'headers').flatMap(line => {
    const [name, value] = Array.isArray(line) ? line : []
    return typeof name === 'string' && typeof value === 'string' ? [[name, value] as const] : []
  })
}

/** Tells whether there is a header of that (lower-case) name and, if given, with that value. */
export function hasHeader(headers: SeenExchange['headers'], name: string, value?: string): boolean {
  return headers.some(
    ([given, text]) => given.toLowerCase() === name && (value === undefined || text.toLowerCase() === value),
  )
}

function usernameOf(exchange: Json): string | undefined {
  return textAt(parseJson(textAt(exchange, 'request', 'body') ?? '') as Json | undefined, 'username')
}
