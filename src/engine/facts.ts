import { type Exchange, header } from '../core/exchange.js'
import type { Dialect, Facts } from '../result.js'

/** How deep a body's shape is told. */
const MAX_DEPTH = 4

/**
 * What an exchange shows of what the reference leaves open: status, kind and shape of the body, names of the headers.
 * @param name the facts' first part; stable between firmware releases
 */
export function factsOf(name: string, { response, error }: Exchange): Facts {
  if (!response) return { [`${name}.answer`]: error?.kind ?? 'none' }
  return {
    [`${name}.status`]: response.status,
    [`${name}.content-type`]: header(response, 'content-type')?.split(';', 1)[0]?.trim() ?? 'none',
    [`${name}.body`]: shapeOf(response.body),
    [`${name}.headers`]: [...new Set(response.headers.map(([key]) => key.toLowerCase()))].sort().join(', '),
  }
}

/** What the survey found, as facts. */
export function dialectFacts(dialect: Dialect): Facts {
  const { token, logonStatus, acceptedStatus, rejectedStatus, unknownTokenStatus, http10, sessions } = dialect
  const found = {
    'token.field': token?.pointer,
    'token.length': token?.length,
    'token.alphabet': token?.alphabet,
    'logon.status': logonStatus,
    'access.accepted.status': acceptedStatus,
    'access.no-token.status': rejectedStatus,
    'access.unknown-token.status': unknownTokenStatus,
    'http.1-0': http10,
    sessions,
  }
  return Object.fromEntries(
    Object.entries(found).flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, value]])),
  )
}

/** Facts in the order of their names. */
export function sorted(facts: Facts): Facts {
  return Object.fromEntries(Object.entries(facts).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The shape of a body: for JSON its types and keys, never its values. */
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
