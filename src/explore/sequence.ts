/** Makes a spec of a sequence, and runs it once. */
import type { RunContext } from '../engine/context.js'
import { roleRequest } from '../engine/requests.js'
import type { SpecEnd } from '../engine/spec-end.js'
import { SpecRun } from '../engine/spec-run.js'
import type { StretchGate } from '../engine/steps/spec-talk.js'
import type { Facts, RequirementRef } from '../result.js'
import type { RawStep } from '../suite/raw-step.js'
import { toStep } from '../suite/read-step.js'
import { requestOf } from '../suite/roles.js'
import type { Requirement, Spec, Step, Suite } from '../suite/spec.js'
import type { RoleStep } from './action.js'
import type { Kind } from './kinds.js'
import type { Lowered } from './lower.js'

/** The parts of the suite and of the run that describe findings. */
export interface Ledger extends Pick<Suite, 'requests' | 'families'> {
  requirements: ReadonlyMap<string, Requirement>
  probePath: string
  seed: number
}

/** The parts of a sequence's spec. */
export interface SequenceParts {
  id: string
  title: string
  requirements: RequirementRef[]
  /** The kind of the steps that test; absent: every step that expects something. */
  tests?: Kind
  /** Words for what is seen where it does not hold. */
  otherwise?: string
}

/** Makes a spec of a sequence. Its `given` ends before the first step of the tested kind. */
export function toSpec(
  steps: readonly Lowered[],
  { id, title, requirements, tests, otherwise }: SequenceParts,
  { requests, families }: Pick<Suite, 'requests' | 'families'>,
): Spec {
  const ids = requirements.map(requirement => requirement.id)
  const told = otherwise === undefined ? {} : { otherwise }
  const scope = {
    tokens: new Set<string>(),
    requests,
    accessControl: 'on',
    version: '1.1',
    families,
    unused: undefined,
  } as const
  const built = steps.map(({ raw, kind }, index): Step => {
    // What nobody expects of a form tells whether this Core takes it.
    const isOpen = tests === undefined && kind === undefined && raw.send === 'probe' && raw.each !== undefined
    const made = toStep({ ...asWritten(raw, requests), ...(isOpen && { observe: formFact(index) }) }, scope)
    if ('misses' in made) throw new Error(`the explorer made a step that is none: ${made.misses[0]?.message}`)
    const isTesting = kind !== undefined && (tests === undefined || kind === tests)
    return isTesting ? { ...made.step, tests: ids, ...told } : made.step
  })
  const from = tests === undefined ? 0 : firstOf(steps, tests)
  return {
    id,
    area: 'found',
    title,
    level: 'must',
    requirements,
    accessControl: 'on',
    measuresLifetime: false,
    given: built.slice(0, from),
    steps: built.slice(from),
    file: '',
    line: 0,
  }
}

function formFact(step: number): string {
  return `form-${step}`
}

/** Returns the names of the variations that were accepted in a sequence though nobody expected it. */
export function takenIn(steps: readonly Lowered[], facts: Facts): string[] {
  const isTaken = (index: number) => ![undefined, 'none'].includes(facts[`${formFact(index)}.accepted`]?.toString())
  return steps.flatMap(({ raw }, index) => (isTaken(index) ? (raw.only ?? []) : []))
}

/** Returns the uses that were refused in a form that is taken where it takes its parts together. */
export function unsureIn(steps: readonly Lowered[], facts: Facts): RoleStep[] {
  const isRefused = (index: number) => facts[`${formFact(index)}.accepted`] === 'none'
  return steps.flatMap(({ raw, isUnsure }, index) => (isUnsure && isRefused(index) ? [raw] : []))
}

/** Returns a step as a spec file has it, with the suite's name of the request. */
export function asWritten({ send, ...others }: RoleStep, requests: Suite['requests']): RawStep {
  return send === undefined ? others : { send: requestOf(requests, send), ...others }
}

/** Returns the index where the testing part begins. Steps sent at the same time stay together. */
function firstOf(steps: readonly Lowered[], kind: Kind): number {
  let from = Math.max(
    0,
    steps.findIndex(step => step.kind === kind),
  )
  while (from > 0 && steps[from]?.raw.beside) from--
  return from
}

/** The result of one run of a sequence. */
export interface Outcome {
  end: SpecEnd
  /** Index of the step that contradicts the reference; absent where none does. */
  at?: number
}

/** Runs a spec once, and gives its tokens back. */
export async function runOnce(spec: Spec, context: RunContext, gate: StretchGate): Promise<Outcome> {
  const run = new SpecRun(spec, context, { hooks: { gate }, isAlone: true })
  let end: SpecEnd
  let isServed = true
  try {
    await run.prepare()
    await run.judge()
    if (run.isMissed) {
      run.giveConnections()
      isServed = await answersAsEver(context)
    }
    // Tokens are given back within the turn: no other sequence may begin between two revocations.
    end = await run.end()
  } finally {
    gate.leave()
  }
  const at = end.record.steps.findIndex(({ outcome, kind }) => outcome === 'miss' && kind === 'check')
  return end.record.outcome === 'failed' && at >= 0 && isServed ? { end, at } : { end }
}

/** Whether a request without a token is answered as ever: what met a ban, which answers for everything, contradicts nothing. */
async function answersAsEver({ session, parts, answers }: RunContext): Promise<boolean> {
  const { probe } = answers
  const look = await session.exchange(roleRequest(parts, 'probe'))
  return probe.accepts(look) || probe.refusals.some(({ status }) => status === look.response?.status)
}

/** Returns the index after the last step that is sent at the same time as this one. */
export function groupEnd(steps: readonly Lowered[], at: number): number {
  let end = at + 1
  while (steps[end]?.raw.beside) end++
  return end
}
