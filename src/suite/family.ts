/** Families as data: what the YAML files of `specs/families/` say, after checking. Format: `contracts/families.schema.json`. */

import { type GeneratorName, makeAll, SAMPLE } from './families/generators.js'
import type { Body } from './spec.js'

/** How one variation of a family departs from the request of its step. Texts may hold variables, and `{token}`. */
export interface Variation {
  /** Stable, and unique in its family. */
  name: string
  /** What stands after `Bearer ` in the Authorization header. */
  token?: string
  /** As it is written, also in small letters. */
  method?: string
  path?: string
  headers?: Record<string, string | string[]>
  without?: string[]
  http?: '1.0' | '1.1'
  connection?: 'kept' | 'new'
  body?: Body
}

/** A named set of variations that a step ranges over. */
export interface Family {
  name: string
  about: string
  /** The generators whose variations come first. */
  made: GeneratorName[]
  variations: Variation[]
  file: string
  line: number
}

/** What a step ranges over: its family, with `{token}` made the step's own. */
export type Each = Pick<Family, 'made' | 'variations'> & {
  family: string
  /** The names of the variations that are sent; absent for all. */
  only?: string[]
}

/** How many variations a family has with a token of 64 hex digits; with other tokens and paths it may be some more or fewer. */
export function sizeOf({ made, variations }: Pick<Family, 'made' | 'variations'>): number {
  return makeAll(made, SAMPLE).length + variations.length
}

/** Stands in the path of a variation for the path of its step's request. */
export const OWN_PATH = '{path}'

const STEPS_TOKEN = /\{token\}/g

/** Whether a variation carries the token of its step itself, so that the step does not put it into the Authorization header. */
export function carriesToken(variation: Variation): boolean {
  return /\{token( [a-z][a-z0-9-]*)?\}/.test(JSON.stringify(variation)) || variation.token !== undefined
}

/** The same with `{token}` made `{token NAME}` in every text. */
export function naming<T>(value: T, token: string): T {
  if (typeof value === 'string') return value.replace(STEPS_TOKEN, `{token ${token}}`) as T
  if (Array.isArray(value)) return value.map(item => naming(item, token)) as T
  if (value && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, naming(item, token)])) as T
  return value
}
