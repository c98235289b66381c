/**
 * Families as data: the content of the YAML files of `specs/families/`, after checking. Format:
 * `contracts/families.schema.json`.
 */

import { type GeneratorName, makeAll, SAMPLE } from './families/generators.js'
import type { Body } from './step-words.js'

/** The differences of one variation from the request of its step. Texts may contain variables, and `{token}`. */
export interface Variation {
  /** Stable, and unique in its family. */
  name: string
  /** The text after `Bearer ` in the Authorization header. */
  token?: string
  /** Sent as it is written, also in small letters. */
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

/** The family that a step ranges over, with the step's token in place of `{token}`. */
export type Each = Pick<Family, 'made' | 'variations'> & {
  family: string
  /** The names of the variations to send; absent: all. */
  only?: string[]
}

/**
 * Returns the number of variations of a family for a token of 64 hex digits. Other tokens and paths may give more or
 * fewer.
 */
export function sizeOf({ made, variations }: Pick<Family, 'made' | 'variations'>): number {
  return makeAll(made, SAMPLE).length + variations.length
}

/** In the path of a variation, stands for the path of the step's request. */
export const OWN_PATH = '{path}'

const STEPS_TOKEN = /\{token\}/g

/** Whether a variation carries the token itself. Then the step does not put the token into the Authorization header. */
export function carriesToken(variation: Variation): boolean {
  return /\{token( [a-z][a-z0-9-]*)?\}/.test(JSON.stringify(variation)) || variation.token !== undefined
}

/** Replaces `{token}` by `{token NAME}` in every text. */
export function nameToken<T>(value: T, token: string): T {
  if (typeof value === 'string') return value.replace(STEPS_TOKEN, `{token ${token}}`) as T
  if (Array.isArray(value)) return value.map(item => nameToken(item, token)) as T
  if (value && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, nameToken(item, token)])) as T
  return value
}
