/** Writes a finding as a file of the suite. */
import { sentence } from '../engine/sentence.js'
import { allSteps, type Spec } from '../suite/spec.js'
import type { RoleStep } from './action.js'
import { KINDS, type Kind } from './kinds.js'
import type { Lowered } from './lower.js'
import { asWritten, type Ledger } from './sequence.js'

/** The text of a file, with the line of its spec. */
export interface FindingFile {
  yaml: string
  line: number
}

/** Writes a finding as a file that `--specs` takes. @param spec whose `given` ends where the testing part begins */
export async function writeFinding(
  spec: Spec,
  merged: readonly Lowered[],
  kind: Kind,
  text: string,
  ledger: Ledger,
): Promise<FindingFile> {
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
