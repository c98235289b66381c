/**
 * Joins specs that need not wait, so that what they have in common is sent once: the logon and the control of specs that only
 * use a token, and the bystanders of specs that may have effects on others, with their looks and the moment for late effects.
 * Of specs that run alone, one takes over the token that the one before left alive. Where a shared token dies, each of its specs
 * is tried once more, alone.
 */
import { isDeepStrictEqual } from 'node:util'
import { isSafe } from '../../ground/methods.js'
import {
  allSteps,
  isWrongLogon,
  methodsOf,
  pauses,
  reachesOthers,
  revokes,
  type Spec,
  type Step,
  type Suite,
  tokensHeld,
  waits,
} from '../../suite/spec.js'
import { UNKNOWN_TOKEN } from '../../suite/step-words.js'
import type { Templates } from '../requests.js'
import { isSpecial } from '../send-specially.js'
import { isBystander } from '../stretch.js'

/** Most specs in a unit. It ends its tokens late, and its specs run one after another; after a loss, each of them is tried alone. */
const MOST = 12

/** The steps that the specs of a unit have in common. */
export interface SharedSteps {
  /** For each spec, the index of the spec that sends each of its first steps: its own index, or that of an earlier one. */
  senders: number[][]
  /** How many of the last steps of each `given`: of these, only logons are sent once. What looks is sent by each, right before its steps. */
  before: number
  /** How many of the last steps of each spec. */
  last: number
}

/** Joins specs that do not wait. Returns every spec once. @param least how many units they make at least */
export function joined(specs: readonly Spec[], parts: Templates, least = 1): Spec[][] {
  const readers = specs.filter(spec => onlyUses(spec, parts))
  const watchers = specs.filter(({ bystanders }) => bystanders !== undefined)
  const joint = [...split(readers, true, least), ...split(watchers, false, least)]
  return [...joint, ...specs.filter(spec => !joint.some(unit => unit.includes(spec))).map(spec => [spec])]
}

/** Returns what the specs of a unit of {@link joined} have in common. */
export function sharedSteps(unit: readonly Spec[]): SharedSteps {
  const isWatching = unit.some(({ bystanders }) => bystanders !== undefined)
  const fewest = (steps: (spec: Spec) => Step[]) =>
    isWatching ? Math.min(...unit.map(spec => watching([...steps(spec)].reverse()))) : 0
  const before = fewest(({ given }) => given)
  const first = unit.map(spec => spec.given.slice(0, shareable(spec, spec.given.length - before)))
  const senders = first.map((mine, index) =>
    mine.map((_, at) =>
      first.findIndex(
        (theirs, other) =>
          other === index || (theirs.length > at && isDeepStrictEqual(theirs.slice(0, at + 1), mine.slice(0, at + 1))),
      ),
    ),
  )
  return { senders, before, last: fewest(({ steps }) => steps) }
}

/** Returns the steps that each spec of a unit of {@link joined} sends itself. */
export function sentSteps(unit: readonly Spec[]): Step[][] {
  const { senders, before, last } = sharedSteps(unit)
  return unit.map((spec, index) => {
    const { given, steps } = spec
    if (index === 0) return allSteps(spec)
    const own = given.slice(0, given.length - before).filter((_, at) => (senders[index]?.[at] ?? index) === index)
    const looks = given.slice(given.length - before).filter(({ action }) => action !== 'logon')
    return [...own, ...looks, ...steps.slice(0, steps.length - last)]
  })
}

/** Returns the most tokens that a unit of {@link joined} holds at a time: those in common, and those of each spec. */
export function tokensShared(unit: readonly Spec[]): number {
  const sent = sentSteps(unit)
  const logons = (steps: readonly Step[]) => steps.filter(({ action }) => action === 'logon').length
  const own = unit.map((spec, index) => tokensHeld(spec) - logons(allSteps(spec)) + logons(sent[index] ?? []))
  return own.reduce((sum, tokens) => sum + Math.max(tokens, 0), 0)
}

/** Whether a spec runs alone: it says so, or may affect tokens beyond its own, and does not watch bystanders. */
export function runsAlone(spec: Spec, requests: Suite['requests']): boolean {
  return spec.isAlone ?? (spec.bystanders === undefined && reachesOthers(spec, requests))
}

/** Orders specs that run one after another, so that many can take over the token of the one before. See {@link takesOver}. */
export function inChains(specs: readonly Spec[]): Spec[] {
  const takers = specs.filter(mayTake)
  const keeping = takers.filter(leavesToken)
  const givers = specs.filter(spec => leavesToken(spec) && !takers.includes(spec))
  const ending = takers.filter(spec => !keeping.includes(spec))
  const chains = [...keeping, ...ending.flatMap((spec, at) => [...(at > 0 ? givers.slice(at - 1, at) : []), spec])]
  return [...chains, ...specs.filter(spec => !chains.includes(spec))]
}

/** Whether a spec takes its first token over from the one that ran before it, which left it alive. */
export function takesOver(spec: Spec | undefined, before: Spec | undefined): boolean {
  return spec !== undefined && before !== undefined && mayTake(spec) && leavesToken(before)
}

/** Returns how many of these specs take over a token of another one that runs alone. */
export function takenOver(specs: readonly Spec[], { requests }: Templates): number {
  const chain = inChains(specs.filter(spec => !waits(spec) && runsAlone(spec, requests)))
  return chain.filter((spec, at) => takesOver(spec, chain[at - 1])).length
}

/** Whether the first token of a spec may be one that was used. A good logon comes before each one that should be refused. */
function mayTake(spec: Spec): boolean {
  const [, look] = spec.given
  const looksFirst = look?.action === 'send' && look.role === 'probe' && look.expect.includes('accepted')
  return logsOnPlainly(spec) && !allSteps(spec).some(isWrongLogon) && (looksFirst || !endsToken(spec))
}

/** Whether others may use the first token of a spec after it. */
function leavesToken(spec: Spec): boolean {
  return logsOnPlainly(spec) && !endsToken(spec)
}

/** Whether a spec begins with a logon whose token may as well be another one. */
function logsOnPlainly({ given: [logon], isAlone, bystanders }: Spec): boolean {
  return (
    logon?.action === 'logon' &&
    logon.http === '1.1' &&
    !logon.isCold &&
    !logon.isNew &&
    !logon.isBodyLate &&
    !logon.each &&
    !isAlone &&
    bystanders === undefined
  )
}

/** Whether a spec ends a token of its own. */
function endsToken(spec: Spec): boolean {
  return allSteps(spec).some(step => revokes(step) && step.token?.name !== UNKNOWN_TOKEN)
}

/** Returns how many of the first steps of a spec, at most this many, others may send for it: they leave its token as it is. */
function shareable(spec: Spec, most: number): number {
  const { given, bystanders } = spec
  // What ends its token, or wants it unused, has one of its own.
  const isOwn = endsToken(spec) || allSteps(spec).some(step => step.action === 'logon' && step.isCold)
  const mayShare = (step: Step) =>
    step.action === 'logon' ||
    (step.action === 'send' &&
      !step.each &&
      !step.save &&
      (bystanders === undefined || (step.role === 'probe' && isSafe(step.method ?? 'GET'))))
  const own = given.findIndex(step => !mayShare(step))
  return Math.min(most, own < 0 ? given.length : own, isOwn ? watching(given) : given.length)
}

/** Whether a spec logs on, and then only sends requests whose methods change nothing (RFC 9110 9.2.1). */
function onlyUses(spec: Spec, { requests }: Templates): boolean {
  if (!logsOnPlainly(spec) || pauses(spec) || spec.accessControl === 'off') return false
  const isUse = (step: Step) => step.action === 'send' && !isSpecial(step) && methodsOf(step, requests).every(isSafe)
  return allSteps(spec).slice(1).every(isUse)
}

/** Returns how many steps at the beginning are about bystanders. */
function watching(steps: readonly Step[]): number {
  const own = steps.findIndex(step => !(step.action === 'later' || isBystander(step)))
  return own < 0 ? steps.length : own
}

/**
 * Splits specs into units of about the same length, {@link MOST} at the most. Those that follow each other are like each other: what
 * hurts one hurts those, and what is long is followed by what is long.
 * @param areLikeApart whether they go to different units
 * @param least how many units there are at least
 */
function split(specs: readonly Spec[], areLikeApart: boolean, least: number): Spec[][] {
  const units = Math.max(Math.ceil(specs.length / MOST), Math.min(least, specs.length))
  const unitOf = (at: number) => (areLikeApart ? at % units : Math.floor((at * units) / specs.length))
  return Array.from({ length: units }, (_, unit) => specs.filter((_, at) => unitOf(at) === unit))
}
