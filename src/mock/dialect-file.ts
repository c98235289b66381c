import { createRequire } from 'node:module'
import type { ErrorObject, ValidateFunction } from 'ajv'
import { closest, distance } from 'fastest-levenshtein'
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml'
import { keysOfPointer, parseJson } from '../ground/json.js'
import { type Dialect, type DialectData, toDialect } from './dialect.js'
import type { Json } from './json.js'
import { textOf } from './text-file.js'

/** Largest file, in bytes: a dialect may be the result of a run, with all its exchanges. */
const MOST_BYTES = 256_000_000

/** Reads a dialect from a file. See `loadDialect` in `index.ts`. */
export async function loadDialect(path: string, tell?: (note: string) => void): Promise<Dialect> {
  const text = textOf(path, MOST_BYTES)
  // A YAML reader would read JSON too, but takes seconds for a result.
  if (text.trimStart().startsWith('{')) {
    const { dialectOfResult, isRunResult } = await import('./result-dialect.js')
    const value = parseJson(text) as Json | undefined
    if (value !== undefined && isRunResult(value)) {
      try {
        return toDialect(dialectOfResult(value, tell))
      } catch (error) {
        throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  }
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const refuse = (problems: { offset: number; message: string }[]) => {
    const places = problems.map(({ offset, message }) => {
      const { line, col } = lines.linePos(offset)
      return `${path}:${line}:${col}: ${message}`
    })
    return new Error([...new Set(places)].join('\n'))
  }

  const broken = [...document.errors, ...document.warnings]
  if (broken.length > 0) {
    throw refuse(broken.map(({ pos, message }) => ({ offset: pos[0], message: `not valid YAML: ${message}` })))
  }
  const value: unknown = plainValue(document, message => refuse([{ offset: 0, message }]))
  if (validator()(value)) return toDialect(value)
  throw refuse(problems().map(({ path, message }) => ({ offset: offsetOf(document, path), message })))
}

/**
 * Completes a dialect that was given as a value.
 *
 * @throws TypeError with a sentence for people that says what is wrong
 */
export function dialectOfValue(value: unknown): Dialect {
  if (validator()(value)) return toDialect(value)
  const told = problems().map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`)
  throw new TypeError(`the dialect cannot be used: ${[...new Set(told)].join('; ')}`)
}

let compiled: ValidateFunction<DialectData> | undefined

/** The validator that the build compiled from `contracts/dialect.schema.json`. */
function validator(): ValidateFunction<DialectData> {
  compiled ??= createRequire(import.meta.url)('../schemas.cjs').dialect as ValidateFunction<DialectData>
  return compiled
}

/** Returns what the validator found wrong with its last value. */
function problems(): { path: string[]; message: string }[] {
  return (validator().errors ?? []).flatMap(error => {
    const message = explain(error)
    return message === undefined ? [] : [{ path: pathOf(error), message }]
  })
}

function plainValue(document: Document, refuse: (message: string) => Error): unknown {
  try {
    return document.toJS() ?? {} // an empty file is the default dialect
  } catch (error) {
    throw refuse(`not valid YAML: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Describes an error in words; undefined for an error that another one describes better. */
function explain({ keyword, params, message, parentSchema }: ErrorObject): string | undefined {
  switch (keyword) {
    case 'additionalProperties':
      return unknownKey(params.additionalProperty, Object.keys(parentSchema?.properties ?? {}))
    case 'enum':
      return `must be ${params.allowedValues.map((value: unknown) => JSON.stringify(value)).join(' or ')}`
    case 'type':
      return `must be ${[params.type].flat().join(' or ')}`
    case 'pattern':
      return `must be ${parentSchema?.$comment ?? `like ${params.pattern}`}`
    default:
      return message
  }
}

function unknownKey(key: string, known: string[]): string {
  const near = closest(key, known)
  const hint = distance(key, near) <= key.length / 2 ? `did you mean '${near}'?` : `known: ${known.join(', ')}`
  return `there is no key '${key}' here; ${hint}`
}

/** Returns the path of a wrong value or of a forbidden key. */
function pathOf({ instancePath, keyword, params }: ErrorObject): string[] {
  const steps = keysOfPointer(instancePath)
  return keyword === 'additionalProperties' ? [...steps, params.additionalProperty] : steps
}

/** Returns the offset of the value or key at a path, or of the nearest node around it. */
function offsetOf(document: Document, path: string[]): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const parent = length > 0 ? document.getIn(path.slice(0, length - 1), true) : undefined
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === path[length - 1])
      : undefined
    const node = pair?.key ?? document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return 0
}
