/** The bodies of recorded answers. */
import { keysOfPointer, parseJson } from '../ground/json.js'
import type { Dialect, ResponseRecord } from '../result.js'
import { TOKEN } from './observed-schema.js'

/** A body that a document can describe. */
export interface Body {
  /** Type and subtype in lower case; the wildcard type where the answer names none. */
  mediaType: string
  isJson: boolean
  /** Parsed JSON, or text; undefined where a body announced as JSON is not JSON or is incomplete. */
  value: unknown
}

/** RFC 6838, without parameters. */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/

/** Returns the body of an answer; undefined where it has none. */
export function bodyOf({ headers, body, bodyBytes, complete }: ResponseRecord): Body | undefined {
  if (bodyBytes === 0) return undefined
  const header = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1]
  const named = header?.split(';')[0]?.trim().toLowerCase()
  const mediaType = named !== undefined && MEDIA_TYPE.test(named) ? named : '*/*'
  const parsed = complete ? parseJson(body) : undefined
  if (/[/+]json$/.test(mediaType)) return { mediaType, isJson: true, value: parsed }
  // Without a type, a text that happens to be a number stays a text.
  const isJson = mediaType === '*/*' && typeof parsed === 'object' && parsed !== null
  return { mediaType, isJson, value: isJson ? parsed : body }
}

/** Returns the body of a logon answer with {@link TOKEN} in place of the token; undefined where the answer brought no token. */
export function issuedBody(answer: ResponseRecord, { token, logonStatus }: Dialect): Body | undefined {
  const body = token && answer.status === logonStatus ? bodyOf(answer) : undefined
  if (!token || !body || /^(header|cookie):/.test(token.pointer)) return undefined
  // A Core may send JSON under another type, and the survey may find the token in it.
  const root = { '': parseJson(answer.body) }
  let parent: unknown = root
  const keys = ['', ...keysOfPointer(token.pointer)]
  for (const key of keys.slice(0, -1)) parent = own(parent, key)
  const last = keys.at(-1) ?? ''
  const value = own(parent, last)
  // A redacted secret, with a scheme at most beside it.
  if (typeof value !== 'string' || !/^(?:bearer +)?\[[^[\]]+\]$/i.test(value)) return undefined
  Object.assign(parent as object, { [last]: TOKEN })
  return { ...body, isJson: true, value: root[''] }
}

function own(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined
}
