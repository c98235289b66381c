/** One interaction of a contract, before Pact writes it. */

/**
 * A JSON value in which Pact's matchers may stand, in the form in which Pact takes them from every language: an object with
 * `pact:matcher:type`, the example as its `value`, and where a provider state brings the value at verification,
 * `pact:generator:type` with its `expression`.
 */
export type Template = string | number | boolean | null | Template[] | { [key: string]: Template }

/** What the client sends; the method, the path and what is not a matcher are exact. */
export interface RequestTemplate {
  method: string
  /** Without the query. */
  path: string
  query: [name: string, value: string][]
  headers: [name: string, value: Template][]
  /** Text as it is, or JSON. */
  body?: { text: string } | { json: Template }
}

/** What the Core answers. */
export interface ResponseTemplate {
  /** As it was observed. */
  status: number
  /** Whether any 4xx will do. */
  anyRefusal: boolean
  /** Whether any 2xx will do. */
  anySuccess?: boolean
  /** Those that bring a token; absent for none. */
  headers?: [name: string, value: Template][]
  /** Present where the body is JSON. */
  json?: Template
}

/** One interaction: a request with its answer, and what has to be the case beforehand. */
export interface Interaction {
  /** What it is chosen by. */
  name: string
  description: string
  /** Its provider states; most have one. */
  states: string[]
  /** For readers: requirements, and what was observed where the reference is silent. */
  comments: string[]
  /** Whether it may fail at verification: nobody counts on it yet. */
  pending?: boolean
  request: RequestTemplate
  response: ResponseTemplate
}

/** A JSON value as a client would send it, or a Core answer: the examples in place of their matchers. */
export function exampleOf(template: Template): Template {
  if (Array.isArray(template)) return template.map(exampleOf)
  if (template === null || typeof template !== 'object') return template
  if ('pact:matcher:type' in template) return exampleOf(template.value ?? null)
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, exampleOf(value)]))
}
