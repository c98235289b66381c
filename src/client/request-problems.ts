/** Finds problems in single requests. No text made here repeats a value that was sent: it may be the password. */
import { isFields, parseJson } from '../ground/json.js'
import type { RecordedRequest } from '../mock/index.js'
import type { ClientRecord } from './result.js'

/** Splits a header into its media types, in lower case, without parameters. */
function mediaTypes(value: string | undefined): string[] {
  return (value ?? '').split(',').map(part => (part.split(';', 1)[0] ?? '').trim().toLowerCase())
}

/** Says what is wrong with the headers of a logon; undefined for nothing. */
export function logonHeaderProblem({ headers }: RecordedRequest): string | undefined {
  const problems = (['content-type', 'accept'] as const).flatMap(name => {
    if (mediaTypes(headers[name]).includes('application/json')) return []
    const title = name === 'accept' ? 'Accept' : 'Content-Type'
    return [headers[name] === undefined ? `no ${title}` : `another ${title}`]
  })
  return problems.length === 0 ? undefined : problems.join(', ')
}

/** Says what is wrong with the body of a logon; undefined for nothing. */
export function logonBodyProblem(
  { body }: RecordedRequest,
  credentials: ClientRecord['credentials'],
): string | undefined {
  if (body === '') return 'no body'
  const value = parseJson(body)
  if (value === undefined) return 'a body that is not JSON (the password holds characters that JSON wants escaped)'
  if (!isFields(value)) return 'a body that is not a JSON object'
  const fields = new Map<string, unknown>(Object.entries(value))
  for (const name of ['username', 'password'] as const) {
    if (!fields.has(name)) return `no field ${name}`
    if (typeof fields.get(name) !== 'string') return `a ${name} that is not a string`
    if (fields.get(name) !== credentials[name]) return `another ${name} than that of CORE_${name.toUpperCase()}`
  }
  return undefined
}

/** Says what is wrong with the Authorization header of a request that needs a token; undefined for nothing. */
export function bearerProblem({ rawHeaders, token, status }: RecordedRequest): string | undefined {
  const values = rawHeaders.filter(([name]) => name.toLowerCase() === 'authorization').map(([, value]) => value)
  const [value] = values
  if (value === undefined) {
    // Some endpoints need no token, so a client may use them before its logon.
    return status !== null && status < 300 ? undefined : 'no Authorization header'
  }
  if (values.length > 1) return 'more than one Authorization header'
  if (!/^Bearer [\w\-.~+/]+=*$/.test(value)) return 'an Authorization that is not Bearer and a token'
  return token?.state === 'unknown' ? 'a token that the Core never issued' : undefined
}
