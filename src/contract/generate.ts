/** Contracts out of what a run has proved. */
import { join } from 'node:path'
import { createFolder, writeWhole } from '../report/write.js'
import type { RunResult } from '../result.js'
import { build, observedOn } from './build.js'
import { fileName, type GenerateOptions } from './consumer.js'
import type { Interaction } from './model.js'
import type { PactProcess } from './process.js'
import { type LeftOut, select } from './select.js'

/** What came of it. */
export interface Generated {
  /** The files, in the order of the consumers; empty where the run proved nothing that was asked for. */
  files: string[]
  /** The names of the interactions in each. */
  interactions: string[]
  left: LeftOut[]
}

/** Far more than writing a contract takes. */
const DEADLINE_MS = 60_000

/**
 * Writes a contract for each consumer, of the interactions whose specs passed. Each file is written whole or not at all, and
 * replaces what was there.
 * @param pact the process to do it in; the caller ends it
 * @throws ContractError for a result with interactions that cannot be told apart; Error when Pact fails or a file cannot be written
 */
export async function generateContracts(
  result: RunResult,
  { consumers, dir, interactions: names, pinStatuses }: GenerateOptions,
  pact: PactProcess,
  signal?: AbortSignal,
): Promise<Generated> {
  const { proved, left } = select(result, names)
  const options = { dialect: result.dialect, observedOn: observedOn(result.target), pinStatuses }
  const interactions: Interaction[] = []
  for (const each of proved) {
    const built = build(each, options)
    if (typeof built === 'string') left.push({ name: each.mark.name, reason: built })
    else interactions.push(built)
  }
  interactions.sort(byDescription)
  const files: string[] = []
  if (interactions.length) {
    const texts: { file: string; text: string }[] = []
    for (const consumer of consumers) {
      const written = await pact.run({ type: 'generate', consumer, interactions }, DEADLINE_MS, signal)
      texts.push({ file: join(dir, fileName(consumer)), text: tidied(written, interactions.length) })
    }
    await createFolder(dir, '--contracts')
    for (const { file, text } of texts) {
      await writeWhole(file, text, '--contracts')
      files.push(file)
    }
  }
  return { files, interactions: interactions.map(({ name }) => name).sort(), left }
}

function byDescription(a: Interaction, b: Interaction): number {
  const key = ({ description, state }: Interaction) => `${description}\0${state}`
  return key(a) < key(b) ? -1 : 1
}

/** A contract as Pact wrote it. */
interface Contract {
  interactions: {
    description: string
    providerStates?: { name: string }[]
    request: { body?: Record<string, unknown> }
    response: { body?: Record<string, unknown> }
  }[]
  metadata: Record<string, unknown>
}

/** The contract as it is kept: sorted, and without the versions of the tools, which say nothing of the Core. */
function tidied(text: string, count: number): string {
  const contract = JSON.parse(text) as Contract
  if (contract.interactions.length !== count) {
    throw new Error(`Pact wrote ${contract.interactions.length} interactions instead of ${count}`)
  }
  const { pactSpecification } = contract.metadata
  for (const { request, response } of contract.interactions) {
    // Pact leaves out what the JSON Schema of its specification asks for.
    for (const { body } of [request, response]) if (body) body.contentTypeHint = 'TEXT'
  }
  const key = ({ description, providerStates = [] }: Contract['interactions'][number]) =>
    `${description}\0${providerStates.map(({ name }) => name).join('\0')}`
  const interactions = [...contract.interactions].sort((a, b) => (key(a) < key(b) ? -1 : 1))
  return `${JSON.stringify(sorted({ ...contract, interactions, metadata: { pactSpecification } }), null, 2)}\n`
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!value || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  )
}
