/** What the words of provider states mean: those of this product, and those of a team's own. */
import { isDeepStrictEqual } from 'node:util'
import { nearest } from '../../suite/problem.js'
import { STATES, type State } from '../../suite/spec.js'

/** What is meant by a provider state that asks for nothing, such as "the Core is up". */
export const NO_STATE = 'nothing'

/** What words may mean. */
export const MEANINGS: readonly string[] = [...STATES, NO_STATE]

/** What a provider state brings, by the names that expressions of a contract (`${token}`) ask for it by. */
export const VALUES = ['token', 'username', 'password'] as const
/** See {@link VALUES}. */
export type Value = (typeof VALUES)[number]

/** A provider state as a contract names it. */
export interface ProviderState {
  name: string
  /** Specification 3 and 4; empty where there are none. */
  params: Readonly<Record<string, unknown>>
}

/** One meaning of a team's own words. */
export interface Meaning {
  /** One of {@link MEANINGS}. */
  state: string
  /** It is meant where the words come with each of these parameters; empty: always. */
  params: Readonly<Record<string, unknown>>
  /** The team's own names for what it brings; the names of this product stand beside them. */
  gives: Readonly<Record<string, Value>>
}

/** What words mean, by {@link normalized} words; the first of several whose parameters are there. */
export type Meanings = ReadonlyMap<string, readonly Meaning[]>

/** What a provider state stands for. */
export interface Understood {
  /** Undefined: it asks for nothing. */
  state: State | undefined
  gives: Meaning['gives']
}

/** Words as they are compared: neither capital letters nor spaces count. */
export function normalized(words: string): string {
  return words.trim().replace(/\s+/g, ' ').replace(/ ?, ?/g, ', ').toLowerCase()
}

/**
 * What a provider state means.
 * @returns what it stands for, or a sentence on why that cannot be told
 */
export function meaningOf({ name, params }: ProviderState, meanings: Meanings): Understood | string {
  const words = normalized(name)
  const own = meanings.get(words)
  const found = own?.find(meaning =>
    Object.entries(meaning.params).every(([key, value]) => isSame(Object.hasOwn(params, key), params[key], value)),
  )
  if (found) return { state: found.state === NO_STATE ? undefined : (found.state as State), gives: found.gives }
  const state = STATES.find(each => each === words)
  if (state) return { state, gives: {} }
  if (words === NO_STATE) return { state: undefined, gives: {} }
  if (own)
    return `no meaning of the provider state '${name}' is for its parameters ${JSON.stringify(params)}; add one to 'states' in the configuration file`
  const near = nearest(words, STATES)
  const guess = near === undefined ? '' : `; did you mean '${near}'?`
  return `unknown provider state '${name}'${guess}; say what it means with --state '${name}=STATE', or in the configuration file under 'states'; STATE is one of: ${MEANINGS.join(', ')}`
}

/** A parameter as it was written: `1` of a YAML file is the `"1"` of a contract. */
function isSame(isThere: boolean, given: unknown, wanted: unknown): boolean {
  if (!isThere) return false
  const isPlain = (value: unknown) => typeof value !== 'object' || value === null
  return isPlain(given) && isPlain(wanted) ? String(given) === String(wanted) : isDeepStrictEqual(given, wanted)
}

/** A provider state in the words of a report. */
export function wordsOf({ name, params }: ProviderState): string {
  const told = Object.entries(params).map(
    ([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return told.length ? `${name} (${told.join(', ')})` : name
}
