import { schemaMiss } from './body-schema.js'
import { GENERATORS } from './families/generators.js'
import { type Each, type Family, naming } from './family.js'
import { hint } from './problem.js'
import { type RawSave, savesOf } from './save.js'
import type { Body, Change, Expectation, RequestTemplate, Span, State, Step, TokenRef } from './spec.js'
import { fillTokens, tokensIn, variableMisses } from './variables.js'

/** A step as it stands in the YAML, after the schema check. */
export interface RawStep {
  logon?: string
  send?: string
  wait?: { token: string; unused?: string | string[]; age?: string; before?: string }
  distinct?: string[]
  opaque?: string
  warm?: boolean
  later?: true
  tests?: string | string[]
  control?: true
  otherwise?: string
  consequence?: string
  method?: string
  path?: string
  headers?: Record<string, string | string[]>
  token?: string | { like: string; change: Change }
  without?: string[]
  http?: '1.0' | '1.1' | 'each'
  connection?: 'kept' | 'new' | 'resumed'
  behind?: string
  chunked?: true
  beside?: true
  body?: Body
  times?: number
  expect?: Expectation | Expectation[]
  observe?: string
  save?: RawSave
  each?: string
  only?: string | string[]
  spares?: string | string[]
  bracket?: string
  interaction?: { name: string; description: string; state: State }
}

/** What is wrong with a step; `key` names the part of it, where there is one. */
export interface StepMiss {
  key?: string
  message: string
}

/** What the steps before this one defined. {@link toStep} adds the tokens that the step issues. */
export interface StepScope {
  tokens: Set<string>
  /** Undefined when they could not all be read, so that none can be called unknown. */
  requests: ReadonlyMap<string, RequestTemplate> | undefined
  /** Undefined when they could not all be read. */
  families: ReadonlyMap<string, Family> | undefined
  /** The names of the values that steps of the spec save; absent: none. */
  saved?: ReadonlySet<string>
  /** The access control that the spec is about. */
  accessControl: 'on' | 'off'
  /** What `http: each` stands for; a spec that says it is built once for each version. */
  version: '1.0' | '1.1'
  /** What a list of `unused` stands for; a spec that has one is built once for each. */
  unused: string | undefined
}

/** The name of a token of the right shape that was never issued. */
export const UNKNOWN_TOKEN = 'unknown'

/** Which other keys each action takes. */
const KEYS = {
  logon: ['http', 'warm', 'beside', 'interaction', 'tests', 'control', 'otherwise', 'consequence'],
  send: [
    'method',
    'path',
    'headers',
    'token',
    'without',
    'http',
    'connection',
    'behind',
    'chunked',
    'beside',
    'body',
    'times',
    'expect',
    'observe',
    'save',
    'each',
    'only',
    'spares',
    'bracket',
    'interaction',
    'tests',
    'control',
    'otherwise',
    'consequence',
  ],
  wait: [],
  later: [],
  distinct: ['tests', 'control', 'otherwise', 'consequence'],
  opaque: ['tests', 'control', 'otherwise', 'consequence'],
} as const
const ACTIONS = Object.keys(KEYS) as (keyof typeof KEYS)[]

/**
 * Turns a step as written into a step as run, or says everything that a schema cannot see to be wrong with it. What it tests
 * is told by the whole spec, see `accusations`.
 */
export function toStep(raw: RawStep, scope: StepScope): { step: Step } | { misses: StepMiss[] } {
  const actions = ACTIONS.filter(action => raw[action] !== undefined)
  const [action] = actions
  if (!action || actions.length > 1) {
    const found = actions.length ? `; this one has ${actions.join(' and ')}` : ''
    return { misses: [{ message: `a step needs exactly one of ${ACTIONS.join(', ')}${found}` }] }
  }
  const allowed: string[] = [action, ...KEYS[action]]
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
    if (raw.logon === UNKNOWN_TOKEN)
      misses.push({
        key: 'logon',
        message: `'${UNKNOWN_TOKEN}' names a token that was never issued: choose another name`,
      })
    if (scope.tokens.has(raw.logon))
      misses.push({ key: 'logon', message: `a token '${raw.logon}' was issued before: choose another name` })
    // The survey of such a run looks for no token, so the step could only fail.
    if (scope.accessControl === 'off')
      misses.push({
        key: 'logon',
        message: 'a spec for access control off cannot log on: no token is looked for there',
      })
    scope.tokens.add(raw.logon)
    return {
      action: 'logon',
      token: raw.logon,
      http,
      tests: [],
      ...(raw.warm === false && { isCold: true as const }),
      ...beside,
    }
  }
  if (raw.send !== undefined) {
    if (scope.requests && !scope.requests.has(raw.send))
      misses.push({ key: 'send', message: `unknown request '${raw.send}'${hint(raw.send, scope.requests.keys())}` })
    const role = scope.requests?.get(raw.send)?.role
    const token = toTokenRef(raw.token)
    if (token && token.name !== UNKNOWN_TOKEN) known('token', token.name)
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
    if (
      (expect.includes('expired') || expect.includes('either')) &&
      (!token || token.change || token.name === UNKNOWN_TOKEN)
    ) {
      misses.push({
        key: 'expect',
        message: `'${expect.includes('either') ? 'either' : 'expired'}' needs a token that was issued`,
      })
    }
    for (const expectation of expect) {
      const miss = typeof expectation === 'object' ? schemaMiss(expectation.body) : undefined
      if (miss !== undefined) misses.push({ key: 'expect', message: `the schema of the body cannot be used: ${miss}` })
    }
    const contradiction = contradictionIn(expect)
    if (contradiction) misses.push({ key: 'expect', message: contradiction })
    const { method, path, body, observe, bracket } = raw
    const spares = raw.spares === undefined ? undefined : [raw.spares].flat()
    for (const name of spares ?? []) known('spares', name)
    if (bracket !== undefined) known('bracket', bracket)
    if (raw.behind !== undefined) known('behind', raw.behind)
    for (const miss of wireMisses(raw)) misses.push(miss)
    for (const miss of eachMisses(raw, token, scope.families)) misses.push(miss)
    const each = raw.each === undefined ? undefined : toEach(raw, raw.each, token, scope.families)
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
      ...(raw.behind !== undefined && { behind: raw.behind }),
      ...(raw.chunked && { isChunked: true as const }),
    }
  }
  if (raw.wait) {
    const { token, age, before } = raw.wait
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

/** What a step with `each` ranges over. */
function toEach(
  { only }: Pick<RawStep, 'only'>,
  name: string,
  token: TokenRef | undefined,
  families: StepScope['families'],
): Each | undefined {
  const family = families?.get(name)
  if (!family) return undefined
  const { made, variations } = family
  const some = only !== undefined && { only: [only].flat() }
  return { family: name, made, variations: token ? naming(variations, token.name) : variations, ...some }
}

/** What does not go with a request that goes out in a way of its own. */
function wireMisses(raw: RawStep): StepMiss[] {
  const { connection, behind, chunked } = raw
  const own = [connection === 'resumed' && 'connection', behind !== undefined && 'behind', chunked && 'chunked']
  const keys = own.filter((key): key is 'connection' | 'behind' | 'chunked' => typeof key === 'string')
  const [key, other] = keys
  if (key === undefined) return []
  const give = (message: string): StepMiss[] => [{ key, message }]
  if (other !== undefined) return give(`'${key}' does not go with '${other}': a step sends in one such way`)
  if (raw.each !== undefined) return give(`'${key}' does not go with 'each'`)
  if (raw.beside) return give(`'${key}' does not go with 'beside'`)
  if (key !== 'connection' && connection === 'new') return give(`'${key}' needs the connection that is kept`)
  if (raw.http === '1.0') return give(`'${key}' needs a connection that is kept, which HTTP/1.0 closes`)
  return []
}

/** What goes with `each`, and what does not. */
function eachMisses(raw: RawStep, token: TokenRef | undefined, families: StepScope['families']): StepMiss[] {
  const { each, expect = [], times, interaction } = raw
  const expected = [expect].flat()
  const give = (key: string, message: string): StepMiss[] => [{ key, message }]
  if (each === undefined) {
    const lonely = (['spares', 'bracket', 'only'] as const).filter(key => raw[key] !== undefined)
    return [
      ...lonely.flatMap(key => give(key, `'${key}' goes with 'each'`)),
      ...(expected.includes('issued') ? give('expect', "'issued' goes with 'each': elsewhere say 'logon'") : []),
    ]
  }
  const family = families?.get(each)
  if (families && !family) return give('each', `unknown family '${each}'${hint(each, families.keys())}`)
  const isFromToken =
    family?.made.some(name => GENERATORS[name].from === 'token') ||
    JSON.stringify(family?.variations ?? []).includes('{token}')
  const isIssued = token !== undefined && !token.change && token.name !== UNKNOWN_TOKEN
  return [
    ...onlyMisses(raw, family).flatMap(message => give('only', message)),
    ...(times === undefined ? [] : give('times', "'times' does not go with 'each', which sends each variation once")),
    ...(interaction ? give('interaction', "'interaction' does not go with 'each': a contract shows one request") : []),
    ...(expected.some(each => typeof each === 'object')
      ? give('expect', "a schema of the body does not go with 'each', whose variations are let in or not")
      : []),
    ...(expected.includes('either') ? give('expect', "'either' does not go with 'each'") : []),
    ...(isFromToken && !isIssued
      ? give('each', `the variations of '${each}' are made from a token: say which with 'token'`)
      : []),
  ]
}

/** Names that a family has not. What generators make depends on the token, so of such a family nobody knows them all. */
function onlyMisses({ only = [] }: Pick<RawStep, 'only'>, family: Family | undefined): string[] {
  if (!family || family.made.length) return []
  const names = family.variations.map(({ name }) => name)
  return [only]
    .flat()
    .filter(name => !names.includes(name))
    .map(name => `'${family.name}' has no variation '${name}'${hint(name, names)}`)
}

function toTokenRef(raw: RawStep['token']): TokenRef | undefined {
  if (raw === undefined || typeof raw === 'string') return raw === undefined ? undefined : { name: raw }
  return { name: raw.like, change: raw.change }
}

/** Leaving out a header that is not there would change nothing, and the spec would test something else than it says. */
function withoutMisses(without: string[], request: RequestTemplate | undefined): string[] {
  if (!request) return []
  const known = ['Host', ...Object.keys(request.headers ?? {})]
  const isKnown = (header: string) => known.some(name => name.toLowerCase() === header.toLowerCase())
  return without
    .filter(header => !isKnown(header))
    .map(header =>
      header.toLowerCase() === 'authorization'
        ? "the header 'Authorization' is there only with 'token': leave that out"
        : `this request has no header '${header}'${hint(header, known)}`,
    )
}

/** A list must hold in every part; so one that no response can meet would accuse every Core. */
function contradictionIn(expect: Expectation[]): string | undefined {
  const statuses = expect.filter(expectation => typeof expectation === 'number')
  if (statuses.length > 1) {
    return `a response has one status, and a list must hold in every part: ${statuses.join(' and ')} cannot both be`
  }
  const refusal = expect.find(expectation => expectation === 'rejected' || expectation === 'expired')
  return refusal && expect.includes('accepted') ? `'accepted' and '${refusal}' cannot both be` : undefined
}

function toSpan(text: string): Span {
  return text === 'past lifetime' || text === 'within lifetime' ? text : { fraction: Number.parseInt(text, 10) / 100 }
}
