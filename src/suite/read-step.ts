/** Turns steps of the YAML into steps that run. Over 250 lines, since every key of a step is read here, and its faults are told. */
import { schemaMiss } from './body-schema.js'
import { type Each, familiesOf, nameToken } from './family.js'
import { hint } from './problem.js'
import type { RawStep, StepMiss, StepScope } from './raw-step.js'
import { savesOf } from './save.js'
import type { Step } from './spec.js'
import { contradictionIn, eachMisses, wireMisses, withoutMisses } from './step-misses.js'
import { ANYONE, ENDED_TOKENS, type Span, type TokenRef, UNKNOWN_TOKEN } from './step-words.js'
import { fillTokens, tokensIn, variableMisses } from './variables.js'

const TESTING = 'tests control otherwise consequence'
/** The further keys that go with each action. */
const KEYS = {
  logon: `http warm each only beside interaction ${TESTING}`,
  send:
    'method path headers token without http connection behind chunked cut assumed again beside body times expect observe ' +
    `save each only pairs row spares spread bracket interaction ${TESTING}`,
  wait: '',
  later: '',
  distinct: TESTING,
  opaque: TESTING,
}
/** What names of tokens stand for something else. */
const TAKEN = new Map([
  [UNKNOWN_TOKEN, `'${UNKNOWN_TOKEN}' names a token that was never issued`],
  [ENDED_TOKENS, `'${ENDED_TOKENS}' stands for what the run revoked`],
  [ANYONE, `'${ANYONE}' stands for no token`],
])
const ACTIONS = Object.keys(KEYS) as (keyof typeof KEYS)[]

/**
 * Turns a step of the YAML into a step that runs, or returns every fault that a schema cannot see. The whole spec
 * decides what the step tests, see `accusations`.
 */
export function toStep(raw: RawStep, scope: StepScope): { step: Step } | { misses: StepMiss[] } {
  const actions = ACTIONS.filter(action => raw[action] !== undefined)
  const [action] = actions
  if (!action || actions.length > 1) {
    const found = actions.length ? `; this one has ${actions.join(' and ')}` : ''
    return { misses: [{ message: `a step needs exactly one of ${ACTIONS.join(', ')}${found}` }] }
  }
  const allowed = [action, ...KEYS[action].split(' ')]
  const misses: StepMiss[] = Object.keys(raw)
    .filter(key => !allowed.includes(key))
    .map(key => ({ key, message: `'${key}' does not go with '${action}'` }))
  const known = (key: string, token: string) => {
    if (!scope.tokens.has(token))
      misses.push({ key, message: `no step before this one issued a token '${token}'${hint(token, scope.tokens)}` })
  }
  const step = build(raw, scope, known, misses)
  return misses.length || !step ? { misses } : { step }
}

function build(
  raw: RawStep,
  scope: StepScope,
  known: (key: string, token: string) => void,
  misses: StepMiss[],
): Step | undefined {
  const beside = raw.beside && { isBeside: true as const }
  const http = raw.http === 'each' ? scope.version : (raw.http ?? '1.1')
  if (raw.logon !== undefined) {
    const taken = TAKEN.get(raw.logon) ?? (scope.tokens.has(raw.logon) && `a token '${raw.logon}' was issued before`)
    if (taken) misses.push({ key: 'logon', message: `${taken}: choose another name` })
    scope.tokens.add(raw.logon)
    for (const miss of eachMisses(raw, undefined, scope)) misses.push(miss)
    if (raw.each !== undefined && raw.only === undefined)
      misses.push({ key: 'each', message: "a logon that is given a name has one form: say which with 'only'" })
    const each = toEach(raw, undefined, scope.families)
    return {
      action: 'logon',
      token: raw.logon,
      http,
      tests: [],
      ...(raw.warm === false && { isCold: true as const }),
      ...(each && { each }),
      ...beside,
    }
  }
  if (raw.send !== undefined) {
    if (scope.requests && !scope.requests.has(raw.send))
      misses.push({ key: 'send', message: `unknown request '${raw.send}'${hint(raw.send, scope.requests.keys())}` })
    const role = scope.requests?.get(raw.send)?.role
    const token = toTokenRef(raw.token)
    if (token?.name === ENDED_TOKENS) {
      const isLook = role === 'probe' && !token.change && !raw.each && !raw.times && !beside
      if (!isLook || [raw.expect].flat().join() !== 'rejected')
        misses.push({
          key: 'token',
          message: `'${ENDED_TOKENS}' goes with the request of the role 'probe' and 'expect: rejected' alone`,
        })
    } else if (token && token.name !== UNKNOWN_TOKEN) known('token', token.name)
    for (const key of ['path', 'headers', 'body'] as const) {
      for (const message of variableMisses(raw[key], scope.saved)) misses.push({ key, message })
      for (const name of tokensIn(raw[key])) known(key, name)
    }
    if (raw.path && fillTokens(raw.path, () => '').includes(' ')) {
      misses.push({ key: 'path', message: 'a space in a path is written as %20' })
    }
    for (const message of withoutMisses(raw.without ?? [], scope.requests?.get(raw.send))) {
      misses.push({ key: 'without', message })
    }
    const expect = raw.expect === undefined ? [] : [raw.expect].flat()
    const needy = (['either', 'expired'] as const).find(each => expect.includes(each))
    if (needy && (!token || token.change || token.name === UNKNOWN_TOKEN))
      misses.push({ key: 'expect', message: `'${needy}' needs a token that was issued` })
    for (const expectation of expect) {
      const miss = typeof expectation === 'object' ? schemaMiss(expectation.body) : undefined
      if (miss !== undefined) misses.push({ key: 'expect', message: `the schema of the body cannot be used: ${miss}` })
    }
    const contradiction = contradictionIn(expect)
    if (contradiction) misses.push({ key: 'expect', message: contradiction })
    const { method, path, body, observe, bracket } = raw
    if (raw.again && (role !== 'logon' || body === undefined || raw.each !== undefined))
      misses.push({ key: 'again', message: "'again' goes with one logon that should be refused" })
    if (raw.cut === 'answer' && role === 'logon')
      misses.push({ key: 'cut', message: 'a logon that is broken off before its answer leaves a token behind' })
    const isAnyone = raw.behind === ANYONE && scope.accessControl === 'off'
    const spares = raw.spares === undefined ? undefined : [raw.spares].flat()
    for (const name of spares ?? []) known('spares', name)
    if (bracket !== undefined) known('bracket', bracket)
    if (raw.behind !== undefined && !isAnyone) known('behind', raw.behind)
    for (const miss of wireMisses(raw)) misses.push(miss)
    for (const miss of eachMisses(raw, token, scope)) misses.push(miss)
    const each = toEach(raw, token, scope.families)
    return {
      action: 'send',
      request: raw.send,
      ...(role && { role }),
      headers: raw.headers ?? {},
      without: raw.without ?? [],
      http,
      times: raw.times ?? 1,
      connection: raw.connection ?? 'kept',
      expect,
      tests: [],
      ...(method !== undefined && { method }),
      ...(path !== undefined && { path }),
      ...(token && { token }),
      ...(body !== undefined && { body }),
      ...(observe !== undefined && { observe }),
      ...(raw.save && { save: savesOf(raw.save) }),
      ...beside,
      ...(each && { each }),
      ...(spares && { spares }),
      ...(bracket !== undefined && { bracket }),
      ...(raw.spread && { isSpread: true as const }),
      ...(raw.behind !== undefined && { behind: raw.behind }),
      ...(raw.chunked && { isChunked: true as const }),
      ...(raw.cut && { breaksOff: raw.cut }),
      ...(raw.assumed && { isAssumed: true as const }),
      ...(raw.again && { isAgain: true as const }),
    }
  }
  if (raw.wait) {
    const { token, age, before, connection } = raw.wait
    const unused = Array.isArray(raw.wait.unused) ? (scope.unused ?? raw.wait.unused[0]) : raw.wait.unused
    known('wait', token)
    const text = unused ?? age
    if (text === undefined || (unused !== undefined && age !== undefined)) {
      misses.push({ key: 'wait', message: "a wait needs either 'unused' or 'age'" })
      return undefined
    }
    const latest = before === undefined ? undefined : toSpan(before)
    if (typeof latest === 'string') misses.push({ key: 'wait', message: "'before' must be a percentage" })
    return {
      action: 'wait',
      token,
      since: unused === undefined ? 'issued' : 'used',
      span: toSpan(text),
      tests: [],
      ...(typeof latest === 'object' && { before: latest.fraction }),
      ...(connection && { isKept: true as const }),
    }
  }
  if (raw.opaque !== undefined) {
    known('opaque', raw.opaque)
    return { action: 'opaque', token: raw.opaque, tests: [] }
  }
  if (raw.later) return { action: 'later', tests: [] }
  for (const token of raw.distinct ?? []) known('distinct', token)
  return { action: 'distinct', tokens: raw.distinct ?? [], tests: [] }
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
    ...(only !== undefined && { only: [only].flat() }),
    ...(isRows && { dimensions, ...(pairs && { isPaired: true as const }), ...(row !== undefined && { row }) }),
  }
}

function toTokenRef(raw: RawStep['token']): TokenRef | undefined {
  if (raw === undefined || typeof raw === 'string') return raw === undefined ? undefined : { name: raw }
  return { name: raw.like, change: raw.change }
}

function toSpan(text: string): Span {
  return text === 'past lifetime' || text === 'within lifetime' ? text : { fraction: Number.parseInt(text, 10) / 100 }
}
