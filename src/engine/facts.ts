import { type Exchange, header } from '../core/exchange.js'
import { alphabetOfAll } from '../core/token.js'
import type { Dialect, Facts } from '../result.js'
import { isUsual } from '../settings/refused.js'
import type { Spec } from '../suite/spec.js'

/** Depth to which the shape of a body is described. */
const MAX_DEPTH = 4

/**
 * Returns the facts of an exchange that the reference leaves open: status, content type, shape of the body, names of
 * the headers.
 * @param name the first part of their names; stable between firmware releases
 * @param isRefused whether the Core refused the request; noted where the status says success all the same
 */
export function factsOf(name: string, { response, error }: Exchange, isRefused = false): Facts {
  if (!response) return { [`${name}.answer`]: error?.kind ?? 'none' }
  return {
    ...(isRefused && response.status >= 200 && response.status < 300 && { [`${name}.answer`]: 'refused' }),
    [`${name}.status`]: response.status,
    [`${name}.content-type`]: header(response, 'content-type')?.split(';', 1)[0]?.trim() ?? 'none',
    [`${name}.body`]: shapeOf(response.body),
    [`${name}.headers`]: [...new Set(response.headers.map(([key]) => key.toLowerCase()))].sort().join(', '),
  }
}

/** Returns the dialect with the characters of all tokens of the run. Which of them a single token has is chance. */
export function withAllTokens(dialect: Dialect, tokens: string[]): Dialect {
  if (!dialect.token || !tokens.length) return dialect
  return { ...dialect, token: { ...dialect.token, alphabet: alphabetOfAll(tokens) } }
}

/** The facts that the survey finds, by their names. Where the lengths of tokens vary, the length of the first is chance. */
const DIALECT_FACTS: Record<string, (dialect: Dialect, tokens: string[]) => Facts[string] | null | undefined> = {
  'token.field': ({ token }) => token?.pointer,
  'token.length': ({ token }, tokens) =>
    new Set(tokens.map(({ length }) => length)).size > 1 ? 'varies' : token?.length,
  'token.alphabet': ({ token }) => token?.alphabet,
  'logon.status': ({ logonStatus }) => logonStatus,
  'access.accepted.status': ({ acceptedStatus }) => acceptedStatus,
  'access.no-token.status': ({ rejectedStatus }) => rejectedStatus,
  'access.unknown-token.status': ({ unknownTokenStatus }) => unknownTokenStatus,
  // Where it is a 4xx, the statuses above say so.
  'access.refused': ({ refused }) => (refused && !isUsual(refused) ? refused.join(', ') : null),
  'http.1-0': ({ http10 }) => http10,
  sessions: ({ sessions }) => sessions,
}

/** Returns the findings of the survey as facts. @param tokens all tokens of the run */
export function dialectFacts(dialect: Dialect, tokens: string[]): Facts {
  const found = Object.entries(DIALECT_FACTS).map(([name, read]) => [name, read(dialect, tokens)] as const)
  return Object.fromEntries(found.flatMap(([name, value]) => (value == null ? [] : [[name, value]])))
}

/** Returns the names of all facts that a run of these specs may record. */
export function factNames(specs: Spec[]): string[] {
  const observed = specs.flatMap(({ given, steps }) =>
    [...given, ...steps].flatMap(step => (step.action === 'send' && step.observe !== undefined ? [step.observe] : [])),
  )
  const parts = ['answer', 'status', 'content-type', 'body', 'headers', 'accepted']
  return [
    ...new Set([...Object.keys(DIALECT_FACTS), ...observed.flatMap(name => parts.map(part => `${name}.${part}`))]),
  ].sort()
}

/** Sorts facts by their names. */
export function sorted(facts: Facts): Facts {
  return Object.fromEntries(Object.entries(facts).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Describes the shape of a body: for JSON its types and keys, never its values. */
function shapeOf(body: string): string {
  if (body === '') return 'empty'
  try {
    return typeOf(JSON.parse(body), 0)
  } catch {
    return /^\s*</.test(body) ? 'markup' : 'text'
  }
}

function typeOf(value: unknown, depth: number): string {
  if (value === null) return 'null'
  if (typeof value !== 'object') return typeof value
  if (depth === MAX_DEPTH) return Array.isArray(value) ? 'array' : 'object'
  if (Array.isArray(value)) return `[${[...new Set(value.map(item => typeOf(item, depth + 1)))].sort().join(' | ')}]`
  const fields = Object.entries(value).map(([key, item]) => `${key}: ${typeOf(item, depth + 1)}`)
  return `{${fields.sort().join(', ')}}`
}
