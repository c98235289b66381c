/**
 * Joins specs that need not wait, so that what they have in common is sent once: the logon and the control of specs that only
 * use a token, and the bystanders of specs that may have effects on others, with their looks and the moment for late effects.
 * Where a token of such a unit dies, each of its specs is tried once more, alone.
 */
import { isDeepStrictEqual } from 'node:util'
import { isSafe } from '../../ground/methods.js'
import { methodsOf, pauses, type Spec, type Step, tokensHeld } from '../../suite/spec.js'
import type { RequestParts } from '../requests.js'
import { isSpecial } from '../send-specially.js'
import { isBystander } from '../stretch.js'

/** Most specs that only use a token, in a unit. A unit ends its token late, and its specs run one after another. */
const READERS = 12
/** Most specs that watch the same bystanders. After a loss, each of them is tried alone. */
const WATCHERS = 6

/** The steps that the specs of a unit have in common; each number counts steps of every spec. */
export interface SharedSteps {
  /** The first steps of `given`. */
  first: number
  /** The last steps of `given`: of these, only logons are sent once. What looks is sent by each, right before its steps. */
  before: number
  /** The last steps. */
  last: number
}

/** Joins specs that do not wait. Returns every spec once. */
export function joined(specs: readonly Spec[], parts: Pick<RequestParts, 'requests'>): Spec[][] {
  const readers = specs.filter(spec => onlyUses(spec, parts))
  const watchers = new Map<string, Spec[]>()
  for (const spec of specs) if (spec.bystanders !== undefined) add(watchers, spec.bystanders, spec)
  const joint = [...chunks(readers, READERS), ...[...watchers.values()].flatMap(those => chunks(those, WATCHERS))]
  return [...joint, ...specs.filter(spec => !joint.some(unit => unit.includes(spec))).map(spec => [spec])]
}

/** Returns what the specs of a unit of {@link joined} have in common. */
export function sharedSteps(unit: readonly Spec[]): SharedSteps {
  const [spec] = unit
  if (spec?.bystanders === undefined) return { first: common(unit.map(({ given }) => given)), before: 0, last: 0 }
  const { given, steps } = spec
  return { first: watching(given), before: watching([...given].reverse()), last: watching([...steps].reverse()) }
}

/** Returns the most tokens that a unit of {@link joined} holds at a time: those in common, and those of each spec. */
export function tokensShared(unit: readonly Spec[]): number {
  const { first, before } = sharedSteps(unit)
  const logons = (steps: Step[]) => steps.filter(({ action }) => action === 'logon').length
  const [{ given } = { given: [] as Step[] }] = unit
  const shared = logons(given.slice(0, first)) + logons(given.slice(given.length - before))
  return unit.reduce((sum, spec) => sum + Math.max(tokensHeld(spec) - shared, 0), shared)
}

/** Whether a spec logs on, and then only sends requests whose methods change nothing (RFC 9110 9.2.1). */
function onlyUses(spec: Spec, { requests }: Pick<RequestParts, 'requests'>): boolean {
  const [logon, ...given] = spec.given
  if (logon?.action !== 'logon' || logon.http !== '1.1' || logon.isCold || spec.isAlone || pauses(spec)) return false
  if (spec.bystanders !== undefined || spec.accessControl === 'off') return false
  const isUse = (step: Step) =>
    step.action === 'send' && !step.each && !isSpecial(step) && methodsOf(step, requests).every(isSafe)
  return [...given, ...spec.steps].every(isUse)
}

/** Returns how many steps at the beginning are about bystanders. */
function watching(steps: readonly Step[]): number {
  const own = steps.findIndex(step => !(step.action === 'later' || isBystander(step)))
  return own < 0 ? steps.length : own
}

/** Returns how many steps at their beginning all of these lists have in common. */
function common(lists: readonly Step[][]): number {
  const [first = [], ...others] = lists
  const differs = first.findIndex((step, index) => !others.every(steps => isDeepStrictEqual(steps[index], step)))
  return differs < 0 ? first.length : differs
}

/** Splits a list into parts of about the same length, none of which is longer than this. */
function chunks<T>(list: readonly T[], most: number): T[][] {
  const parts = Math.ceil(list.length / most)
  return Array.from({ length: parts }, (_, at) =>
    list.slice(Math.floor((at * list.length) / parts), Math.floor(((at + 1) * list.length) / parts)),
  )
}

function add(map: Map<string, Spec[]>, key: string, spec: Spec): void {
  map.set(key, [...(map.get(key) ?? []), spec])
}
