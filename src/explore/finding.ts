/** Describes a contradiction in words, and as a spec that repeats it. */

import { createHash } from 'node:crypto'
import { sentence } from '../engine/sentence.js'
import type { RequirementRef, StepRecord } from '../result.js'
import { allSteps, referenceTo, type Spec } from '../suite/spec.js'
import type { Action, RoleStep } from './action.js'
import { KINDS, type Kind } from './kinds.js'
import type { Lowered } from './lower.js'
import { rangeOf } from './ranges.js'
import { asWritten, type Ledger, toSpec } from './sequence.js'
import { tokenOf } from './shrink.js'

/** A contradiction, with the sequence that showed it. */
export interface Contradiction {
  actions: readonly Action[]
  steps: readonly Lowered[]
  /** The index of the step that contradicts the reference. */
  at: number
  kind: Kind
}

/**
 * Returns the id of the requirement that a contradiction breaks. Where a valid token is rejected, that is the
 * requirement of the action that ended the token. Each step of a shortest sequence is needed, so the sequence tells.
 * The last action that can end a token is to blame, be it a wait or a use of another token. Only actions since the token was seen
 * alive count, unless time was left for late effects. Of a longer sequence nobody knows which of several kinds of actions it was.
 * @param isShortest whether each step is needed
 */
export function requirementOf(
  { steps, at, kind }: Pick<Contradiction, 'steps' | 'at' | 'kind'>,
  isShortest: boolean,
): string {
  if (kind !== 'open') return KINDS[kind].breaks[0]
  const before = steps.slice(0, at).map(({ raw }) => raw)
  const own = tokenOf(steps[at]?.raw ?? {})
  const since = before.slice(before.findIndex(({ logon }) => logon === own) + 1)
  const isRequest = ({ send, without }: Action) => send !== undefined && without === undefined
  const isOwn = (action: Action) => isRequest(action) && tokenOf(action) === own
  const alive = since.findLastIndex(action => isOwn(action) && rangeOf(action) === undefined)
  const suspects = since.slice(alive + 1).some(({ later }) => later) ? since : since.slice(alive + 1)
  const idle = since.some(isOwn) ? 'IDLE-2' : 'IDLE-3'
  const isRested = since.some(({ wait }) => wait)
  if (!isShortest) {
    const all = new Set([...suspects.flatMap(action => blame(action, own) ?? []), ...(isRested ? [idle] : [])])
    return all.size > 1 ? 'ACCESS-2' : ([...all][0] ?? 'ACCESS-2')
  }
  const isOther = (action: Action) => isRequest(action) && action.send === 'probe' && tokenOf(action) !== own
  const ending = (action: Action) => (action.wait ? idle : (blame(action, own) ?? (isOther(action) ? 'ACCESS-2' : [])))
  return suspects.flatMap(ending).at(-1) ?? (isRested ? idle : 'ACCESS-2')
}

/**
 * Returns the requirement that is broken where this action ends another token; undefined where the action only looks.
 */
function blame(action: Action, own: string | undefined): string | undefined {
  const { send, logon, without } = action
  if (without) return 'HOST-2'
  if (logon !== undefined || send === 'logon') return 'LOGON-4'
  return send === 'revoke' && tokenOf(action) !== own ? 'REVOKE-2' : undefined
}

/** A finding, as far as its steps describe it. */
export interface Found {
  id: string
  requirement: string
  /** Description of what was seen. */
  text: string
  spec: Spec
  /** Its steps, with equal ones in a row joined. */
  merged: Lowered[]
  /** The text of its file, with the line of the spec. */
  yaml: string
  line: number
}

/**
 * Describes a contradiction, and makes the spec that repeats it. @param requirement the id of the broken requirement
 */
export async function describe(
  { steps, kind }: Pick<Contradiction, 'steps' | 'kind'>,
  requirement: string,
  ledger: Ledger,
): Promise<Found> {
  const merged = joinRepeats(steps)
  const digest = createHash('sha256')
    .update(JSON.stringify([requirement, merged.map(({ raw }) => raw)]))
    .digest('hex')
  const id = `found-${requirement.toLowerCase()}-${digest.slice(0, 8)}`
  const { holds, seen: otherwise } = KINDS[kind]
  const text = `${otherwise}${merged.length > 2 ? ` after ${merged.length - 1} other steps` : ''}`
  const title = `${holds}, also in the sequence ${digest.slice(0, 8)}`
  const parts = { id, title, requirements: [reference(requirement, ledger)], tests: kind, otherwise }
  const plain = toSpec(merged, parts, ledger)
  const file = await writeFinding(plain, merged, kind, text, ledger)
  return { id, requirement, text, merged, ...file, spec: { ...plain, file: `found/${id}.yaml`, line: file.line } }
}

/** Writes a finding as a file that `--specs` takes. @param spec whose `given` ends where the testing part begins */
async function writeFinding(
  spec: Spec,
  merged: readonly Lowered[],
  kind: Kind,
  text: string,
  ledger: Ledger,
): Promise<Pick<Found, 'yaml' | 'line'>> {
  // Loaded when it is first needed.
  const { stringify } = await import('yaml')
  const [{ id: requirement, text: statement } = { id: '', text: '' }] = spec.requirements
  const words = allSteps(spec).map((step, index) => {
    const { times = 1, expect } = merged[index]?.raw ?? {}
    const often = times > 1 ? `, ${times} times` : ''
    return `  ${index + 1}. ${sentence(step, ledger, ledger.probePath)}${often}${expect === undefined ? '' : `: ${expect}`}`
  })
  const comments = [
    `Found by exploring (--seed ${ledger.seed}): ${text}.`,
    `That contradicts ${requirement}: ${statement}`,
    'The shortest sequence that shows it, with the answer that the reference expects to each request:',
    ...words,
    `Repeat it: run with --specs FOLDER --only ${spec.id}, where FOLDER is the folder of this file`,
  ]
  const head = comments.map(line => `# ${line.replace(/[\r\n]+/g, ' ')}`)
  const given = merged.slice(0, spec.given.length).map(({ raw }) => asWritten(raw, ledger.requests))
  const steps = merged.slice(spec.given.length).map(step => asWritten(marked(step, kind, requirement), ledger.requests))
  const raw = {
    id: spec.id,
    title: spec.title,
    requirements: [requirement],
    otherwise: KINDS[kind].seen,
    ...(given.length > 0 && { given }),
    steps,
  }
  const body = stringify({ area: 'found', specs: [raw] }, { lineWidth: 0 })
  const lines = [...head, ...body.split('\n')]
  return { yaml: lines.join('\n'), line: lines.findIndex(line => line.includes(`- id: ${spec.id}`)) + 1 }
}

/** Marks a step of the testing part: as one that tests, or as a control. */
function marked({ raw, kind }: Lowered, tested: Kind, requirement: string): RoleStep {
  if (kind === tested) return raw.logon === undefined ? raw : { ...raw, tests: requirement }
  return raw.expect === undefined && raw.logon === undefined ? raw : { ...raw, control: true }
}

/** Returns a requirement as specs refer to it. */
export function reference(id: string, { requirements }: Ledger): RequirementRef {
  return referenceTo(requirements.get(id) ?? { id, text: id, section: '' })
}

/** Largest `times` of a step in a spec. */
const MOST_TIMES = 50

/** Joins equal requests in a row, as `times: 12`. */
export function joinRepeats(steps: readonly Lowered[]): Lowered[] {
  const merged: Lowered[] = []
  for (const [index, step] of steps.entries()) {
    const last = merged.at(-1)
    const { times = 1, ...before } = last?.raw ?? {}
    const isSame = JSON.stringify(before) === JSON.stringify(step.raw)
    const isFree = !step.raw.beside && !steps[index + 1]?.raw.beside && step.raw.send !== undefined
    if (last && isSame && isFree && times < MOST_TIMES) last.raw = { ...step.raw, times: times + 1 }
    else merged.push({ ...step })
  }
  return merged
}

/** Returns the steps of a run with only one that accuses: the one that shows the finding. @param kind what it shows */
export function accusing(records: readonly StepRecord[], at: number, requirement: string, kind: Kind): StepRecord[] {
  return records.map((record, index) => {
    const { requirements: _, ...plain } = record
    if (index === at) return { ...plain, kind: 'check', requirements: [requirement], seen: KINDS[kind].seen }
    return { ...plain, kind: 'control' }
  })
}
