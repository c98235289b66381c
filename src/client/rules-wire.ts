/** Judges single requests of a client. `contracts/client-rules.yaml` says each rule. */
import { count } from '../ground/count.js'
import { isFields, parseJson } from '../ground/json.js'
import type { RecordedRequest } from '../mock/index.js'
import { passwordPlaces, tokenPlaces, tokensOf } from './printed.js'
import { isLogon, isRevocation, isWork } from './requests.js'
import type { ClientRecord } from './result.js'
import { type Judges, judgeEach } from './rule.js'

const TOLD_LINES = 3

/** The judges of the rules on single requests, and on what a client prints of them. */
export const WIRE_JUDGES: Judges = {
  host: ({ requests }) => judgeEach(requests, request => ('host' in request.headers ? undefined : 'no Host header')),
  'logon-headers': ({ requests }) => judgeEach(requests.filter(isLogon), logonHeaderProblem),
  'logon-body': ({ requests, credentials }) =>
    judgeEach(requests.filter(isLogon), request => logonBodyProblem(request, credentials)),
  bearer: ({ requests }) =>
    judgeEach(
      requests.filter(request => isWork(request) || isRevocation(request)),
      bearerProblem,
    ),
  'revocation-body': ({ requests }) =>
    judgeEach(requests.filter(isRevocation), ({ body }) => (body === '' ? undefined : 'a body')),
  'password-elsewhere': ({ requests, credentials }) =>
    judgeEach(requests, request => {
      const places = passwordPlaces(request, credentials.password)
      return places.length === 0 ? undefined : `the password, in ${places.join(' and ')}`
    }),
  'token-elsewhere'(record) {
    const tokens = tokensOf(record)
    if (tokens.length === 0) return 'skipped'
    return judgeEach(record.requests, request => {
      const places = tokenPlaces(request, tokens)
      return places.length === 0 ? undefined : `a token, in ${places.join(' and ')}`
    })
  },
  'secrets-in-output'({ printed, requests }) {
    if (printed.length === 0) return requests.length === 0 ? 'skipped' : undefined
    const told = printed.map(({ secret, stream, line }) => `its ${secret} in line ${line} of ${stream}`)
    const more = told.length > TOLD_LINES ? ` and ${count(told.length - TOLD_LINES, 'more line')}` : ''
    return { got: told.slice(0, TOLD_LINES).join(', ') + more, requests: [] }
  },
  redirect(record) {
    if (record.met.length === 0) return 'skipped'
    const tokens = tokensOf(record)
    const told = record.elsewhere.filter(
      request =>
        request.headers.authorization !== undefined ||
        tokenPlaces(request, tokens).length > 0 ||
        passwordPlaces(request, record.credentials.password).length > 0,
    )
    return told.length === 0
      ? undefined
      : { got: 'it followed the redirect, and sent the other host its token', requests: [...record.met] }
  },
}

function logonHeaderProblem({ headers }: RecordedRequest): string | undefined {
  const problems = (['content-type', 'accept'] as const).flatMap(name => {
    const types = (headers[name] ?? '').split(',').map(part => part.replace(/;.*/s, '').trim().toLowerCase())
    if (types.includes('application/json')) return []
    const title = name === 'accept' ? 'Accept' : 'Content-Type'
    return [headers[name] === undefined ? `no ${title}` : `another ${title}`]
  })
  return problems.length === 0 ? undefined : problems.join(', ')
}

function logonBodyProblem({ body }: RecordedRequest, credentials: ClientRecord['credentials']): string | undefined {
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
function bearerProblem({ rawHeaders, token, status }: RecordedRequest): string | undefined {
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
