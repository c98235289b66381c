/** Reads the OpenAPI document of the reference, and types the parts of it that are filled in. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** A JSON Schema (2020-12). */
export interface Schema {
  [keyword: string]: unknown
}

/** The response for one status. */
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

/** The URL of the document in the package. */
export const OPENAPI_FILE = new URL('../../contracts/openapi.yaml', import.meta.url)

/** Reads the hand-written document: the content of the reference, and nothing about any Core. Each call gives a new copy. */
export function referenceDocument(): OpenApi {
  return parse(readFileSync(OPENAPI_FILE, 'utf8')) as OpenApi
}
