/** Turns steps of the YAML into steps that run. */
import { given } from '../ground/given.js'
import { schemaMiss } from './body-schema.js'
import { type Each, familiesOf, nameToken } from './family.js'
import { hint, type Miss, miss } from './problem.js'
import type { RawStep, StepScope } from './raw-step.js'
import type { LogonStep, SendStep, Step, WaitStep } from './spec.js'
import { savesOf } from './spec-misses.js'
import { contradictionIn, eachMisses, wireMisses, withoutMisses } from './step-misses.js'
import { ANYONE, RUN_TOKENS, type Span, type TokenRef, UNKNOWN_TOKEN } from './step-words.js'
import { fillTokens, tokensIn, variableMisses } from './variables.js'

const TESTING = 'tests control otherwise consequence'
/** The further keys that go with each action. */
const KEYS = {
  logon: `http warm connection late-body each only beside interaction ${TESTING}`,
  send:
    'method path headers token without http connection behind chunked late-body cut assumed again beside body times expect observe ' +
    `save each only pairs row spares spread bracket interaction ${TESTING}`,
  wait: '',
  later: '',
  distinct: TESTING,
  opaque: TESTING,
}
/** What names of tokens stand for something else. */
const TAKEN = new Map([
  [UNKNOWN_TOKEN, `'${UNKNOWN_TOKEN}' names a token that was never issued`],
  ...[...RUN_TOKENS].map(([name, what]): [string, string] => [name, `'${name}' stands for ${what}`]),
  [ANYONE, `'${ANYONE}' stands for no token`],
])
const ACTIONS = Object.keys(KEYS) as (keyof typeof KEYS)[]

/** Takes the faults of a step, with the key that has each. */
class Faults {
  readonly misses: Miss[] = []

  constructor(private readonly tokens: ReadonlySet<string>) {}

  add(key: string, message: string): void {
    this.misses.push(miss(message, key))
  }

  /** Notes where no step before this one issued a token. */
  known(key: string, token: string): void {
    if (!this.tokens.has(token))
      this.add(key, `no step before this one issued a token '${token}'${hint(token, this.tokens)}`)
  }
}

/**
 * Turns a step of the YAML into a step that runs, or returns every fault that a schema cannot see. The whole spec
 * decides what the step tests, see `accusations`.
 */
export function toStep(raw: RawStep, scope: StepScope): { step: Step } | { misses: Miss[] } {
  const actions = ACTIONS.filter(action => raw[action] !== undefined)
  const [action] = actions
  if (!action || actions.length > 1) {
    const found = actions.length ? `; this one has ${actions.join(' and ')}` : ''
    return { misses: [miss(`a step needs exactly one of ${ACTIONS.join(', ')}${found}`)] }
  }
  const allowed = [action, ...KEYS[action].split(' ')]
  const faults = new Faults(scope.tokens)
  for (const key of Object.keys(raw).filter(key => !allowed.includes(key)))
    faults.add(key, `'${key}' does not go with '${action}'`)
  const step = build(raw, scope, faults)
  return faults.misses.length || !step ? { misses: faults.misses } : { step }
}

function build(raw: RawStep, scope: StepScope, faults: Faults): Step | undefined {
  if (raw.logon !== undefined) return logonStep(raw, raw.logon, scope, faults)
  if (raw.send !== undefined) return sendStep(raw, raw.send, scope, faults)
  if (raw.wait) return waitStep(raw.wait, scope, faults)
  if (raw.later) return { action: 'later', tests: [] }
  if (raw.opaque !== undefined) {
    faults.known('opaque', raw.opaque)
    return { action: 'opaque', token: raw.opaque, tests: [] }
  }
  for (const token of raw.distinct ?? []) faults.known('distinct', token)
  return { action: 'distinct', tokens: raw.distinct ?? [], tests: [] }
}

function httpOf({ http = '1.1' }: RawStep, { version }: StepScope): '1.0' | '1.1' {
  return http === 'each' ? version : http
}

function logonStep(raw: RawStep, token: string, scope: StepScope, faults: Faults): LogonStep {
  const taken = TAKEN.get(token) ?? (scope.tokens.has(token) && `a token '${token}' was issued before`)
  if (taken) faults.add('logon', `${taken}: choose another name`)
  scope.tokens.add(token)
  faults.misses.push(...wireMisses(raw), ...eachMisses(raw, undefined, scope))
  if (raw.each !== undefined && raw.only === undefined)
    faults.add('each', "a logon that is given a name has one form: say which with 'only'")
  const each = toEach(raw, undefined, scope.families)
  if (raw.connection !== undefined && raw.connection !== 'new')
    faults.add('connection', 'a logon that is given a name comes on the kept connection, or on a new one')
  const isCold = raw.warm === false || undefined
  return {
    action: 'logon',
    token,
    http: httpOf(raw, scope),
    tests: [],
    ...given({
      isCold,
      isNew: raw.connection === 'new' || undefined,
      isBodyLate: raw['late-body'],
      each,
      isBeside: raw.beside,
    }),
  }
}

function sendStep(raw: RawStep, request: string, scope: StepScope, faults: Faults): SendStep {
  const { headers = {}, without = [], times = 1, connection = 'kept' } = raw
  const { method, path, body, observe, bracket, behind } = raw
  const { requests } = scope
  if (requests && !requests.has(request))
    faults.add('send', `unknown request '${request}'${hint(request, requests.keys())}`)
  const role = requests?.get(request)?.role
  const token = toTokenRef(raw.token)
  if (token && RUN_TOKENS.has(token.name)) {
    const isLook = role === 'probe' && !token.change && !raw.each && !raw.times && !raw.beside
    if (!isLook || [raw.expect].flat().join() !== 'rejected')
      faults.add('token', `'${token.name}' goes with the request of the role 'probe' and 'expect: rejected' alone`)
  } else if (token && token.name !== UNKNOWN_TOKEN) faults.known('token', token.name)
  for (const key of ['path', 'headers', 'body'] as const) {
    for (const message of variableMisses(raw[key], scope.saved)) faults.add(key, message)
    for (const name of tokensIn(raw[key])) faults.known(key, name)
  }
  if (path && fillTokens(path, () => '').includes(' ')) faults.add('path', 'a space in a path is written as %20')
  for (const message of withoutMisses(without, requests?.get(request))) faults.add('without', message)
  const expect = raw.expect === undefined ? [] : [raw.expect].flat()
  const needy = (['either', 'expired'] as const).find(each => expect.includes(each))
  if (needy && (!token || token.change || token.name === UNKNOWN_TOKEN))
    faults.add('expect', `'${needy}' needs a token that was issued`)
  for (const expectation of expect) {
    const why = typeof expectation === 'object' ? schemaMiss(expectation.body) : undefined
    if (why !== undefined) faults.add('expect', `the schema of the body cannot be used: ${why}`)
  }
  const contradiction = contradictionIn(expect)
  if (contradiction) faults.add('expect', contradiction)
  if (raw.again && (role !== 'logon' || body === undefined || raw.each !== undefined))
    faults.add('again', "'again' goes with one logon that should be refused")
  if (raw.cut === 'answer' && role === 'logon')
    faults.add('cut', 'a logon that is broken off before its answer leaves a token behind')
  const isAnyone = behind === ANYONE && scope.accessControl === 'off'
  const spares = raw.spares === undefined ? undefined : [raw.spares].flat()
  for (const name of spares ?? []) faults.known('spares', name)
  if (bracket !== undefined) faults.known('bracket', bracket)
  if (behind !== undefined && !isAnyone) faults.known('behind', behind)
  faults.misses.push(...wireMisses(raw), ...eachMisses(raw, token, scope))
  const each = toEach(raw, token, scope.families)
  const http = httpOf(raw, scope)
  const step: SendStep = { action: 'send', request, headers, without, http, times, connection, expect, tests: [] }
  return {
    ...step,
    ...given({ role, method, path, token, body, observe, each, spares, bracket, behind, isBeside: raw.beside }),
    ...given({ save: raw.save && savesOf(raw.save), isSpread: raw.spread, isChunked: raw.chunked }),
    ...given({ isBodyLate: raw['late-body'] }),
    ...given({ breaksOff: raw.cut, isAssumed: raw.assumed, isAgain: raw.again }),
  }
}

function waitStep(wait: NonNullable<RawStep['wait']>, scope: StepScope, faults: Faults): WaitStep | undefined {
  const { token, age, before, connection } = wait
  const unused = Array.isArray(wait.unused) ? (scope.unused ?? wait.unused[0]) : wait.unused
  faults.known('wait', token)
  const text = unused ?? age
  if (text === undefined || (unused !== undefined && age !== undefined)) {
    faults.add('wait', "a wait needs either 'unused' or 'age'")
    return undefined
  }
  const latest = before === undefined ? undefined : toSpan(before)
  if (typeof latest === 'string') faults.add('wait', "'before' must be a percentage")
  const since = unused === undefined ? 'issued' : 'used'
  const fraction = typeof latest === 'object' ? latest.fraction : undefined
  const isKept = connection && (true as const)
  return { action: 'wait', token, since, span: toSpan(text), tests: [], ...given({ before: fraction, isKept }) }
}

/** Returns the variations that a step with `each` ranges over. */
function toEach(
  { only, each, bracket, pairs, row }: RawStep,
  token: TokenRef | undefined,
  families: StepScope['families'],
): Each | undefined {
  const names = each === undefined ? [] : [each].flat()
  const found = familiesOf(names, families)
  if (!found.length || found.length < names.length) return undefined
  const isRows = Array.isArray(each) || found.length > 1
  // A step without a token of its own makes variations from the one that it brackets them with.
  const from = token?.name ?? (isRows ? bracket : undefined)
  const dimensions = found.map(({ name, made, variations }) => ({
    name,
    made,
    variations: variations.map(({ after, ...own }) => ({
      ...(from === undefined ? own : nameToken(own, from)),
      // A request before it is a good one where the step knows a good token.
      ...(after && { after: nameToken(after, bracket ?? from ?? '') }),
    })),
  }))
  return {
    family: names.join(' × '),
    made: dimensions.flatMap(({ made }) => made),
    variations: dimensions.flatMap(({ variations }) => variations),
    ...given({ only: only === undefined ? only : [only].flat() }),
    ...(isRows && { dimensions, ...given({ isPaired: pairs, row }) }),
  }
}

function toTokenRef(raw: RawStep['token']): TokenRef | undefined {
  if (raw === undefined || typeof raw === 'string') return raw === undefined ? undefined : { name: raw }
  return { name: raw.like, change: raw.change }
}

function toSpan(text: string): Span {
  return text === 'past lifetime' || text === 'within lifetime' ? text : { fraction: Number.parseInt(text, 10) / 100 }
}
