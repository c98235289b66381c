/** Writes contracts from the proof of a run. */

import { join } from 'node:path'
import { count } from '../../ground/count.js'
import { createFolder, writeWhole } from '../../report/write.js'
import type { RunResult } from '../../result.js'
import type { Interaction } from '../process/model.js'
import type { PactProcess } from '../process/process.js'
import { buildInteraction } from './build.js'
import type { GenerateOptions } from './consumer.js'
import { type Interactions, made, select } from './select.js'

/** Longest time to write a contract, in milliseconds; far longer than needed. */
const DEADLINE_MS = 60_000

/**
 * Makes the interactions of a run from its passed specs.
 * @throws ContractError when two interactions of the result have the same name, and for a field that no answer has
 */
export function provedInteractions(
  result: RunResult,
  { interactions: names, pinStatuses, strictToken, fields }: GenerateOptions,
): Interactions {
  const { proved, left } = select(result, names)
  const { url, kind } = result.target
  const observedOn = kind === 'mock' ? 'the embedded mock Core' : new URL(url).hostname
  const options = { dialect: result.dialect, observedOn, pinStatuses, strictToken }
  const found = made(
    proved,
    fields,
    ({ mark }) => mark.name,
    (each, fields) => buildInteraction(each, { ...options, fields }),
  )
  return { ...found, left: [...left, ...found.left] }
}

/**
 * Writes a contract with these interactions for each consumer. Each file is written whole or not at all, and replaces an
 * earlier one.
 * @param pact the process that runs Pact; the caller ends it
 * @returns the files, in the order of the consumers; none without interactions
 * @throws Error when Pact fails or a file cannot be written
 */
export async function generateContracts(
  interactions: Interaction[],
  { consumers, dir }: GenerateOptions,
  pact: PactProcess,
  signal?: AbortSignal,
): Promise<string[]> {
  if (!interactions.length) return []
  const texts: { file: string; text: string }[] = []
  for (const consumer of consumers) {
    const written = await pact.run({ type: 'generate', consumer, interactions }, DEADLINE_MS, signal)
    texts.push({ file: join(dir, `${consumer}-core.json`), text: tidied(written, interactions.length) })
  }
  // An earlier check has already named the setting of a bad folder. Another process may continue the run.
  await createFolder(dir, undefined)
  const files: string[] = []
  for (const { file, text } of texts) {
    await writeWhole(file, text, undefined)
    files.push(file)
  }
  return files
}

interface Contract {
  interactions: {
    description: string
    providerStates?: { name: string }[]
    request: { body?: Record<string, unknown> }
    response: { body?: Record<string, unknown> }
  }[]
  metadata: Record<string, unknown>
}

/** Sorts a contract and removes the versions of tools, which say nothing about the Core. */
function tidied(text: string, wanted: number): string {
  const contract = JSON.parse(text) as Contract
  if (contract.interactions.length !== wanted) {
    throw new Error(`Pact wrote ${contract.interactions.length} instead of ${count(wanted, 'interaction')}`)
  }
  const { pactSpecification } = contract.metadata
  for (const { request, response } of contract.interactions) {
    // Pact leaves this out, although the JSON Schema of its specification requires it.
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
