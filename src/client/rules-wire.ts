/** The rules on single requests of a client. */
import { count } from '../ground/count.js'
import { isFields, parseJson } from '../ground/json.js'
import type { RecordedRequest } from '../mock/index.js'
import { passwordPlaces, tokenPlaces, tokensOf } from './printed.js'
import { isLogon, isRevocation, isWork } from './requests.js'
import type { ClientRecord } from './result.js'
import { judgeEach, type Rule } from './rule.js'

const TOLD_LINES = 3

function more(lines: number): string {
  return lines > 0 ? ` and ${count(lines, 'more line')}` : ''
}

/** The rules on single requests, and on what a client prints of them. */
export const WIRE_RULES: readonly Rule[] = [
  {
    id: 'host',
    level: 'must',
    title: 'every request has a Host header',
    why: 'a Core answers 406 to a request without one',
    fix: 'let the HTTP library add Host, or add it by hand to each request',
    judge: ({ requests }) => judgeEach(requests, request => ('host' in request.headers ? undefined : 'no Host header')),
  },
  {
    id: 'logon-headers',
    level: 'must',
    title: 'a logon says Content-Type: application/json and Accept: application/json',
    why: 'the reference names both, and a Core may refuse a logon without them',
    fix: 'send both headers with POST /api/v0/logon',
    judge: ({ requests }) => judgeEach(requests.filter(isLogon), logonHeaderProblem),
  },
  {
    id: 'logon-body',
    level: 'must',
    title: 'the body of a logon is a JSON object with username and password, as they were given',
    why: 'a password with a quote or a backslash would never get in',
    fix: 'make the body with the JSON library of your language, of the two strings as they are',
    judge: ({ requests, credentials }) =>
      judgeEach(requests.filter(isLogon), request => logonBodyProblem(request, credentials)),
  },
  {
    id: 'bearer',
    level: 'must',
    title: 'every other API request has Authorization: Bearer, with a token that the Core issued',
    why: 'it is how a Core knows who asks; anything else is refused',
    fix: 'send Authorization: Bearer and the token, as the logon gave it, with every request after the logon',
    judge: ({ requests }) =>
      judgeEach(
        requests.filter(request => isWork(request) || isRevocation(request)),
        bearerProblem,
      ),
  },
  {
    id: 'revocation-body',
    level: 'must',
    title: 'a revocation has no body',
    why: 'the reference says so, and a proxy may refuse a DELETE with one',
    fix: 'send DELETE /api/v0/logon without a body',
    judge: ({ requests }) =>
      judgeEach(requests.filter(isRevocation), ({ body }) => (body === '' ? undefined : 'a body')),
  },
  {
    id: 'password-elsewhere',
    level: 'should',
    title: 'the password stands nowhere but in the body of a logon',
    why: 'paths, queries and headers end in the logs of servers and proxies',
    fix: 'send the password in the body of POST /api/v0/logon only',
    judge: ({ requests, credentials }) =>
      judgeEach(requests, request => {
        const places = passwordPlaces(request, credentials.password)
        return places.length === 0 ? undefined : `the password, in ${places.join(' and ')}`
      }),
  },
  {
    id: 'token-elsewhere',
    level: 'should',
    title: 'a token stands nowhere but in the Authorization header',
    why: 'a token in a URL or a cookie ends up in logs and in other requests, and everybody who reads it is logged on',
    fix: 'send the token in the Authorization header only: in no path, query, cookie or body',
    judge(record) {
      const tokens = tokensOf(record)
      if (tokens.length === 0) return 'skipped'
      return judgeEach(record.requests, request => {
        const places = tokenPlaces(request, tokens)
        return places.length === 0 ? undefined : `a token, in ${places.join(' and ')}`
      })
    },
  },
  {
    id: 'secrets-in-output',
    level: 'should',
    title: 'neither its password nor a token stands in what it prints',
    why: 'output ends in logs, which are kept for long and read by many',
    fix: 'print no password, no Authorization header and no answer of a logon, not even where a request fails',
    silent: true,
    judge({ printed, requests }) {
      if (printed.length === 0) return requests.length === 0 ? 'skipped' : undefined
      const told = printed.map(({ secret, stream, line }) => `its ${secret} in line ${line} of ${stream}`)
      return { got: told.slice(0, TOLD_LINES).join(', ') + more(told.length - TOLD_LINES), requests: [] }
    },
  },
  {
    id: 'redirect',
    level: 'should',
    title: 'neither token nor password goes to another host, also not after a redirect',
    why: 'the operator of the other host could use the token',
    fix: 'do not follow redirects, or leave Authorization out where the host or the port is another one',
    scenarios: ['redirect'],
    judge(record) {
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
  },
]

/** Splits a header into its media types, in lower case, without parameters. */
function mediaTypes(value: string | undefined): string[] {
  return (value ?? '').split(',').map(part => (part.split(';', 1)[0] ?? '').trim().toLowerCase())
}

function logonHeaderProblem({ headers }: RecordedRequest): string | undefined {
  const problems = (['content-type', 'accept'] as const).flatMap(name => {
    if (mediaTypes(headers[name]).includes('application/json')) return []
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
