/**
 * Brings the results of earlier versions of this suite to the shape of today, so that a firmware can be compared with one
 * that was tested long ago. Files of each shape are in `test/fixtures/results/older/`.
 */
import { OUTCOMES } from '../result.js'

/** An object of a result that nothing is known of yet. */
type Part = Record<string, unknown>

/** Each shape of format 1 after the first: whether a result is from before it, and what it says in the shape. Oldest first. */
const STEPS: { isBefore(result: Part): boolean; upgrade(result: Part): Part }[] = [
  {
    // There was no plan, nobody could bound the tokens or measure the lifetime, and no run could be detached.
    isBefore: ({ plan, configuration, dialect, counts }) =>
      plan === undefined &&
      lacks(configuration, 'maxTokens', 'measureLifetime') &&
      lacks(dialect, 'lifetime') &&
      lacks(counts, 'pending'),
    upgrade: result => ({
      ...result,
      configuration: { ...part(result.configuration), maxTokens: null, measureLifetime: false },
      plan: { specs: part(result.counts).selected, durationMs: 0, unlimitedMs: 0, oneByOneMs: 0, tokens: 0, lanes: [] },
      dialect: { ...part(result.dialect), lifetime: null },
      counts: { ...part(result.counts), pending: 0 },
    }),
  },
  {
    // There was no baseline.
    isBefore: ({ counts }) => lacks(counts, 'known failure', 'unexpected pass'),
    upgrade: ({ counts, ...result }) => ({
      ...result,
      counts: inOrder({ ...part(counts), 'known failure': 0, 'unexpected pass': 0 }),
    }),
  },
]

/**
 * A result as this version would have written it; one of today, or what is none, comes back as it is. A file that lacks
 * only a part of what an earlier version did not know is of no version, and left to be refused.
 * @param value parsed JSON of the format `RESULT_SCHEMA_VERSION`
 */
export function upgraded(value: Part): Part {
  return STEPS.reduce((result, { isBefore, upgrade }) => (isBefore(result) ? upgrade(result) : result), value)
}

function part(value: unknown): Part {
  return typeof value === 'object' && value !== null ? (value as Part) : {}
}

function lacks(value: unknown, ...keys: string[]): boolean {
  return typeof value === 'object' && value !== null && keys.every(key => !Object.hasOwn(value, key))
}

/** Counts in the order of the outcomes, as they are written today. */
function inOrder(counts: Part): Part {
  return Object.fromEntries(['selected', ...OUTCOMES].flatMap(key => (key in counts ? [[key, counts[key]]] : [])))
}
