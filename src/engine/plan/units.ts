import { isSafe } from '../../ground/methods.js'
import {
  type LogonStep,
  methodsOf,
  type SendStep,
  type Spec,
  type Step,
  tokensHeld,
  type WaitStep,
  waits,
} from '../../suite/spec.js'
import type { Templates } from '../requests.js'
import { joined, tokensShared } from './sharing.js'

/** Specs that run one after another, and share tokens: those of one wait, or those that {@link joined} joins. */
export type Unit = Spec[]

/**
 * Joins specs that can share the wait of one token, so that fewer tokens are held. They log on once, and each does its
 * steps before the wait. After the wait each looks at the token in its own way: by the reference, an expired token
 * stays expired, whoever uses it. A unit has at most one spec that may change more than that; it comes last.
 * @param mayJoin whether specs that do not wait are joined too; not where the tokens of a user depend on each other
 * @param least how many units those that do not wait make at least, where there are as many of them
 * @returns every spec once: units that wait first, each kind in the order given
 */
export function toUnits(specs: Spec[], parts: Templates, mayJoin = true, least = 1): Unit[] {
  const all = specs.filter(spec => sharedWait(spec, parts) !== undefined)
  // In a unit a name stands for one token: the name that most of the specs use.
  const named = (name: string | undefined) => all.filter(spec => sharedWait(spec, parts)?.token === name)
  const sharing = all
    .map(spec => named(sharedWait(spec, parts)?.token))
    .reduce((most, specs) => (specs.length > most.length ? specs : most), [])
  const looking = sharing.filter(spec => onlyLooks(spec, parts))
  const meddling = sharing.filter(spec => !looking.includes(spec))
  const [last, ...others] = meddling
  const shared = [...looking, ...(last ? [last] : [])]
  const single = (spec: Spec): Unit => [spec]
  const units = specs.flatMap(spec => {
    if (!shared.includes(spec) || others.includes(spec)) return [single(spec)]
    return spec === shared[0] ? [shared] : []
  })
  const short = units.filter(unit => !isWaiting(unit))
  return [...units.filter(isWaiting), ...(mayJoin ? joined(short.flat(), parts, least) : short)]
}

/** Whether the specs of a unit are joined, and none of them waits for time to pass. */
export function isJoined(unit: Unit): boolean {
  return unit.length > 1 && !isWaiting(unit)
}

/** Whether a unit waits for time to pass. */
export function isWaiting(unit: Unit): boolean {
  return unit.some(waits)
}

/**
 * Returns the wait that a spec can share: it logs on, uses the token in ways that change nothing else, then lets it
 * expire. A token that should expire without any use is not shared.
 */
function sharedWait({ given, steps, isLate }: Spec, parts: Templates): WaitStep | undefined {
  const [logon, ...uses] = given
  const [wait, ...rest] = steps
  if (isLate || logon?.action !== 'logon' || logon.http !== '1.1' || !uses.length || wait?.action !== 'wait')
    return undefined
  const isUse = (step: Step) => isLook(step, logon, parts) && step.expect.includes('accepted')
  if (!uses.every(isUse) || rest.some(step => step.action === 'wait')) return undefined
  const isWhole = wait.since === 'used' && wait.span === 'past lifetime' && wait.before === undefined
  return wait.token === logon.token && isWhole ? wait : undefined
}

/** Whether a spec only looks after its wait whether the token is accepted. */
function onlyLooks({ given, steps }: Spec, parts: Templates): boolean {
  const [logon] = given
  return steps.slice(1).every(step => logon?.action === 'logon' && isLook(step, logon, parts))
}

/** Whether a spec that waits for more than a lifetime only looks at its token from its first wait on. */
export function onlyWaitsForLong({ given: [logon], steps, isForLong }: Spec, parts: Templates): boolean {
  const after = steps.slice(steps.findIndex(({ action }) => action === 'wait'))
  const isCalm = (step: Step) => step.action === 'wait' || (logon?.action === 'logon' && isLook(step, logon, parts))
  return isForLong === true && after.every(isCalm)
}

/** Whether a step is a request with this token whose method changes nothing (RFC 9110 9.2.1). */
function isLook(step: Step, { token }: LogonStep, { requests }: Templates): step is SendStep {
  if (step.action !== 'send' || step.token?.name !== token || step.token.change !== undefined) return false
  return methodsOf(step, requests).every(isSafe) && step.without.length === 0
}

/** Returns the most tokens that a unit holds at the same time. */
export function tokensNeeded(unit: Unit): number {
  return isJoined(unit) ? tokensShared(unit) : Math.max(...unit.map(spec => tokensHeld(spec)))
}

/** Whether a spec of a unit looks for a token that is alive after its first wait. */
export function keepsAlive(unit: Unit): boolean {
  return unit.some(({ given, steps }) => {
    const all = [...given, ...steps]
    const wait = all.findIndex(({ action }) => action === 'wait')
    return all.slice(wait).some(step => step.action === 'send' && ALIVE.some(each => step.expect.includes(each)))
  })
}

const ALIVE = ['accepted', 'either'] as const

/** Whether a unit only holds a token that has to be alive still after nearly a lifetime without use. */
export function staysUnused(unit: Unit): boolean {
  return unit.every(spec => {
    const [wait, ...looks] = spec.steps
    const isWithin = wait?.action === 'wait' && wait.span === 'within lifetime'
    return isWithin && keepsAlive([spec]) && tokensHeld(spec) === 1 && looks.every(({ action }) => action === 'send')
  })
}

/** Whether a unit revokes a token before its first wait. */
export function revokesFirst(unit: Unit): boolean {
  return unit.some(({ given, steps }) => {
    const all = [...given, ...steps]
    const wait = all.findIndex(({ action }) => action === 'wait')
    return all.slice(0, wait).some(step => step.action === 'send' && step.role === 'revoke')
  })
}
