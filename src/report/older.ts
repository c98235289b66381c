/**
 * Converts results of earlier versions of this suite to today's shape, so that old and new firmware can be compared. Files of
 * each shape are in `test/fixtures/results/older/`.
 */
import { OUTCOMES } from '../result.js'

/** An object in a result that was not checked yet. */
type Part = Record<string, unknown>

/** The shapes of format 1 after the first, oldest first: whether a result is older than the shape, and its conversion. */
const STEPS: { isBefore(result: Part): boolean; upgrade(result: Part): Part }[] = [
  {
    // This version had no plan, no limit of tokens, no measured lifetime and no detached run.
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
    // This version had no baseline.
    isBefore: ({ counts }) => lacks(counts, 'known failure', 'unexpected pass'),
    upgrade: ({ counts, ...result }) => ({
      ...result,
      counts: inOrder({ ...part(counts), 'known failure': 0, 'unexpected pass': 0 }),
    }),
  },
]

/**
 * Converts a result to the shape of this version. Returns a result of this version, and anything else, unchanged. A file that
 * lacks only some of an older version's missing fields belongs to no version: it stays unchanged, and the schema refuses it.
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

/** Sorts counts in the order of the outcomes, as this version writes them. */
function inOrder(counts: Part): Part {
  return Object.fromEntries(['selected', ...OUTCOMES].flatMap(key => (key in counts ? [[key, counts[key]]] : [])))
}
