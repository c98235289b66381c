/**
 * Families as data: the content of the YAML files of `specs/families/`, after checking. Format:
 * `contracts/families.schema.json`.
 */

import { isFields, parseJson } from '../ground/json.js'
import type { SuiteDocument } from './document.js'
import { type GeneratorName, makeAll, SAMPLE } from './families/generators.js'
import type { Miss } from './problem.js'
import type { Body, ConnectionWay } from './step-words.js'
import { mapTexts, tokensIn, variableMisses } from './variables.js'

/** Writers of an object, by the word that a variation has for them. */
const SPELLINGS = {
  spaced: (value: object) => JSON.stringify(value, null, 2),
  reversed: (value: object) => JSON.stringify(Object.fromEntries(Object.entries(value).reverse())),
  escaped: (value: object) => JSON.stringify(value).replace(/([{,]")u(?=sername":)/, '$1\\u0075'),
  // By more than the first reads of many a server bring.
  prolonged: (value: object) => JSON.stringify({ ...value, remember: true, comment: 'x'.repeat(5000) }),
}

/** How a JSON object is written. */
type Spelling = keyof typeof SPELLINGS

/** Returns a body in another spelling; one that is no JSON object as it is. */
export function spelled(body: string, spelling: Spelling): string {
  const value = parseJson(body)
  return isFields(value) ? SPELLINGS[spelling](value) : body
}

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
  connection?: ConnectionWay
  body?: Body
  /** Present where it is sent right behind a good request, without waiting for its answer. */
  pipelined?: true
  /** Present where the body is sent in chunks; `extended`: each with an extension, and with zeros before its size. */
  chunked?: true | 'extended'
  /** With `chunked`: the fields of its trailer. */
  trailer?: Record<string, string>
  /** How it arrives: the head in pieces and the body in two, or the head with a pause in it; absent: at once. */
  pieces?: true | 'pause'
  /** In a request that comes before: where its client breaks it off, on a connection of its own. */
  cut?: 'head' | 'answer'
  /** In a request that comes before: present where the connection rests a while behind it. */
  rest?: true
  /** This many more header fields than the request has in its plain form, before Authorization. */
  more?: number
  /** `first`: Authorization stands before all other header fields. */
  authorization?: 'first'
  /** How a body that is a JSON object is written. */
  json?: Spelling
  /** How the lines of the head depart from the usual ones. */
  lines?: 'bare' | 'tabbed' | 'led'
  /** How the names of header fields are written. */
  names?: 'lower' | 'upper'
  /** A request that is sent before, on the same connection: it departs in this way from the one with the role `probe`. */
  after?: Partial<Variation>
}

/** Variations, and what makes them. */
export interface Varying {
  /** The generators whose variations come first. */
  made: GeneratorName[]
  variations: Variation[]
}

/** Variations by a name: one way in which requests differ. */
export interface Dimension extends Varying {
  name: string
}

/** A named set of variations that a step ranges over. */
export interface Family extends Dimension {
  about: string
  /** The names of other families that it stands for in rows; absent for one of its own. */
  dimensions?: string[]
  file: string
  line: number
}

/** Returns the families of these names. One that stands for others is replaced by these. */
export function familiesOf(names: readonly string[], families: ReadonlyMap<string, Family> | undefined): Family[] {
  return names.flatMap(name => {
    const family = families?.get(name)
    return family?.dimensions ? familiesOf(family.dimensions, families) : (family ?? [])
  })
}

/** The family that a step ranges over, with the step's token in place of `{token}`. */
export interface Each extends Varying {
  family: string
  /** The names of the variations to send, of several families in one row; absent: all. */
  only?: string[]
  /**
   * The families whose variations meet in rows, one of each family or none; `made` and `variations` are those of all. Absent: the
   * variations of one family are sent one by one.
   */
  dimensions?: Dimension[]
  /** The number of the only row that is sent, from 1; absent: all. */
  row?: number
  /** Present where a full run covers each pair of variations. */
  isPaired?: true
}

/**
 * Returns the number of variations of a family for a token of 64 hex digits. Other tokens and paths may give more or
 * fewer.
 */
export function sizeOf({ made, variations }: Varying): number {
  return makeAll(made, SAMPLE).length + variations.length
}

/** In the path of a variation, stands for the path of the step's request. */
export const OWN_PATH = '{path}'

const STEPS_TOKEN = /\{token\}/g

/** Whether a variation carries the token itself. Then the step does not put the token into the Authorization header. */
export function carriesToken(variation: Variation): boolean {
  const known = CARRYING.get(variation)
  if (known !== undefined) return known
  const { after: _, ...own } = variation
  const carries = /\{token( [a-z][a-z0-9-]*)?\}/.test(JSON.stringify(own)) || variation.token !== undefined
  CARRYING.set(variation, carries)
  return carries
}

/** Asked for each pair of variations while rows are chosen. */
const CARRYING = new WeakMap<Variation, boolean>()

/** Replaces `{token}` by `{token NAME}` in every text. */
export function nameToken<T>(value: T, token: string): T {
  return mapTexts(value, text => text.replace(STEPS_TOKEN, `{token ${token}}`))
}

/** A family as the file has it. */
export interface RawFamily {
  about: string
  made?: GeneratorName[]
  variations?: Record<string, Partial<Variation>>
  dimensions?: string[]
}

/** Makes the family, and finds the faults that a schema cannot see; their paths start at the family. */
export function toFamily(
  name: string,
  { about, made = [], variations = {}, dimensions }: RawFamily,
  document: SuiteDocument<unknown>,
): { family: Family; misses: Miss[] } {
  const { file, line } = document.problemAt(['families', name], '')
  const misses = Object.entries(variations).flatMap(([key, variation]) =>
    Object.entries(variation).flatMap(([part, value]) => {
      const path = ['variations', key, part]
      // {token} stands for the token of the step that ranges over the family, and {path} for the path of its request.
      const filled = mapTexts(nameToken(value, 'a'), text => (part === 'path' ? text.replace(OWN_PATH, '/') : text))
      const told = [
        ...variableMisses(filled),
        ...tokensIn(value).map(token => `{token ${token}}: say {token}, which is the token of the step`),
      ]
      return told.map(message => ({ path, message }))
    }),
  )
  const listed = Object.entries(variations).map(([key, variation]) => ({ name: key, ...variation }))
  return { family: { name, about, made, variations: listed, ...(dimensions && { dimensions }), file, line }, misses }
}
