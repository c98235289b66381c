import { parseJsonObject } from './json.js'
import { type HeaderList, headerValues } from './messages.js'

/** What a logon request asks with (Logon request body). */
export interface LogonBody {
  username: string
  password: string
}

/** Whether the one Content-Type header says JSON, with whatever parameters. */
export function isJsonContent(headers: HeaderList): boolean {
  const [value, ...others] = headerValues(headers, 'content-type')
  return others.length === 0 && value?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
}

/**
 * Reads the body of a logon request. Fields beside the two are ignored.
 *
 * @returns undefined when it is not a JSON object with both fields, both strings
 */
export function parseLogonBody(bytes: Uint8Array): LogonBody | undefined {
  const { username, password } = parseJsonObject(bytes) ?? {}
  return typeof username === 'string' && typeof password === 'string' ? { username, password } : undefined
}
