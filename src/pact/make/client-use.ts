/** Finds the interactions that a client used under `core-conformance client`. */

import { endMs, isLogon, isWork, targetOf, workOf } from '../../client/requests.js'
import type { ClientRecord, ClientResult } from '../../client/result.js'
import { alphabetOf } from '../../core/token.js'
import { type DialectData, toDialect } from '../../mock/dialect.js'
import type { RecordedRequest } from '../../mock/recorded-request.js'
import type { RequirementRef } from '../../result.js'
import type { Spec } from '../../suite/spec.js'
import type { State } from '../../suite/step-words.js'
import type { Interaction } from '../process/model.js'
import { LOGON_PATH } from '../read/contract-file.js'
import { buildInteraction, GRANTED } from './build.js'
import { bodyKind, exchangeOf, redactorOf, tokenPointer } from './client-record.js'
import type { Demands } from './consumer.js'
import type { TokenDialect } from './expected-body.js'
import { type Interactions, type LeftOut, made } from './select.js'

/** The options for the interactions of a client. */
export interface ClientUseOptions extends Demands {
  /** The dialect of the mock Core that the client ran against. */
  dialect: DialectData | undefined
  /** The suite. Its interactions link each situation to the requirements that state it. */
  specs: readonly Spec[]
}

/** One kind of request of a client, with everything that tells it from the others. */
type Use = ReturnType<typeof usesOf>[number]

/** The options for the interactions of a client, with its token and the statuses that it tells apart. */
type UseOptions = ClientUseOptions & TokenDialect & { apart: ReadonlySet<number> }

/** The suite's names of requests. Any other request is named by its method and path. */
const NAMES: ReadonlyMap<string, string> = new Map([
  [`POST ${LOGON_PATH} JSON`, 'a logon'],
  [`DELETE ${LOGON_PATH} none`, 'a revocation'],
  ['GET /api/v0/cores/self/users none', 'a request for the users'],
])

const TOKEN_STATES: Record<NonNullable<RecordedRequest['token']>['state'], State> = {
  valid: 'a valid token',
  expired: 'an expired token',
  revoked: 'a revoked token',
  // A Core that has forgotten a token cannot tell it from one that it never issued.
  forgotten: 'a token that was never issued',
  unknown: 'a token that was never issued',
}

/** The scenarios in which the Core answers by itself. Staged answers of other scenarios are nothing to rely on. */
const UNSTAGED: readonly string[] = [
  'normal',
  'token-expires',
  'token-revoked',
  'wrong-password',
  'slow',
  'restart',
  'restart-inside',
]

/** The statuses of a mock Core for endpoints that it lacks. */
const ABSENT = [404, 405]

/**
 * Finds the interactions that a client used in the scenarios that it passed, and lists those left out. Each kind of request
 * counts once, as first seen: by method, path with query, state of its token, and kind of body.
 * @throws ContractError for a field that no answer has
 */
export function usedInteractions(result: ClientResult, options: ClientUseOptions): Interactions {
  const scenarios = result.scenarios.filter(({ scenario }) => UNSTAGED.includes(scenario))
  const left = scenarios
    .filter(({ outcome }) => outcome !== 'passed')
    .map(
      ({ scenario, outcome }): LeftOut => ({
        name: `scenario ${scenario}`,
        reason: outcome === 'failed' ? 'the client failed in it' : 'the client could not be judged in it',
      }),
    )
  const records = scenarios.filter(({ outcome }) => outcome === 'passed').map(({ record }) => record)
  const uses = distinct(records.flatMap(usesOf))
  const pointer = tokenPointer(records)
  const dialect = tokenDialect(options.dialect, pointer)
  const redactors = new Map(records.map(record => [record, redactorOf(record, pointer)]))
  const redactorBy = ({ record }: Use) => redactors.get(record) ?? redactorOf(record, pointer)
  const apart = toldApart(result.scenarios.map(({ record }) => record))
  const found = made(
    uses,
    options.fields,
    use => redactorBy(use).text(workOf(use.request)),
    (use, fields) => {
      const { method, path } = use.request
      // The same request with a valid token, where the client sent one.
      const accepted = uses.find(
        ({ request, states }) => request.method === method && request.path === path && states.includes('a valid token'),
      )
      const how = { ...options, apart, fields, token: dialect.token }
      return interactionOf(use, accepted?.request.status ?? null, how, redactorBy(use))
    },
  )
  const key = ({ name, reason }: LeftOut) => `${reason}\0${name}`
  const unique = new Map([...left, ...found.left].map(each => [key(each), each]))
  return { ...found, left: [...unique.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1)) }
}

/** Picks the requests of a record that a contract could show: answered, and awaited by the client. */
function usesOf(record: ClientRecord) {
  const { scenario, requests } = record
  const answered = requests.filter(({ status, abandoned }) => status !== null && !abandoned)
  return answered.map(request => {
    const states = statesOf(record, request)
    const key = JSON.stringify([request.method, targetOf(request), states, bodyKind(request)])
    return { scenario, record, request, states, key }
  })
}

function statesOf({ scenario }: ClientRecord, request: RecordedRequest): State[] {
  const token = request.token ? TOKEN_STATES[request.token.state] : undefined
  if (!isLogon(request)) return [token ?? 'no token']
  // A client that failed to log on as told has not passed.
  const credentials = scenario === 'wrong-password' ? 'wrong credentials' : 'right credentials'
  return token ? [credentials, token] : [credentials]
}

/**
 * Keeps each use once, from the first scenario that has it. Of several with different answers or headers it always picks the
 * same, whatever the order of requests sent side by side; an accepted request comes first.
 */
function distinct(uses: Use[]): Use[] {
  const found = new Map<string, Use>()
  for (const use of uses) {
    const other = found.get(use.key)
    if (!other || (other.scenario === use.scenario && rank(use) < rank(other))) found.set(use.key, use)
  }
  return [...found.values()]
}

function rank({ request }: Use): string {
  const { accept = '', 'content-type': type = '' } = request.headers
  return JSON.stringify([request.status, accept, type])
}

/** Describes the token: its format from the dialect, its place from the wire. */
function tokenDialect(data: DialectData | undefined, pointer: string | undefined): TokenDialect {
  const { alphabet, length, prefix = '', suffix = '' } = toDialect(data ?? {}).token
  if (pointer === undefined) return { token: null }
  const whole = prefix.length + length + suffix.length
  return { token: { pointer, length: whole, alphabet: alphabetOf(prefix + alphabet + suffix) } }
}

function interactionOf(
  { scenario, record, request, states }: Use,
  acceptedStatus: number | null,
  { token, specs, apart, strictToken, fields, pinStatuses: isPinned }: UseOptions,
  redactor: ReturnType<typeof redactorOf>,
): Interaction | string {
  const [state = 'no token'] = states
  const exchange = exchangeOf(request, record.credentials, redactor)
  if (typeof exchange === 'string') return exchange
  const description = descriptionOf(request)
  const isRefused = (request.status ?? 0) >= 400
  const isAbsent = isRefused && GRANTED.includes(state) && ABSENT.includes(request.status ?? 0)
  // The body of such an answer is nothing to rely on.
  const { response } = exchange
  const shown = isAbsent && response ? { ...exchange, response: { ...response, body: '' } } : exchange
  const mark = { name: description, description, state, step: 0 }
  const requirements = isRefused === GRANTED.includes(state) ? [] : requirementsOf(description, state, specs)
  const isToldApart = isRefused && isWork(request) && !GRANTED.includes(state) && apart.has(request.status ?? 0)
  const pinStatuses = isPinned || isToldApart
  const options = { dialect: { token, acceptedStatus }, observedOn: 'the mock Core', pinStatuses, strictToken, fields }
  const built = buildInteraction({ mark, requirements, exchange: shown }, options)
  if (typeof built === 'string') return built
  const comments = [
    ...built.comments,
    `Sent by this client's own command, in the scenario ${scenario} of core-conformance client`,
    ...(isToldApart
      ? [`This client logs on again after ${request.status}, which is therefore the status that it needs`]
      : []),
    'Answered by the mock Core, which proves nothing of a real one: verify it on a Core with core-conformance contracts verify',
    ...(isAbsent
      ? ['The mock Core has no such endpoint, so how a real Core answers is open, and this is pending']
      : []),
  ]
  return { ...built, states, comments, ...(isAbsent && { pending: true }) }
}

function descriptionOf(request: RecordedRequest): string {
  const { method } = request
  const target = targetOf(request)
  const kind = bodyKind(request)
  const body = kind === 'none' ? '' : ` with ${kind === 'JSON' ? 'JSON' : 'a text'}`
  return NAMES.get(`${method} ${target} ${kind}`) ?? `${method} ${target}${body}`
}

/** Returns the requirements that state a situation. As in the suite, every API request counts like the one for the users. */
function requirementsOf(description: string, state: State, specs: ClientUseOptions['specs']): RequirementRef[] {
  const [users = ''] = [...NAMES.values()].slice(-1)
  // A token that was never issued counts as no token.
  const stated = state === 'a token that was never issued' ? 'no token' : state
  const find = (name: string) =>
    specs.find(({ interactions = [] }) => interactions.some(i => i.description === name && i.state === stated))
  return (find(description) ?? find(users))?.requirements ?? []
}

/**
 * Returns the statuses of a refused token after which a client logs on again. There are none where it was seen to do so after
 * every other refusal too, such as the 406 that a good token meets in a scenario: then it renews on any 4xx.
 */
function toldApart(records: readonly ClientRecord[]): ReadonlySet<number> {
  const renewing = new Set<number>()
  const others = new Map<number, boolean>()
  for (const { requests } of records) {
    for (const request of requests.filter(isRefusedWork)) {
      const { status, token } = request
      const isRenewed = requests.some(later => isLogon(later) && later.atMs >= endMs(request))
      if (status === null) continue
      if (token?.state === 'valid') others.set(status, others.get(status) || isRenewed)
      else if (isRenewed) renewing.add(status)
    }
  }
  const renewsOnAny = others.size > 0 && [...others.values()].every(Boolean)
  return renewsOnAny ? new Set() : renewing
}

/** Tells whether a request is work that was refused. 429 refuses no token: it asks to come later. */
function isRefusedWork(request: RecordedRequest): boolean {
  const { status, abandoned } = request
  return isWork(request) && !abandoned && status !== null && status >= 400 && status < 500 && status !== 429
}
