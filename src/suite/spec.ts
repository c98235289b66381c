/**
 * The suite as data: the content of the YAML files of `specs/`, after checking. Formats: `contracts/*.schema.json`.
 * Over 250 lines, since it declares every part of a spec with its meaning.
 */
import { isSafe } from '../ground/methods.js'
import type { InteractionRecord, Level, RequirementRef } from '../result.js'
import type { Each, Family } from './family.js'
import type { Role } from './roles.js'
import {
  type Body,
  type ConnectionWay,
  type Expectation,
  OF_CLIENTS,
  type Saved,
  type Span,
  type TokenRef,
  UNKNOWN_TOKEN,
} from './step-words.js'

/** One statement of the ledger `specs/requirements.yaml`. */
export interface Requirement extends RequirementRef {
  /** `excluded`: no test over the wire can tell; then `reason` says why. Default `must`. */
  level?: Level | 'excluded'
  reason?: string
  /** The sentence of the reference that states it, word for word; absent where the reference is silent. */
  quote?: string
  /** What becomes of it on a Core with access control off, and why; each `must` has it. */
  open?: { level: Level | 'excluded'; reason: string }
}

/** Returns a requirement as specs refer to it. */
export function referenceTo({ id, text, section, consequence }: Requirement): RequirementRef {
  return { id, text, section, ...(consequence !== undefined && { consequence }) }
}

/** A request that specs send by name. Texts may contain `{username}`, `{password}` and other variables of the run. */
export interface RequestTemplate {
  about?: string
  /** Its role for the engine; absent for most. */
  role?: Role
  method: string
  /** A list means: the first of these paths at which this Core tells a valid token from none. */
  path: string | string[]
  headers?: Record<string, string>
  body?: Body
  /**
   * `must` (the default): the reference states that it needs a token. `observe`: judged only where this Core asks for a
   * token.
   */
  level?: Level
}

/** The keys that every step has. */
export interface Testing {
  /**
   * Ids of the requirements that a miss of this step accuses. Empty for a step that prepares or controls: its miss
   * blocks the spec.
   */
  tests: readonly string[]
  /** Words for the miss that this step is there to find: `a revoked token is still accepted with HEAD`. */
  otherwise?: string
  /** What that miss means for clients; absent where the requirement says it well. */
  consequence?: string
  /** Present where the step is sent at the same time as the one before it, each on a connection of its own. */
  isBeside?: true
}

/** Logs on, expects a token, and gives it a name. */
export interface LogonStep extends Testing {
  action: 'logon'
  token: string
  http: '1.0' | '1.1'
  /** Present where the token is used as issued, also on a Core whose fresh tokens need time. */
  isCold?: true
  /** Present where it is sent on a new connection, and the kept one stays open. */
  isNew?: true
  /** See {@link SendStep.isBodyLate}. */
  isBodyLate?: true
  /** The form of the logon. Where no token comes of it, one in the plain form follows. */
  each?: Each
}

/** Sends a request, and judges the response. */
export interface SendStep extends Testing {
  action: 'send'
  /** A name in {@link Suite.requests}. */
  request: string
  /** The role of that request; absent where it has none. */
  role?: Role
  method?: string
  path?: string
  /**
   * Headers added to those of the request, or replacing them. They may contain `{token NAME}`. A list is sent as
   * several lines.
   */
  headers: Record<string, string | string[]>
  token?: TokenRef
  without: string[]
  http: '1.0' | '1.1'
  /**
   * `kept` (the default): the connection that the spec keeps open, as clients do. `new`: one of its own. `alpn`, `named`, `resumed`,
   * `tls-1.2`: one that replaces the kept one, and offers its protocol in its TLS handshake, names the server there, resumes the TLS
   * session, or speaks TLS 1.2.
   */
  connection: ConnectionWay
  /** The token of a good request that is sent right before this one, without waiting for its answer. */
  behind?: string
  /** Present where the body is sent in chunks. */
  isChunked?: true
  /** Present where the body comes a moment after the head. Steps beside it are sent in between. */
  isBodyLate?: true
  /** Where its client breaks it off; absent: it waits for the answer. */
  breaksOff?: 'head' | 'body' | 'answer'
  /** Present where the reference does not say that a Core takes this request. One that does not is not judged by the spec. */
  isAssumed?: true
  /** Present where it is a logon that should be refused, right after another: no good logon comes between. */
  isAgain?: true
  body?: Body
  /** How often it is sent. Every response is judged. */
  times: number
  expect: Expectation[]
  /** Name of the facts that record what was seen. */
  observe?: string
  /** The values to save from the response, for later steps of the spec. */
  save?: Saved[]
  /** The family: the request is sent once for each of its variations. */
  each?: Each
  /** With `each`: the tokens that have to be accepted after every variation. */
  spares?: string[]
  /**
   * With `each`: the token with which each variation is sent once more. Where that is not accepted, the variation shows
   * nothing.
   */
  bracket?: string
  /** With `each`: present where the variations are spread over one lifetime, with time before each. */
  isSpread?: true
  /** Present where a contract says what is sent and what has to come: the verifier of the run makes the request, and judges. */
  isVerified?: true
}

/** Lets time pass until a token has been unused for a span, or is that old. */
export interface WaitStep extends Testing {
  action: 'wait'
  token: string
  since: 'used' | 'issued'
  span: Span
  /** Latest use of the next step, as a fraction of the lifetime. After that the window was missed. */
  before?: number
  /** Present where the kept connection stays open meanwhile, so that the next request comes on one that rested. */
  isKept?: true
}

/** Expects tokens to differ from each other. */
export interface DistinctStep extends Testing {
  action: 'distinct'
  tokens: string[]
}

/** Expects a token to contain no credentials, in any encoding. */
export interface OpaqueStep extends Testing {
  action: 'opaque'
  token: string
}

/** Lets a moment pass: some Cores took half a second until a request had its effect. This is no wait for a lifetime. */
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
  /** The access control that the spec applies to. A run with the other one skips it. */
  accessControl: 'on' | 'off'
  /** Whether it only measures the lifetime, and runs only when asked to. */
  measuresLifetime: boolean
  /** Steps that prepare. A miss blocks. */
  given: Step[]
  /**
   * Steps that judge, with controls between them. A miss of a step that tests fails the spec; of any other it blocks.
   */
  steps: Step[]
  /** Present where a quick run leaves it out because it sends many requests. */
  isForFull?: true
  /** Present where only a long run has it, since it waits for more than one lifetime. */
  isForLong?: true
  /** True: it runs while no other spec holds a token. False: it runs beside others, whatever it sends. */
  isAlone?: boolean
  /** Present where it prepares before all other specs, and its steps come between the phases of the run. It holds no token meanwhile. */
  isLate?: true
  /** Id of the requirement that a dead bystander breaks; absent where the spec watches none. */
  bystanders?: string
  /** The same spec with one bystander, for a Core without room for all; present with `bystanders`. */
  narrow?: Spec
  /** The form for confirming a failure: it also checks right before the steps that each bystander is alive. */
  confirming?: Spec
  /** The steps that contracts show, in order; absent for none. */
  interactions?: InteractionRecord[]
  file: string
  line: number
  /** Present where its file is the user's own. */
  isOwn?: true
}

/** The loaded suite. */
export interface Suite {
  specs: Spec[]
  requests: ReadonlyMap<string, RequestTemplate>
  requirements: ReadonlyMap<string, Requirement>
  families: ReadonlyMap<string, Family>
  /** SHA-256, in hex, of the files in the order of loading. */
  digest: string
}

/** Whether a spec waits for time to pass. A quick run leaves such specs out. */
export function waits(spec: Spec): boolean {
  return isSpread(spec) || allSteps(spec).some(step => step.action === 'wait')
}

/** Whether a spec spreads the variations of a step over time. Its requests do not depend on the age of a token. */
export function isSpread(spec: Spec): boolean {
  return allSteps(spec).some(step => step.action === 'send' && step.isSpread)
}

/** Whether a spec lets a moment pass, so that late effects show. */
export function pauses(spec: Spec): boolean {
  return allSteps(spec).some(step => step.action === 'later')
}

/**
 * Whether a spec sends a request that may affect tokens of other specs, on a Core that does more than the reference
 * says. Such a request is a revocation or logon in any but its plain use: without Host, without a token, with a
 * changed, revoked or never-issued token, or with other credentials.
 * @param requests gives the methods of requests without a role
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

/** Returns the methods that a step may send, in capital letters. */
export function methodsOf({ request, method, each }: SendStep, requests?: Suite['requests']): string[] {
  const own = method ?? requests?.get(request)?.method ?? 'GET'
  const varied = each?.variations.map(variation => variation.method ?? own) ?? []
  return [...new Set([own, ...varied].map(each => each.toUpperCase()))]
}

/** Whether a request is sent as `requests.yaml` has it, apart from its token. */
function isAsStated({ method, path, headers, body, each }: SendStep): boolean {
  return (
    each === undefined &&
    method === undefined &&
    path === undefined &&
    body === undefined &&
    Object.keys(headers).length === 0
  )
}

/** Whether a spec sends a logon. */
export function logsOn(spec: Spec): boolean {
  return allSteps(spec).some(step => step.action === 'logon' || (step.action === 'send' && step.role === 'logon'))
}

/** Whether a spec uses HTTP/1.0, and so applies only to a Core that does. */
export function speaksHttp10(spec: Spec): boolean {
  return allSteps(spec).some(step => (step.action === 'logon' || step.action === 'send') && step.http === '1.0')
}

/** Whether a spec uses HTTP/1.0 where the Core does: also a family may have forms in it. */
export function maySpeakHttp10(spec: Spec): boolean {
  return speaksHttp10(spec) || allSteps(spec).some(step => step.action === 'send' && step.each !== undefined)
}

/**
 * Returns the most tokens that a spec holds at the same time. A revoked token is not held any more.
 * @param from counts only from this step on
 */
export function tokensHeld(spec: Spec, from = 0): number {
  const held = new Set<string>()
  let most = 0
  for (const [index, step] of allSteps(spec).entries()) {
    if (index === from) most = held.size
    if (step.action === 'logon') held.add(step.token)
    // A logon that a step only observes may issue a token too.
    if (mayIssue(step)) held.add(`of step ${index}`)
    if (revokes(step)) held.delete(step.token?.name ?? '')
    most = Math.max(most, held.size)
  }
  return most
}

function mayIssue(step: Step): boolean {
  return step.action === 'send' && step.role === 'logon' && !step.expect.includes('nothing issued')
}

/** Whether only a live token gets the answer that a step asks for: that of a good one, or a status of its own (405, say). */
export function wantsAlive({ token, expect, without }: SendStep): boolean {
  const isStatus = expect.some(each => typeof each === 'number') && !without.includes('Host')
  return token !== undefined && (expect.includes('accepted') || isStatus)
}

/** Whether a step asks to revoke a token of the spec's own, in the way that the reference shows. */
export function revokes(step: Step): step is SendStep {
  if (step.action !== 'send' || step.role !== 'revoke') return false
  const isPlain = step.without.every(header => OF_CLIENTS.some(name => name.toLowerCase() === header.toLowerCase()))
  return step.token?.change === undefined && step.token !== undefined && !step.each && isPlain
}

/** Returns how many logons of a spec should be refused. A step that ranges over a family counts as one. */
export function wrongLogons(spec: Spec): number {
  return allSteps(spec).filter(isWrongLogon).length
}

/** Whether a step sends one logon that should be refused. */
export function isWrongLogon(step: Step): boolean {
  if (step.action !== 'send' || step.role !== 'logon' || step.body === undefined) return false
  if (step.method !== undefined && step.method !== 'POST') return false
  return !step.expect.includes('issued') && !step.without.includes('Host')
}

/** Returns the steps of a spec in order. */
export function allSteps(spec: Spec): Step[] {
  return [...spec.given, ...spec.steps]
}
