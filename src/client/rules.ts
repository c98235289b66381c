/** What a client is judged by. A rule is data but for its look at the record; a new one is a new entry. */
import type { RecordedRequest } from '../mock/index.js'
import { passwordPlaces } from './password.js'
import { endMs, isLogon, isRevocation, isWork } from './requests.js'
import type { ClientEnd, ClientRecord, RuleLevel, ScenarioName } from './result.js'
import { bearerProblem, logonBodyProblem, logonHeaderProblem } from './wire.js'

/** What a rule found: in words what the client did, and the requests that show it. */
export interface Finding {
  got: string
  requests: number[]
}

/** One rule. */
export interface Rule {
  id: string
  level: RuleLevel
  /** A statement of what clients do. */
  title: string
  /** The scenarios that it is judged in; absent: all. */
  scenarios?: readonly ScenarioName[]
  /** What the client did against it; undefined for nothing; `skipped` when it did nothing that it could be judged by. */
  judge(record: ClientRecord): Finding | 'skipped' | undefined
}

/** How often a token may still be sent after it was rejected: requests may be under way, and it may be revoked at the end. */
const REPEATS = 2

/** Wrong passwords, after which accounts begin to lock. */
const ATTEMPTS = 3

const ENDING: readonly ScenarioName[] = ['token-expires', 'token-revoked', 'restart']

/** The rules, in the order in which they are told. */
export const RULES: readonly Rule[] = [
  {
    id: 'host',
    level: 'must',
    title: 'every request has a Host header',
    judge: ({ requests }) => each(requests, request => ('host' in request.headers ? undefined : 'no Host header')),
  },
  {
    id: 'logon-headers',
    level: 'must',
    title: 'a logon says Content-Type: application/json and Accept: application/json',
    judge: ({ requests }) => each(requests.filter(isLogon), logonHeaderProblem),
  },
  {
    id: 'logon-body',
    level: 'must',
    title: 'the body of a logon is a JSON object with username and password, as they were given',
    judge: ({ requests, credentials }) =>
      each(requests.filter(isLogon), request => logonBodyProblem(request, credentials)),
  },
  {
    id: 'bearer',
    level: 'must',
    title: 'every other API request has Authorization: Bearer, with a token that the Core issued',
    judge: ({ requests }) =>
      each(
        requests.filter(request => isWork(request) || isRevocation(request)),
        bearerProblem,
      ),
  },
  {
    id: 'revocation-body',
    level: 'must',
    title: 'a revocation has no body',
    judge: ({ requests }) => each(requests.filter(isRevocation), ({ body }) => (body === '' ? undefined : 'a body')),
  },
  {
    id: 'password-elsewhere',
    level: 'should',
    title: 'the password stands nowhere but in the body of a logon',
    judge: ({ requests, credentials }) =>
      each(requests, request => {
        const places = passwordPlaces(request, credentials.password)
        return places.length === 0 ? undefined : `the password, in ${places.join(' and ')}`
      }),
  },
  {
    id: 'few-logons',
    level: 'should',
    title: 'one logon serves until its token ends',
    judge({ requests, eventAfter }) {
      const logons = requests.filter(({ issued }) => issued !== null)
      const needed = eventAfter === null ? 1 : 2
      if (logons.length === 0) return 'skipped'
      if (logons.length <= needed) return undefined
      return { got: `${logons.length} logons that gave a token, where ${needed} would do`, requests: numbers(logons) }
    },
  },
  {
    id: 'renewal',
    level: 'should',
    title: 'a client whose token was rejected logs on again, and goes on with its work',
    scenarios: ENDING,
    judge({ requests, eventAfter }) {
      const after = requests.filter(({ number }) => eventAfter !== null && number > eventAfter)
      const rejected = after.filter(request => isWork(request) && request.token?.state !== 'valid')
      if (after.some(request => isWork(request) && request.token?.state === 'valid')) return undefined
      if (rejected.length === 0) return 'skipped'
      const times = `${rejected.length} ${rejected.length === 1 ? 'request was' : 'requests were'} rejected`
      const then = after.some(isLogon) ? 'a logon, and no accepted request after it' : 'no other logon'
      return { got: `${times}, then ${then}`, requests: numbers(rejected) }
    },
  },
  {
    id: 'no-loop',
    level: 'should',
    title: `a token that was rejected is sent no more than ${REPEATS} times again`,
    judge({ requests }) {
      const dead = requests.filter(({ token }) => token !== null && token.state !== 'valid')
      for (const number of new Set(dead.map(({ token }) => token?.number))) {
        const [first, ...others] = dead.filter(({ token }) => token?.number === number)
        const again = others.filter(({ atMs }) => first !== undefined && atMs > endMs(first))
        if (again.length > REPEATS)
          return { got: `sent ${again.length} times after its rejection`, requests: numbers(again) }
      }
      return undefined
    },
  },
  {
    id: 'few-attempts',
    level: 'should',
    title: `a wrong password is tried no more than ${ATTEMPTS} times`,
    scenarios: ['wrong-password'],
    judge({ requests }) {
      const logons = requests.filter(isLogon)
      if (logons.length === 0) return 'skipped'
      return logons.length > ATTEMPTS ? { got: `${logons.length} logons`, requests: numbers(logons) } : undefined
    },
  },
  {
    id: 'patience',
    level: 'should',
    title: 'an answer that takes 2 seconds is waited for, and a logon is not sent twice meanwhile',
    scenarios: ['slow'],
    judge({ requests }) {
      const given = requests.filter(({ abandoned }) => abandoned)
      if (given.length > 0) return { got: 'a request given up before its answer', requests: numbers(given) }
      const logons = requests.filter(isLogon)
      const early = logons.filter(({ atMs }, index) => logons.slice(0, index).some(before => endMs(before) > atMs))
      return early.length > 0
        ? { got: 'another logon while one was not yet answered', requests: numbers(early) }
        : undefined
    },
  },
  {
    id: 'revokes',
    level: 'should',
    title: 'at its end it has revoked the tokens that it was given',
    judge({ tokens, end, requests, eventAfter }) {
      if (tokens.issued === 0 || (end.kind !== 'exit' && end.kind !== 'signal')) return 'skipped'
      if (tokens.live === 0) return undefined
      const revoked = new Set(requests.filter(isRevocation).map(({ token }) => token?.number))
      // The event ended those that were issued before it.
      const issued = requests.filter(request => request.issued !== null && request.number > (eventAfter ?? 0))
      const left = issued.filter(request => !revoked.has(request.issued ?? 0))
      return { got: `${tokens.live} of ${tokens.issued} left live on the Core`, requests: numbers(left) }
    },
  },
  {
    id: 'exit',
    level: 'should',
    title: 'it ends with exit code 0 when its work is done',
    scenarios: ['normal', 'slow', ...ENDING],
    judge: ({ end }) => exit(end, code => code === 0),
  },
  {
    id: 'exit-refused',
    level: 'should',
    title: 'it ends with another exit code than 0 when it could not log on',
    scenarios: ['wrong-password'],
    judge: ({ end }) => exit(end, code => code !== 0),
  },
]

/** Judges how a command ended; one that was killed by us says nothing. */
function exit(end: ClientEnd, isRight: (code: number) => boolean): Finding | 'skipped' | undefined {
  if (end.kind === 'signal') return { got: `it was ended by ${end.signal}`, requests: [] }
  if (end.kind !== 'exit') return 'skipped'
  return isRight(end.code) ? undefined : { got: `exit code ${end.code}`, requests: [] }
}

/** Judges requests one by one: what is wrong with the first of the bad ones, and all of them. */
function each(
  requests: readonly RecordedRequest[],
  problem: (request: RecordedRequest) => string | undefined,
): Finding | 'skipped' | undefined {
  if (requests.length === 0) return 'skipped'
  const bad = requests.filter(request => problem(request) !== undefined)
  const [first] = bad
  return first && { got: problem(first) ?? '', requests: numbers(bad) }
}

function numbers(requests: readonly RecordedRequest[]): number[] {
  return requests.map(({ number }) => number)
}
