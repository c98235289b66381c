import { createRequire } from 'node:module'
import type { ErrorObject, ValidateFunction } from 'ajv'

/** The schemas of `contracts/` that are compiled into `dist/schemas.cjs` at build time. */
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
 * @returns what is wrong, in ajv's words and with ajv's paths; empty when nothing is.
 */
export function schemaErrors(name: SchemaName, value: unknown): ErrorObject[] {
  const validate = validators[name]
  return validate(value) ? [] : (validate.errors ?? [])
}
