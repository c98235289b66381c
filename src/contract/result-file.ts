import { inert } from '../report/inert.js'
import { RESULT_SCHEMA_VERSION, type RunResult } from '../result.js'
import { schemaErrors } from '../suite/schema.js'
import { ContractError } from './problem.js'

/**
 * The run result that a file holds.
 * @param file how messages call it
 * @throws ContractError when it is none of this version
 */
export function parseResult(text: string, file: string): RunResult {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ContractError(`${inert(file)} is no run result: it is not JSON; give the result.json of a run`)
  }
  const [first] = schemaErrors('result', value)
  if (!first) return value as RunResult
  const version = (value as Partial<RunResult> | null)?.schemaVersion
  const what =
    typeof version === 'number' && version !== RESULT_SCHEMA_VERSION
      ? `it is of version ${version} of the format`
      : `at ${inert(first.instancePath) || 'its root'} it ${first.message}`
  throw new ContractError(`${inert(file)} is no run result of this version: ${what}; make a new run`)
}
