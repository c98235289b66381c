/**
 * The suite as data: what the YAML files of `specs/` say, after checking. Formats: `contracts/*.schema.json`. Over 250 lines, most of
 * them what each part means.
 */
import { isSafe } from '../ground/methods.js'
import type { InteractionRecord, Level, RequirementRef } from '../result.js'
import type { BodySchema } from './body-schema.js'
import type { Each, Family } from './family.js'
import { UNKNOWN_TOKEN } from './raw-step.js'
import type { Role } from './roles.js'
import type { Saved } from './save.js'

/** One statement of the ledger `specs/requirements.yaml`. */
export interface Requirement extends RequirementRef {
  /** `excluded`: no test over the wire can tell; then `reason` says why. Default `must`. */
  level?: Level | 'excluded'
  reason?: string
  /** The sentence of the reference that says so, as it stands there; absent where the reference is silent. */
  quote?: string
}

/** A request that specs send by name. Texts may hold `{username}`, `{password}` and other variables of the run. */
export interface RequestTemplate {
  about?: string
  /** What the engine needs it for; absent for most. */
  role?: Role
  method: string
  /** A list: the first of these paths at which this Core tells a valid token from none. */
  path: string | string[]
  headers?: Record<string, string>
  body?: Body
  /** `must` (the default): the reference states that it needs a token. `observe`: it is judged only where this Core asks for one. */
  level?: Level
}

/** A request body: text as it is, anything else to be sent as JSON. */
export type Body = string | unknown[] | Record<string, unknown>

/** A span of time: a fraction of the idle lifetime, just past the lifetime and its tolerance, or safely under both. */
export type Span = { fraction: number } | 'past lifetime' | 'within lifetime'

/** What a response is expected to be; a number is a status, `body` a JSON Schema that the body fits. */
export type Expectation =
  | 'accepted'
  | 'not accepted'
  | 'rejected'
  | 'expired'
  | 'either'
  | 'nothing issued'
  | 'issued'
  | number
  | { body: BodySchema }

/** How a token is changed into one that was never issued. */
export const CHANGES = [
  'first character',
  'one character',
  'last character',
  'shortened',
  'prolonged',
  'upper case',
  'lower case',
] as const
/** See {@link CHANGES}. */
export type Change = (typeof CHANGES)[number]

/** A token by the name that its logon gave it, or something made from it; `unknown`: of the same shape, never issued. */
export interface TokenRef {
  name: string
  change?: Change
}

/**
 * What a Core is to be in before an interaction of a contract: its provider states. Whoever verifies a contract brings them
 * about; the first four are about the token that the request carries.
 */
export const STATES = [
  'a valid token',
  'a revoked token',
  'an expired token',
  'a token that was never issued',
  'no token',
  'right credentials',
  'wrong credentials',
  'an unknown user',
  'access control off',
] as const
/** See {@link STATES}. */
export type State = (typeof STATES)[number]

/** What every step says. */
export interface Testing {
  /**
   * The ids of the requirements that a miss of this step accuses. Empty for a step that prepares or controls: where such a
   * step misses, the spec is blocked.
   */
  tests: readonly string[]
  /** What is seen where this step misses in the way that it is there to find: `a revoked token is still accepted with HEAD`. */
  otherwise?: string
  /** What that means for clients; absent where the requirement itself says it well. */
  consequence?: string
  /** Present where it is sent at the same time as the step before it, each on a connection of its own. */
  isBeside?: true
}

/** Log on, expect a token, and hold it under a name. */
export interface LogonStep extends Testing {
  action: 'logon'
  token: string
  http: '1.0' | '1.1'
  /** True: the token is used as the logon gave it, also on a Core that is known not to accept it at once. */
  isCold?: true
}

/** Send a request and judge the response. */
export interface SendStep extends Testing {
  action: 'send'
  /** A name in {@link Suite.requests}. */
  request: string
  /** The role of that request; absent where it has none. */
  role?: Role
  method?: string
  path?: string
  /** Added to the request's own, or in their place. May hold `{token NAME}`. A list is sent as that many lines. */
  headers: Record<string, string | string[]>
  token?: TokenRef
  without: string[]
  http: '1.0' | '1.1'
  /**
   * `kept` (the default): on the connection that the spec keeps open, as clients do; `new`: on one of its own; `resumed`: on one
   * that takes the place of the kept one, and resumes its TLS session.
   */
  connection: 'kept' | 'new' | 'resumed'
  /** The token of a good request that is sent right before this one, whose answer is not waited for. */
  behind?: string
  /** Present where the body is sent in chunks. */
  isChunked?: true
  body?: Body
  /** How often it is sent; every response is judged. */
  times: number
  expect: Expectation[]
  /** The name under which what was seen is recorded as facts. */
  observe?: string
  /** What is taken out of the response, for later steps of the spec. */
  save?: Saved[]
  /** It is sent once for each variation of this. */
  each?: Each
  /** With `each`: the tokens that are accepted afterwards, whatever was sent. */
  spares?: string[]
  /** With `each`: the token with which each variation is sent once more; what is not accepted even so tells nothing. */
  bracket?: string
}

/** Let time pass until a token has been unused for a span, or is that old. */
export interface WaitStep extends Testing {
  action: 'wait'
  token: string
  since: 'used' | 'issued'
  span: Span
  /** What comes after is of no use later than this, a fraction of the lifetime: then the window was missed. */
  before?: number
}

/** Expect tokens to differ from each other. */
export interface DistinctStep extends Testing {
  action: 'distinct'
  tokens: string[]
}

/** Expect a token to be made of nothing that its user knows: no credentials, in no encoding. */
export interface OpaqueStep extends Testing {
  action: 'opaque'
  token: string
}

/** Let a moment pass: Cores were seen to take half a second until a request has its effect. This is no wait for a lifetime. */
export interface LaterStep extends Testing {
  action: 'later'
}

/** One step of a spec. */
export type Step = LogonStep | SendStep | WaitStep | LaterStep | DistinctStep | OpaqueStep

/** One declarative test. */
export interface Spec {
  id: string
  area: string
  title: string
  level: Level
  requirements: RequirementRef[]
  /** The access control that the spec is about; on a run with the other it is skipped. */
  accessControl: 'on' | 'off'
  /** Whether it only measures the lifetime, and runs only when asked to. */
  measuresLifetime: boolean
  /** Steps that prepare: a miss blocks. */
  given: Step[]
  /** Steps that judge, and controls between them: a miss of one that tests something fails, of any other blocks. */
  steps: Step[]
  /** Present where a quick run leaves it out, for the number of its requests. */
  isForFull?: true
  /** Present where only a long run has it, since it waits for more than one lifetime. */
  isForLong?: true
  /** Present where it runs while nobody else holds a token. */
  isAlone?: boolean
  /** The id of the requirement that is broken where a bystander dies; absent where the spec watches none. */
  bystanders?: string
  /** The same spec with one bystander only, for a Core that has no room for all of them; present with `bystanders`. */
  narrow?: Spec
  /** The form in which it is run once more, to see the same again: each bystander is seen to be alive right before the steps. */
  confirming?: Spec
  /** The steps that contracts show, in their order; absent for none. */
  interactions?: InteractionRecord[]
  file: string
  line: number
  /** Present where its file is the user's own. */
  isOwn?: true
}

/** Everything that was loaded. */
export interface Suite {
  specs: Spec[]
  requests: ReadonlyMap<string, RequestTemplate>
  requirements: ReadonlyMap<string, Requirement>
  families: ReadonlyMap<string, Family>
  /** SHA-256, in hex, of the files in the order loaded. */
  digest: string
}

/** Whether a spec waits for time to pass; such specs are left out of a quick run. */
export function waits(spec: Spec): boolean {
  return allSteps(spec).some(step => step.action === 'wait')
}

/** Whether a spec lets a moment pass, for what comes late. */
export function pauses(spec: Spec): boolean {
  return allSteps(spec).some(step => step.action === 'later')
}

/**
 * Whether a spec sends a request that may have effects on tokens of other specs, where the Core does more than the reference
 * says: a revocation or logon in any but its plain use, such as one without Host, without a token, with one that was changed,
 * revoked or never issued, or with other credentials.
 * @param requests tells the methods of requests without a role
 */
export function reachesOthers(spec: Spec, requests?: Suite['requests']): boolean {
  const ended = new Set<string>()
  return allSteps(spec).some(step => {
    if (step.action === 'wait' && step.span === 'past lifetime') ended.add(step.token)
    if (step.action !== 'send') return false
    if (step.role === 'revoke') {
      const name = step.token?.name ?? UNKNOWN_TOKEN
      const isPlain = revokes(step) && isAsStated(step) && !ended.has(name) && name !== UNKNOWN_TOKEN
      if (isPlain) ended.add(name)
      return !isPlain
    }
    if (step.role === 'logon') return !isAsStated(step) || step.token !== undefined || step.without.length > 0
    return methodsOf(step, requests).some(method => !isSafe(method))
  })
}

/** The methods that a step may send, in capital letters. */
export function methodsOf({ request, method, each }: SendStep, requests?: Suite['requests']): string[] {
  const own = method ?? requests?.get(request)?.method ?? 'GET'
  const varied = each?.variations.map(variation => variation.method ?? own) ?? []
  return [...new Set([own, ...varied].map(each => each.toUpperCase()))]
}

/** Whether a request is sent as `requests.yaml` has it, beside the token that it carries. */
function isAsStated({ method, path, headers, body, each }: SendStep): boolean {
  return (
    each === undefined &&
    method === undefined &&
    path === undefined &&
    body === undefined &&
    Object.keys(headers).length === 0
  )
}

/** Whether a spec speaks HTTP/1.0, and so applies only to a Core that does. */
export function speaksHttp10(spec: Spec): boolean {
  return allSteps(spec).some(step => (step.action === 'logon' || step.action === 'send') && step.http === '1.0')
}

/**
 * How many tokens a spec holds at the same time, at the most. A token that it revokes is not held any more.
 * @param from counts from this step on only
 */
export function tokensHeld(spec: Spec, from = 0): number {
  const held = new Set<string>()
  let most = 0
  for (const [index, step] of allSteps(spec).entries()) {
    if (index === from) most = held.size
    if (step.action === 'logon') held.add(step.token)
    // A logon that is only looked at may issue one too.
    if (mayIssue(step)) held.add(`of step ${index}`)
    if (revokes(step)) held.delete(step.token?.name ?? '')
    most = Math.max(most, held.size)
  }
  return most
}

/** Whether a step sends a logon that is not held to issue nothing. */
function mayIssue(step: Step): boolean {
  return step.action === 'send' && step.role === 'logon' && !step.expect.includes('nothing issued')
}

/** Whether a step asks for the revocation of a token of the spec's own, in the way that the reference shows. */
export function revokes(step: Step): step is SendStep {
  if (step.action !== 'send' || step.role !== 'revoke') return false
  return step.token?.change === undefined && step.token !== undefined && !step.each && step.without.length === 0
}

/** How many logons of a spec are to be refused; a step that ranges over a family counts as one. */
export function wrongLogons(spec: Spec): number {
  return allSteps(spec).filter(isWrongLogon).length
}

function isWrongLogon(step: Step): boolean {
  if (step.action !== 'send' || step.role !== 'logon' || step.body === undefined) return false
  if (step.method !== undefined && step.method !== 'POST') return false
  return !step.expect.includes('issued') && !step.without.includes('Host')
}

/** The steps of a spec in their order. */
export function allSteps(spec: Spec): Step[] {
  return [...spec.given, ...spec.steps]
}
