/** The tasks that `PactProcess` gives its child process, and the interactions that it writes. The answer to each task is a text. */

/**
 * A JSON value with Pact's matchers in their common form: an object with `pact:matcher:type` and the example as its `value`.
 * Where a provider state supplies the value at verification, it also has `pact:generator:type` with its `expression`.
 */
export type Template = string | number | boolean | null | Template[] | { [key: string]: Template }

/** The request of the client. The method, the path and everything but matchers are exact. */
export interface RequestTemplate {
  method: string
  /** Without the query. */
  path: string
  query: [name: string, value: string][]
  headers: [name: string, value: Template][]
  /** Text as it is, or JSON. */
  body?: { text: string } | { json: Template }
}

/** The answer of the Core. */
export interface ResponseTemplate {
  /** As it was observed. */
  status: number
  /** Whether any 4xx fits. */
  anyRefusal: boolean
  /** Whether any 2xx fits. */
  anySuccess?: boolean
  /** Headers that bring a token; absent for none. */
  headers?: [name: string, value: Template][]
  /** Present where the body is JSON. */
  json?: Template
}

/** One interaction: a request with its answer, and the states that it needs. */
export interface Interaction {
  /** The name by which a user selects it. */
  name: string
  description: string
  /** Its provider states; most have one. */
  states: string[]
  /** For readers: the requirements, and the observations where the reference is silent. */
  comments: string[]
  /** Whether it may fail at verification, because no client relies on it yet. */
  pending?: boolean
  request: RequestTemplate
  response: ResponseTemplate
}

/** Makes the JSON value that a client would send or a Core answer: examples in place of matchers. */
export function exampleOf(template: Template): Template {
  if (Array.isArray(template)) return template.map(exampleOf)
  if (template === null || typeof template !== 'object') return template
  if ('pact:matcher:type' in template) return exampleOf(template.value ?? null)
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, exampleOf(value)]))
}

/** Writes a contract; the answer is its text. */
export interface GenerateTask {
  type: 'generate'
  consumer: string
  interactions: Interaction[]
}

/** Verifies a contract of one interaction through the gateway; the answer is the Verifier's report, as JSON. */
export interface VerifyTask {
  type: 'verify'
  /** The whole contract. */
  contract: string
  gatewayUrl: string
  statesUrl: string
  /** Longest wait of the Verifier for one response. */
  timeoutMs: number
}

/** A task for the child. */
export type Task = GenerateTask | VerifyTask
