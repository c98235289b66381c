import { isFields } from '../ground/json.js'

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/**
 * Reads a body as a JSON object.
 *
 * @param bytes the body, UTF-8 (RFC 8259 8.1)
 * @returns undefined when it is not UTF-8, not JSON, or another kind of JSON value
 */
export function parseJsonObject(bytes: Uint8Array): { readonly [key: string]: Json } | undefined {
  try {
    const value: Json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Returns the value of a variable; undefined for an unknown name. */
export type Variables = (name: string) => string | undefined

/**
 * Replaces every `{name}` in the strings of a value (not in its keys) by that variable. Unknown names stay as they are. A
 * string that is `{name:number}` becomes a number.
 */
export function fillIn(template: Json, variables: Variables): Json {
  if (typeof template === 'string') {
    const [, name] = /^\{(\w+):number\}$/.exec(template) ?? []
    const digits = name === undefined ? undefined : variables(name)
    return digits === undefined ? fillInText(template, variables) : Number(digits)
  }
  if (Array.isArray(template)) return template.map(item => fillIn(item, variables))
  if (!isFields(template)) return template
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fillIn(value, variables)]))
}

/** Replaces as {@link fillIn} does, in one string. Does not look at replaced text again. */
export function fillInText(template: string, variables: Variables): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => variables(name) ?? whole)
}
