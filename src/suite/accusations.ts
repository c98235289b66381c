/** Decides which requirements a miss of each step accuses. */
import { hint, type Miss, miss } from './problem.js'
import type { RawSpec, RawStep } from './raw-step.js'
import type { Testing } from './spec.js'

/** What each step tests, and the faults in how the spec says so. */
export interface Accusations {
  /** One entry for each of `steps`, in order. Steps of `given` never test. */
  steps: Testing[]
  misses: Miss[]
}

/** Keys that only a step that tests may have. */
const TOLD = ['otherwise', 'consequence'] as const

/**
 * Decides what the steps of a spec test. A step with expectations tests the only requirement of its spec, unless it
 * says `control`. A logon tests only where it says `tests`. In a spec of several requirements, every step with
 * expectations says which it tests. A spec that observes accuses nobody.
 */
export function accusations(spec: RawSpec): Accusations {
  const preparing = (spec.given ?? []).flatMap((step, position) =>
    (['tests', 'control', ...TOLD] as const)
      .filter(key => step[key] !== undefined)
      .map(key => miss(`'${key}' does not go with 'given': what prepares never tests`, 'given', position, key)),
  )
  const assumed = spec.steps.flatMap((step, position) => {
    const message = "'assumed' goes with 'given': a step that judges assumes nothing"
    return step.assumed && !step.each ? [miss(message, 'steps', position, 'assumed')] : []
  })
  const told = spec.steps.map((step, position) => accused(step, position, spec))
  const misses: Miss[] = [...preparing, ...assumed, ...told.flatMap(each => each.misses), ...witnessMisses(spec)]
  const tests = told.map(each => each.tests)
  const steps = tests.map((ids, position) => ({ tests: ids, ...(ids.length > 0 && wordsOf(spec, position)) }))
  return { steps, misses: misses.length > 0 ? misses : untested(tests, spec) }
}

function accused(step: RawStep, position: number, spec: RawSpec): { tests: string[]; misses: Miss[] } {
  const { tests, misses } = claimed(step, position, spec)
  const idle = tests.length > 0 || misses.length > 0 ? [] : TOLD.filter(key => step[key] !== undefined)
  const told = idle.map(key => miss(`'${key}' goes with a step that tests something`, 'steps', position, key))
  return { tests, misses: [...misses, ...told] }
}

function claimed(step: RawStep, position: number, { requirements, level }: RawSpec) {
  const give = (tests: string[], ...misses: Miss[]) => ({ tests, misses })
  const here = (message: string, ...key: string[]) => miss(message, 'steps', position, ...key)
  const said = step.tests === undefined ? undefined : [step.tests].flat()
  if (level === 'observe') {
    const keys = (['tests', 'control'] as const).filter(key => step[key] !== undefined)
    return give([], ...keys.map(key => here(`'${key}' does not go with 'level: observe', which accuses nobody`, key)))
  }
  if (said && step.control)
    return give([], here("a step that tests is no control: leave out 'control' or 'tests'", 'control'))
  if (step.control) return give([])
  if (said) {
    const unknown = said.filter(id => !requirements.includes(id))
    if (step.send !== undefined && !isExpecting(step))
      return give([], here("a step that expects nothing cannot test: give it 'expect'", 'tests'))
    return give(
      said,
      ...unknown.map(id => here(`'${id}' is none of the requirements of this spec${hint(id, requirements)}`, 'tests')),
    )
  }
  const isJudging = isExpecting(step) || step.distinct || step.opaque !== undefined
  if (!isJudging) return give([])
  const [only, ...others] = requirements
  if (only !== undefined && others.length === 0) return give([only])
  return give(
    [],
    here(`a spec of several requirements says which of them a miss here accuses: add 'tests', or 'control: true'`),
  )
}

/** Whether a step sends a request and expects an answer or an effect. */
function isExpecting({ send, expect, spares }: RawStep): boolean {
  return send !== undefined && (expect !== undefined || spares !== undefined)
}

/** Returns the words for a miss of a testing step: the step's own, or those of its spec. */
function wordsOf(spec: RawSpec, position: number): Partial<Testing> {
  const step = spec.steps[position]
  return Object.fromEntries(
    TOLD.flatMap(key => {
      const text = step?.[key] ?? spec[key]
      return text === undefined ? [] : [[key, text.trim()]]
    }),
  )
}

/** Returns what a step tests, with words that name the HTTP version that its spec is built for. */
export function inVersion(testing: Testing | undefined, version: '1.1' | '1.0' | undefined): Partial<Testing> {
  const { otherwise } = testing ?? {}
  return otherwise === undefined || version === undefined
    ? { ...testing }
    : { ...testing, otherwise: `${otherwise}, over HTTP/${version}` }
}

/** Finds faults of `bystanders`: the spec has to judge, and may not wait, since its bystanders would expire. */
function witnessMisses({ bystanders, requirements, level, given = [], steps }: RawSpec): Miss[] {
  if (bystanders === undefined) return []
  const give = (message: string) => [miss(message, 'bystanders')]
  if (level === 'observe') return give("'bystanders' does not go with 'level: observe', which accuses nobody")
  if (!requirements.includes(bystanders))
    return give(`'${bystanders}' is none of the requirements of this spec${hint(bystanders, requirements)}`)
  const waits = [...given, ...steps].some(step => step.wait !== undefined)
  return waits ? give("'bystanders' does not go with 'wait': they would expire meanwhile") : []
}

/** Finds requirements that no step tests. A spec in which no step tests at all gets one message for the whole spec. */
function untested(tests: string[][], { requirements, level, bystanders }: RawSpec): Miss[] {
  const tested = new Set([...tests.flat(), ...(bystanders === undefined ? [] : [bystanders])])
  if (level === 'observe' || tested.size === 0) return []
  return requirements.flatMap((id, position) => {
    const message = `no step tests '${id}': say 'tests: ${id}' where one does, or leave it out`
    return tested.has(id) ? [] : [miss(message, 'requirements', position)]
  })
}
