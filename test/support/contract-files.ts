/** Contracts that the product wrote, held against the schema of Pact. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as assert from 'uvu/assert'

/** An interaction of a contract, as far as tests look at it. */
export interface Interaction {
  description: string
  pending: boolean
  providerStates: { name: string }[]
  request: { method: string; path: string; headers?: Record<string, string[]> }
  response: { status: number; body?: { content: unknown }; matchingRules?: { status?: unknown } }
  comments: { text: string[] }
}

const SCHEMA = JSON.parse(readFileSync(new URL('../fixtures/pact-v4.schema.json', import.meta.url), 'utf8'))
const validate = new Ajv2020({ allErrors: true, strict: true }).compile(SCHEMA)

/** Reads a contract, which must be valid. */
export function contractIn(
  folder: string,
  path = 'contracts/app-core.json',
): { text: string; interactions: Interaction[] } {
  const text = readFileSync(join(folder, path), 'utf8')
  const contract = JSON.parse(text)
  validate(contract)
  assert.equal(validate.errors ?? [], [], path)
  return { text, interactions: contract.interactions }
}

/** Returns what each interaction is called, with its provider states. */
export const named = (interactions: Interaction[]) =>
  interactions.map(
    ({ description, providerStates }) => `${description}: ${providerStates.map(({ name }) => name).join(' + ')}`,
  )
