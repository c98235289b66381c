/** Selects the interactions that a run has proved. */
import type { ExchangeRecord, InteractionRecord, RequirementRef, SpecRecord } from '../../result.js'
import { hint } from '../../suite/problem.js'
import type { Interaction, Template } from '../process/model.js'
import { ContractError } from '../read/contract-file.js'
import { isTokenInJson } from './expected-body.js'

/** An interaction with the exchange that shows it. */
export interface Proved {
  mark: InteractionRecord
  requirements: RequirementRef[]
  exchange: ExchangeRecord
}

/** An interaction that is left out of a contract. */
export interface LeftOut {
  name: string
  /** A few words that follow the name. */
  reason: string
}

interface Marked {
  id: string
  interactions?: InteractionRecord[]
}

/**
 * Returns the names of all interactions, in the order of the suite.
 * @throws ContractError where two interactions have the same name
 */
export function interactionNames(specs: Marked[]): string[] {
  const marks = specs.flatMap(({ id, interactions = [] }) => interactions.map(mark => ({ id, ...mark })))
  for (const [index, mark] of marks.entries()) {
    const { name, description, state } = mark
    const same = marks
      .slice(0, index)
      .find(each => each.name === name || (each.description === description && each.state === state))
    if (same) {
      const what = `'${description}' given '${state}'`
      throw new ContractError(
        `two interactions cannot be told apart: ${same.name} of ${same.id} and ${name} of ${mark.id} (${what}); give one of them another name and description`,
      )
    }
  }
  return marks.map(({ name }) => name)
}

/**
 * Checks names that a user chose.
 * @param label the name of the setting in messages
 * @throws ContractError for a name that no spec has
 */
export function checkNames(specs: Marked[], names: string[], label: string): void {
  const known = interactionNames(specs)
  const stranger = names.find(name => !known.includes(name))
  if (stranger === undefined) return
  const list = known.length ? `known: ${known.join(', ')}` : 'the specs mark none'
  throw new ContractError(`${label}: there is no interaction '${stranger}'${hint(stranger, known)} (${list})`)
}

/**
 * Selects the interactions of the specs that passed, and gives the reason for each one left out.
 * @param names the wanted interactions; empty: all
 * @throws ContractError where two interactions have the same name
 */
export function select({ specs }: { specs: SpecRecord[] }, names: string[]): { proved: Proved[]; left: LeftOut[] } {
  interactionNames(specs)
  const proved: Proved[] = []
  const left: LeftOut[] = []
  for (const spec of specs) {
    for (const mark of spec.interactions ?? []) {
      if (names.length && !names.includes(mark.name)) continue
      const found = exchangeOf(spec, mark)
      if (typeof found === 'string') left.push({ name: mark.name, reason: found })
      else {
        // A preparing step stands for the requirements of its spec.
        const tested = spec.steps[mark.step]?.requirements
        const requirements = tested ? spec.requirements.filter(({ id }) => tested.includes(id)) : spec.requirements
        proved.push({ mark, requirements, exchange: found })
      }
    }
  }
  return { proved, left }
}

/** Returns the exchange that shows an interaction, or the reason why there is none. */
function exchangeOf({ id, outcome, message, steps, exchanges }: SpecRecord, mark: InteractionRecord) {
  if (outcome === 'skipped') return message ?? 'its spec was skipped'
  if (outcome !== 'passed') return `${id} ${outcome === 'failed' ? 'failed' : `was ${outcome}: ${message}`}`
  const index = steps[mark.step]?.exchanges.at(-1)
  const exchange = index === undefined ? undefined : exchanges[index]
  if (!exchange?.response?.complete) return `${id} recorded no whole response for it`
  return exchange
}

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
 * @param whole the interactions with every field that was seen; a text is the reason why there is none
 * @throws ContractError for a name that no answer has
 */
function checkFields(fields: readonly string[] = [], whole: readonly (Interaction | string)[]): void {
  const made = whole.filter(each => typeof each !== 'string')
  const known = new Set(made.flatMap(({ response }) => namesIn(response.json ?? null)))
  const stranger = fields.find(name => name !== 'all' && !known.has(name))
  if (made.length > 0 && stranger !== undefined)
    throw new ContractError(
      `no answer that goes into the contract has a field '${stranger}' with a value${hint(stranger, known)}`,
    )
}

/** The interactions for a contract, and those left out. */
export interface Interactions {
  interactions: Interaction[]
  left: LeftOut[]
}

/**
 * Makes interactions.
 * @param all what each is made of, with its name; `make` gives the reason in a few words where no contract can express it
 * @throws ContractError for a field that no answer has
 */
export function made<Source>(
  all: readonly Source[],
  fields: readonly string[] | undefined,
  nameOf: (source: Source) => string,
  make: (source: Source, fields: readonly string[] | undefined) => Interaction | string,
): Interactions {
  checkFields(
    fields,
    all.map(each => make(each, ['all'])),
  )
  const found: Interactions = { interactions: [], left: [] }
  for (const each of all) {
    const built = make(each, fields)
    if (typeof built === 'string') found.left.push({ name: nameOf(each), reason: built })
    else found.interactions.push(built)
  }
  return found
}

/** Lists the names of the fields in a shape, at any depth. */
function namesIn(template: Template): string[] {
  if (template === null || typeof template !== 'object') return []
  if (Array.isArray(template)) return template.flatMap(namesIn)
  if ('pact:matcher:type' in template) return namesIn(template.value ?? null)
  return Object.entries(template).flatMap(([name, value]) => [name, ...namesIn(value)])
}
