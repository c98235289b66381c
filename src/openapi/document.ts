/** Reads the OpenAPI document of the reference, and types the parts of it that are filled in. */
import { readFileSync } from 'node:fs'
import { Document, parse, Scalar, visit } from 'yaml'

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
const OPENAPI_FILE = new URL('../../contracts/openapi.yaml', import.meta.url)

/** Reads the hand-written document: the content of the reference, and nothing about any Core. Each call gives a new copy. */
export function referenceDocument(): OpenApi {
  return parse(readFileSync(OPENAPI_FILE, 'utf8')) as OpenApi
}

/** Characters that could move a cursor, reorder a line or hide. YAML and JSON allow all of them escaped. */
const UNSAFE = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}]/gu

/** Writes JSON with 2 spaces of indentation and a final line feed. */
export function toJson(value: unknown): string {
  const text = JSON.stringify(wellFormed(value), null, 2)
  return `${text.replace(UNSAFE, escapedForJson)}\n`
}

/**
 * Writes YAML without anchors.
 * @param comment stands at its top, in one line
 */
export function toYaml(value: unknown, comment: string): string {
  const document = new Document(wellFormed(value), { aliasDuplicateObjects: false })
  document.commentBefore = ` ${comment}`
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && node.value.search(UNSAFE) >= 0) node.type = Scalar.QUOTE_DOUBLE
    },
  })
  return document.toString({ lineWidth: 120, blockQuote: 'literal' }).replace(UNSAFE, escapedForYaml)
}

function escapedForJson(character: string): string {
  return [...Array(character.length).keys()].map(at => `\\u${hex(character.charCodeAt(at), 4)}`).join('')
}

function escapedForYaml(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0')
}

/**
 * Copies a value and replaces halves of surrogate pairs, which YAML does not allow. JSON.stringify escapes only those this way.
 */
function wellFormed(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f]../g, '$1\ufffd'))
}
