/** Checks response bodies by the JSON Schemas (draft 2020-12) of specs. */
import { createRequire } from 'node:module'
import type { ValidateFunction } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import { parseJson } from '../ground/json.js'

export type BodySchema = Record<string, unknown>

const compiled = new WeakMap<BodySchema, ValidateFunction>()

/**
 * Says in a sentence why a schema cannot be used; undefined where it can. Loads the compiler when it is first needed:
 * that takes 75 ms, and most suites have no such schema.
 */
export function schemaMiss(schema: BodySchema): string | undefined {
  // An asynchronous schema answers with a promise, which is never false.
  if ('$async' in schema) return "'$async' is no word of JSON Schema: leave it out"
  try {
    validatorOf(schema)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * Describes how a body departs from a schema, in at most three sentences without values of the body. Empty where it
 * fits.
 * @throws Error for a schema that {@link schemaMiss} refuses
 */
export function bodyMisses(schema: BodySchema, body: string): string[] {
  const value = parseJson(body)
  if (value === undefined) return ['the body is no JSON']
  const validate = validatorOf(schema)
  if (validate(value)) return []
  return (validate.errors ?? [])
    .slice(0, MOST_TOLD)
    .map(({ instancePath, message }) => `${instancePath || 'the body'} ${message ?? 'does not fit'}`)
}

/** Most departures that are described. More of them help nobody. */
const MOST_TOLD = 3

function validatorOf(schema: BodySchema): ValidateFunction {
  const known = compiled.get(schema)
  if (known) return known
  const { Ajv2020: Ajv } = createRequire(import.meta.url)('ajv/dist/2020.js') as { Ajv2020: typeof Ajv2020 }
  // Strict, since a misspelt keyword of a schema would check nothing.
  const validate = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true, strictRequired: false }).compile(
    schema,
  )
  compiled.set(schema, validate)
  return validate
}
