import { backEndsInWords } from '../core/back-ends.js'
import type { Session } from '../core/session.js'
import type { Endpoint } from '../core/survey.js'
import type { Dialect, Doubt } from '../result.js'
import { signsInWords } from '../settings/refused.js'
import {
  allSteps,
  logsOn,
  type SendStep,
  type Spec,
  type Step,
  speaksHttp10,
  tokensHeld,
  waits,
} from '../suite/spec.js'
import { holdsSaved, variablesIn } from '../suite/variables.js'
import type { RunContext } from './context.js'
import { makeRequest, pathsOf, type RequestParts } from './requests.js'

/** Why a spec that logs on is left out where the survey of an open Core has no answer to a logon. */
const NO_LOGON = 'no logon was answered: with access control off, one is sent where --username and a password are given'

/** Lists the requests that specs judge, besides the probe. The survey has to try them. */
export function endpointsOf(specs: Spec[], parts: RequestParts): Endpoint[] {
  const found = new Map<string, Endpoint>()
  for (const step of specs.flatMap(judgedSteps)) {
    const name = endpointName(step)
    if (isProbe(step) || found.has(name)) continue
    const template = parts.requests.get(step.request)
    const paths = step.path === undefined && template ? pathsOf(template) : [step.path ?? '/']
    const { method } = step
    const requests = paths.map(path =>
      makeRequest(parts, step.request, { path, ...(method !== undefined && { method }) }),
    )
    found.set(name, { name, requests })
  }
  return [...found.values()]
}

/** Says why a spec cannot run on a Core of this dialect. */
export function whySkipped(spec: Spec, { http10, sessions, token, logonStatus }: Dialect): string | undefined {
  if (spec.accessControl === 'off' && logsOn(spec) && token === null) {
    if (logonStatus === null) return NO_LOGON
    if (allSteps(spec).some(({ action }) => action === 'logon'))
      return `the logon of this open Core gives no token (${logonStatus})`
  }
  if (speaksHttp10(spec) && http10 === false) return 'this Core does not speak HTTP/1.0'
  // Each use of that one token would be use of all of them. That the tokens are the same is failure enough.
  if (sessions === 'same' && waits(spec))
    return 'this Core gives the same token at every logon, so none can be left unused'
  if (sessions === 'newest' && tokensHeld(spec.narrow ?? spec) > 1)
    return 'this Core keeps only the newest token of a user'
  return undefined
}

/**
 * Says why a spec is blocked on a Core that accepts a token only on some connections: any answer may come from a back
 * end that does not know the token. One spec still runs, to show just that.
 */
export function whyBlocked(spec: Spec, { backEnds }: Dialect): string | undefined {
  if (!backEnds || looksOnManyConnections(spec)) return undefined
  const what =
    backEnds.by === 'connection'
      ? 'the Core is several back ends that do not share tokens'
      : 'the Core refuses a valid token now and then'
  return `${what}: one was ${backEndsInWords(backEnds).split(':', 1)[0]}`
}

/** Says why a Core cannot be explored. Sequences hold several tokens, and read from them what a request did. */
export function whyNotExplored({ sessions, backEnds }: Dialect, { pacer }: Session): string | undefined {
  if (sessions !== 'many') return 'the tokens of a user are not independent of each other on this Core'
  if (backEnds) return 'this Core accepts a valid token only now and then'
  return pacer.notice === undefined ? undefined : 'this Core limits how often it is asked'
}

/** Whether a spec tests only that a valid token opens the API on one new connection after another. */
function looksOnManyConnections({ requirements, steps, level }: Spec): boolean {
  const isMany = (step: Step) =>
    step.action === 'send' && step.connection === 'new' && step.times > 1 && step.expect.includes('accepted')
  return level === 'must' && requirements.every(({ id }) => id === 'ACCESS-2') && steps.some(isMany)
}

/** Lists doubts that no spec can judge: /api paths that answer with success alike with and without a token. */
export function doubtsOf(specs: Spec[], { parts, answers }: RunContext): Doubt[] {
  const judged = new Set(
    specs.flatMap(judgedSteps).flatMap(step => {
      const { method, path } = makeRequest(parts, step.request, step)
      return parts.requests.get(step.request)?.level === 'observe' ? [] : [`${method} ${path}`]
    }),
  )
  return answers
    .openOnes()
    .filter(({ request }) => !judged.has(request))
    .map(({ request, status }) => ({
      requirement: 'ACCESS-1',
      text: `${request} answers ${status} with and without a token`,
    }))
}

/**
 * Says why a spec cannot be judged: a variation does not exist, or the Core answers alike with and without a token
 * there.
 */
export function whyNotJudged(spec: Spec, { parts, answers }: RunContext): string | undefined {
  const absent = variablesIn(allSteps(spec)).find(name => parts.variables[name] === undefined)
  if (absent) return `these credentials have no {${absent}}`
  const likeProbe = (step: Step) =>
    step.action === 'send' &&
    (step.expect.includes('not accepted') || (step.expect.includes('accepted') && holdsSaved(step.path)))
  const opens = allSteps(spec).some(likeProbe)
  if (opens && !answers.probe.succeeds) {
    return `the probe is answered ${answers.probe.accepted.status} even with a valid token, so there is nothing to open`
  }
  for (const step of judgedSteps(spec)) {
    if (isProbe(step)) continue
    const { method, path } = makeRequest(parts, step.request, step)
    if (!answers.has({ method, path })) return `this Core gives no answer to ${method} ${path}`
    const kind = answers.of({ method, path })
    const isStated = parts.requests.get(step.request)?.level !== 'observe'
    if (!kind.tells && answers.probe.isHiddenFrom({ method }))
      return `this Core's refusals stand in the body (${signsInWords(answers.probe.signs)}), which an answer to ${method} has not`
    // Where a stated request succeeds with any token or none, the spec judges that. Elsewhere the answer shows nothing.
    if (!kind.tells && !(isStated && kind.succeeds)) {
      return `this Core answers ${method} ${path} alike with and without a valid token (${kind.accepted.status})`
    }
  }
  return undefined
}

/** Returns the steps that are judged by how this Core accepts and rejects. */
function judgedSteps(spec: Spec): SendStep[] {
  const byDialect = (step: SendStep) =>
    step.expect.some(
      expectation =>
        typeof expectation === 'string' && !['nothing issued', 'issued', 'not accepted', 'open'].includes(expectation),
    )
  // The path that a step saves is not known before. There the answers of the probe stand in.
  return allSteps(spec).filter(
    (step): step is SendStep => step.action === 'send' && byDialect(step) && !holdsSaved(step.path),
  )
}

/** Whether the answers of the probe apply to a step. */
function isProbe(step: SendStep): boolean {
  return step.role === 'probe' && endpointName(step) === step.request
}

/**
 * Returns a name that steps with the same answers share. A path that only adds a query to the probe's counts as the
 * request's own.
 */
function endpointName({ request, method, path }: SendStep): string {
  const own = path === undefined || path.startsWith('{probe-path}?') ? '' : ` ${path}`
  return `${request}${method === undefined ? '' : ` ${method}`}${own}`
}
