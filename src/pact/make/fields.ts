/** The fields of answers that a client reads (`--fields`). */
import { hint } from '../../suite/problem.js'
import type { Interaction, Template } from '../process/model.js'
import { ContractError } from '../read/problem.js'
import { isTokenInJson } from './token-pattern.js'

/**
 * Keeps the parts of a shape that a client may rely on: the named fields, at any depth, and the token for its header.
 * @returns undefined where nothing is left
 */
export function named(template: Template, fields: readonly string[]): Template | undefined {
  if (template === null || typeof template !== 'object') return undefined
  if (Array.isArray(template)) {
    // Elements keep their positions, so the neighbours of a kept element stay.
    const kept = template.map(item => named(item, fields))
    return kept.some(item => item !== undefined)
      ? kept.map((item, index) => item ?? template[index] ?? null)
      : undefined
  }
  if ('pact:matcher:type' in template) {
    if (isTokenInJson(template)) return template
    if (!Array.isArray(template.value)) return undefined
    const value = named(template.value, fields)
    return value === undefined ? undefined : { ...template, value }
  }
  const kept = Object.entries(template).flatMap(([key, value]): [string, Template][] => {
    const part = fields.includes(key) ? value : named(value, fields)
    return part === undefined ? [] : [[key, part]]
  })
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

/**
 * Checks the names of fields that a user chose: a name that no answer has would pin nothing, and go unnoticed.
 * @param fields the names
 * @param whole the interactions with every field that was seen; a text is the reason why there is none
 * @throws ContractError for a name that no answer has
 */
export function checkFields(fields: readonly string[] = [], whole: readonly (Interaction | string)[]): void {
  const made = whole.filter(each => typeof each !== 'string')
  const known = new Set(made.flatMap(({ response }) => namesIn(response.json ?? null)))
  const stranger = fields.find(name => name !== 'all' && !known.has(name))
  if (made.length > 0 && stranger !== undefined)
    throw new ContractError(
      `no answer that goes into the contract has a field '${stranger}' with a value${hint(stranger, known)}`,
    )
}

/** Lists the names of the fields in a shape, at any depth. */
function namesIn(template: Template): string[] {
  if (template === null || typeof template !== 'object') return []
  if (Array.isArray(template)) return template.flatMap(namesIn)
  if ('pact:matcher:type' in template) return namesIn(template.value ?? null)
  return Object.entries(template).flatMap(([name, value]) => [name, ...namesIn(value)])
}
