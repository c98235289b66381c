import { parseJsonObject } from './json.js'
import { type HeaderList, headerValues } from './messages.js'

/** The credentials of a logon request (Logon request body). */
export interface LogonBody {
  username: string
  password: string
}

/** Tells whether there is one Content-Type header and it says JSON, with any parameters. */
export function isJsonContent(headers: HeaderList): boolean {
  const [value, ...others] = headerValues(headers, 'content-type')
  return others.length === 0 && value?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
}

/**
 * Reads the body of a logon request. Ignores fields beside the two.
 *
 * @returns undefined unless it is a JSON object with both fields, both strings
 */
export function parseLogonBody(bytes: Uint8Array): LogonBody | undefined {
  const { username, password } = parseJsonObject(bytes) ?? {}
  return typeof username === 'string' && typeof password === 'string' ? { username, password } : undefined
}
