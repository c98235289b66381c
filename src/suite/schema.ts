import { createRequire } from 'node:module'
import type { ErrorObject, ValidateFunction } from 'ajv'

/** The schemas of `contracts/` that the build compiles into `dist/schemas.cjs`. */
export type SchemaName =
  | 'spec'
  | 'families'
  | 'requests'
  | 'requirements'
  | 'result'
  | 'config'
  | 'baseline'
  | 'pins'
  | 'diff'
  | 'fleet'

const validators = createRequire(import.meta.url)('../schemas.cjs') as Record<SchemaName, ValidateFunction>

/**
 * Checks a value against one of the shipped JSON Schemas.
 * @returns the errors in ajv's words and with ajv's paths; empty where there are none
 */
export function schemaErrors(name: SchemaName, value: unknown): ErrorObject[] {
  const validate = validators[name]
  return validate(value) ? [] : (validate.errors ?? [])
}
