/** Interprets the words of provider states: those of this product, and those of a team. */
import { isDeepStrictEqual } from 'node:util'
import { nearest } from '../../suite/problem.js'
import { STATES, type State } from '../../suite/step-words.js'

/** The meaning of a provider state that needs nothing, such as "the Core is up". */
const NO_STATE = 'nothing'

/** Every meaning that words may have. */
export const MEANINGS: readonly string[] = [...STATES, NO_STATE]

/** The names of the values that a provider state supplies; expressions of a contract use them (`${token}`). */
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
  /** The meaning holds where the words come with each of these parameters; empty: always. */
  params: Readonly<Record<string, unknown>>
  /** The team's own names for the supplied values, beside the names of this product. */
  gives: Readonly<Record<string, Value>>
}

/** The meanings of {@link normalized} words. Of several, the first whose parameters are present counts. */
export type Meanings = ReadonlyMap<string, readonly Meaning[]>

/** Normalizes words for comparison: neither capital letters nor spaces count. */
export function normalized(words: string): string {
  return words.trim().replace(/\s+/g, ' ').replace(/ ?, ?/g, ', ').toLowerCase()
}

/**
 * Interprets a provider state.
 * @returns its meaning, with no state where it needs nothing; or a sentence on why it has none
 */
export function meaningOf(
  { name, params }: ProviderState,
  meanings: Meanings,
): { state: State | undefined; gives: Meaning['gives'] } | string {
  const words = normalized(name)
  const own = meanings.get(words)
  const found = own?.find(meaning =>
    Object.entries(meaning.params).every(([key, value]) => Object.hasOwn(params, key) && isSame(params[key], value)),
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

/** Compares parameters as written: `1` of a YAML file equals `"1"` of a contract. */
function isSame(given: unknown, wanted: unknown): boolean {
  const isPlain = (value: unknown) => typeof value !== 'object' || value === null
  return isPlain(given) && isPlain(wanted) ? String(given) === String(wanted) : isDeepStrictEqual(given, wanted)
}

/** Describes a provider state in a report. */
export function wordsOf({ name, params }: ProviderState): string {
  const told = Object.entries(params).map(
    ([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return told.length ? `${name} (${told.join(', ')})` : name
}
