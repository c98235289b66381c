/** Reads families from YAML, after the schema check. */
import type { SuiteDocument } from './document.js'
import type { GeneratorName } from './families/generators.js'
import type { Family, Variation } from './family.js'
import { nameToken, OWN_PATH } from './family.js'
import { tokensIn, variableMisses } from './variables.js'

/** A family as the file has it. */
export interface RawFamily {
  about: string
  made?: GeneratorName[]
  variations?: Record<string, Partial<Variation>>
  dimensions?: string[]
}

/** A fault in a part of a family. Its path starts at the family. */
interface FamilyMiss {
  path: string[]
  message: string
}

function withPath(value: unknown, path: string): unknown {
  return typeof value === 'string' ? value.replace(OWN_PATH, path) : value
}

/** Makes the family, and finds the faults that a schema cannot see. */
export function toFamily(
  name: string,
  { about, made = [], variations = {}, dimensions }: RawFamily,
  document: SuiteDocument<unknown>,
): { family: Family; misses: FamilyMiss[] } {
  const { file, line } = document.problemAt(['families', name], '')
  const misses = Object.entries(variations).flatMap(([key, variation]) =>
    Object.entries(variation).flatMap(([part, value]) => {
      const path = ['variations', key, part]
      const told = [
        // {token} stands for the token of the step that ranges over the family, and {path} for the path of its request.
        ...variableMisses(part === 'path' ? withPath(nameToken(value, 'a'), '/') : nameToken(value, 'a')),
        ...tokensIn(value).map(token => `{token ${token}}: say {token}, which is the token of the step`),
      ]
      return told.map(message => ({ path, message }))
    }),
  )
  const listed = Object.entries(variations).map(([key, variation]) => ({ name: key, ...variation }))
  return { family: { name, about, made, variations: listed, ...(dimensions && { dimensions }), file, line }, misses }
}
