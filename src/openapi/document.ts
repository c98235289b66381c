/** The OpenAPI document of the reference, and the little of its format that is needed to fill it in. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** A JSON Schema (2020-12). */
export interface Schema {
  [keyword: string]: unknown
}

/** What one status is answered with. */
export interface Response {
  $ref?: string
  description?: string
  content?: Record<string, { schema: Schema; examples?: Record<string, { summary: string; value: unknown }> }>
  [extension: `x-${string}`]: unknown
}

/** One method of a path. */
export interface Operation {
  operationId: string
  summary: string
  description: string
  security?: Record<string, string[]>[]
  parameters?: { name: string; in: 'query'; description: string; schema: Schema; example: string }[]
  responses: Record<string, Response>
  [extension: `x-${string}`]: unknown
}

/** The parts of `contracts/openapi.yaml` that are filled in. */
export interface OpenApi {
  openapi: string
  info: { title: string; description: string; [extension: `x-${string}`]: unknown }
  paths: Record<string, Partial<Record<'get' | 'post' | 'delete', Operation>>>
  components: {
    securitySchemes: { bearer: Schema }
    responses: Record<string, Response>
    schemas: Record<string, Schema>
  }
}

/** Where the document stands in the package. */
export const OPENAPI_FILE = new URL('../../contracts/openapi.yaml', import.meta.url)

/** The hand-written document: what the reference says, and nothing of any Core. A new one with each call. */
export function referenceDocument(): OpenApi {
  return parse(readFileSync(OPENAPI_FILE, 'utf8')) as OpenApi
}
