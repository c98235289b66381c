/** Puts the values of a provider state into the requests that Pact's Verifier makes. */
import { randomBytes } from 'node:crypto'
import type { WireRequest } from '../../core/exchange.js'
import { NotSent } from '../../core/not-sent.js'
import type { Credentials } from '../../core/target.js'
import { isFields, parseJson } from '../../ground/json.js'
import type { Variables } from '../../suite/variables.js'
import type { Value } from '../read/meanings.js'
import { type CredentialKind, isBearer, type Situation } from './situation.js'
import { roleOf } from './spec.js'

/** The placeholders that provider states supply. They are no secrets; the real values replace them on the way to the Core. */
export type Placeholders = Record<Value, string>

/** Makes placeholders that no contract holds. */
export function madePlaceholders(): Placeholders {
  const made = (what: Value) => `placeholder-${what}-${randomBytes(8).toString('hex')}`
  return { token: made('token'), username: made('username'), password: made('password') }
}

/** Returns the credentials of a kind. For those as written, it returns the right ones: a contract may name them elsewhere. */
export function credentialsOf(kind: CredentialKind, variables: Variables): Credentials {
  const { username = '', password = '' } = variables
  if (kind === 'wrong') return { username, password: variables['wrong-password'] ?? '' }
  return { username: (kind === 'unknown user' && variables['wrong-username']) || username, password }
}

/**
 * Returns a request with the values of its provider state in place of its examples.
 * @param value of the token; undefined: the token as written
 * @throws NotSent where a secret would stand in the URL
 */
export function filled(
  request: WireRequest,
  { credentials }: Situation,
  { value, variables }: { value: string | undefined; variables: Variables },
  placeholders: Placeholders,
): WireRequest {
  const real = credentialsOf(credentials, variables)
  const swap = (text: string, encode: (secret: string) => string = String) =>
    text
      .replaceAll(placeholders.token, () => value ?? placeholders.token)
      .replaceAll(placeholders.username, () => encode(real.username))
      .replaceAll(placeholders.password, () => encode(real.password))
  const headers = request.headers.map(([name, text]): [string, string] => {
    const isLiteral = isBearer(name, text) && !text.includes(placeholders.token) && value !== undefined
    return [name, isLiteral ? text.replace(/ .*$/s, () => ` ${value}`) : swap(text)]
  })
  if ([placeholders.password, placeholders.token].some(secret => request.path.includes(secret)))
    throw new NotSent(
      'a generator of the contract puts the password or a token into the URL, where everybody on the way writes it down',
    )
  const path = swap(request.path, encodeURIComponent)
  if (request.body === undefined) return { ...request, path, headers }
  const body = swap(request.body, inJson)
  const isReplaced = credentials !== 'as written' && roleOf(request) === 'logon'
  return { ...request, path, headers, body: isReplaced ? withCredentials(body, real) : body }
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Replaces the credentials in the body of a logon. Fields that are missing stay missing. */
function withCredentials(body: string, credentials: Credentials): string {
  const fields = parseJson(body)
  if (!isFields(fields)) return body
  for (const field of ['username', 'password'] as const) {
    if (typeof fields[field] === 'string') fields[field] = credentials[field]
  }
  return JSON.stringify(fields)
}
