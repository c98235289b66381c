import { parse } from 'yaml'
import { MOST_FILE_BYTES } from '../ground/file.js'
import { isFields, keysOfPointer } from '../ground/json.js'
import { type HandledAnswer, OwnRoutes } from './own-routes.js'
import { CORE_PATH, LOGON_PATH, USERS_PATH } from './routes.js'
import { textOf } from './text-file.js'

/** One endpoint of a file of routes. */
export interface FileRoute {
  method: string
  path: string
  answer: HandledAnswer
}

type Fields = Record<string, unknown>

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options']

/** The paths that the mock Core answers by itself, better than an example does. */
const OWN = [LOGON_PATH, USERS_PATH, CORE_PATH, `${CORE_PATH}/access_mode`]

/** How many levels of a schema are followed for an example. */
const DEEPEST = 8

/**
 * Reads endpoints from a file, in its order; see `loadRoutes` in `index.ts`. The file is an OpenAPI document with examples to
 * answer, or a short list with one endpoint a line: `GET /api/v0/streams: { body: [] }`. Leaves out endpoints of a document that
 * a mock Core has by itself.
 */
export async function loadRoutes(path: string): Promise<FileRoute[]> {
  const text = textOf(path, MOST_FILE_BYTES)
  try {
    const document: unknown = parse(text)
    if (!isFields(document)) throw new Error('there is neither an OpenAPI document nor a list of endpoints in it')
    const routes = 'openapi' in document || 'swagger' in document ? ofOpenApi(document) : ofList(document)
    if (routes.length === 0) throw new Error('there is no endpoint in it that the mock Core does not have by itself')
    const trial = new OwnRoutes()
    for (const { method, path, answer } of routes) trial.on(method, path, answer)
    return routes
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`)
  }
}

function ofList(document: Fields): FileRoute[] {
  return Object.entries(document).map(([key, value]) => {
    const [, method = '', path = ''] = /^([A-Z]+) (\/\S*)$/.exec(key) ?? []
    if (method === '')
      throw new Error(`'${key}' is no endpoint: write a method and a path, such as GET /api/v0/streams`)
    return { method, path, answer: isFields(value) ? value : value === null ? {} : { body: value } }
  })
}

function ofOpenApi(document: Fields): FileRoute[] {
  const base = basePath(document)
  return Object.entries(keyed(document.paths)).flatMap(([path, item]) =>
    Object.entries(keyed(resolved(item, document))).flatMap(([method, operation]) => {
      const whole = `${base}${path}`
      if (!METHODS.includes(method) || OWN.includes(whole)) return []
      return [{ method: method.toUpperCase(), path: whole, answer: answerOf(keyed(operation), document) }]
    }),
  )
}

/** Returns the prefix of all paths of a document: the path of its first server, or its `basePath`. */
function basePath({ servers, basePath }: Fields): string {
  const [first] = Array.isArray(servers) ? servers : []
  const url = typeof basePath === 'string' ? basePath : (keyed(first).url ?? '')
  return String(url)
    .replace(/^[a-z]+:\/\/[^/]*/i, '')
    .replace(/\/$/, '')
}

/** Makes an answer from the success with the lowest status: its example, or a sample of its schema. */
function answerOf({ responses }: Fields, document: Fields): HandledAnswer {
  const statuses = Object.keys(keyed(responses)).sort()
  const chosen = statuses.find(status => /^2(\d\d|XX)$/i.test(status)) ?? 'default'
  const status = /^\d+$/.test(chosen) ? Number(chosen) : 200
  const response = keyed(resolved(keyed(responses)[chosen], document))
  const [type, media] =
    Object.entries(keyed(response.content)).sort(([a], [b]) => Number(isJson(b)) - Number(isJson(a)))[0] ?? []
  if (type === undefined)
    return { status, ...(response.schema !== undefined && { body: sample(response.schema, document) }) }
  const { example, examples, schema } = keyed(media)
  const [named] = Object.values(keyed(examples))
  const body = example ?? keyed(resolved(named, document)).value ?? sample(schema, document)
  return { status, ...(body !== undefined && { body }), headers: { 'Content-Type': type } }
}

function isJson(type: string): boolean {
  return /[/+]json\b/.test(type)
}

/** Makes a value that a schema allows, from its examples, defaults and types. */
function sample(given: unknown, document: Fields, depth = 0): unknown {
  const schema = keyed(resolved(given, document))
  const { example, examples, default: value, const: fixed, enum: choices } = schema
  const [told] = [
    example,
    Array.isArray(examples) ? examples[0] : undefined,
    value,
    fixed,
    Array.isArray(choices) ? choices[0] : undefined,
  ].filter(each => each !== undefined)
  if (told !== undefined || depth > DEEPEST) return told
  const [part] = [schema.oneOf, schema.anyOf].flatMap(list => (Array.isArray(list) ? list.slice(0, 1) : []))
  if (part !== undefined) return sample(part, document, depth + 1)
  const all = Array.isArray(schema.allOf) ? schema.allOf.map(each => sample(each, document, depth + 1)) : []
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'array') return schema.items === undefined ? [] : [sample(schema.items, document, depth + 1) ?? null]
  if (type === 'object' || schema.properties !== undefined || all.length > 0) {
    const own = Object.entries(keyed(schema.properties)).map(([name, each]) => [
      name,
      sample(each, document, depth + 1) ?? null,
    ])
    return Object.assign({}, ...all.filter(isFields), Object.fromEntries(own))
  }
  if (type === 'string') return 'text'
  if (type === 'integer' || type === 'number') return typeof schema.minimum === 'number' ? schema.minimum : 0
  return type === 'boolean' ? false : undefined
}

/** Resolves a `$ref` inside the document. */
function resolved(value: unknown, document: Fields): unknown {
  let current = value
  for (let hops = 0; hops < DEEPEST; hops += 1) {
    const { $ref: ref } = keyed(current)
    if (typeof ref !== 'string') return current
    if (!ref.startsWith('#/')) throw new Error(`'${ref}' is in another file; put it into this one`)
    current = keysOfPointer(ref).reduce<unknown>((inside, key) => keyed(inside)[key], document)
  }
  return undefined
}

function keyed(value: unknown): Fields {
  return isFields(value) ? value : {}
}
