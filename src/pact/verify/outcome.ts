/** Puts the findings of Pact's Verifier into plain words. */
import { parseJson } from '../../ground/json.js'

/** One difference between an answer and the contract. */
export interface Difference {
  /** The part of the answer. */
  text: string
  expected: string
  got: string
}

/** The beginning of the message about a pending interaction that does not hold. */
export const PENDING = 'it is pending, and does not hold'

/** The finding on one interaction. */
export type Verified = { differences: Difference[] } | { error: string }

interface Mismatch {
  type?: string
  key?: string
  path?: string
  expected?: unknown
  actual?: unknown
  mismatch?: string
}

interface Report {
  result?: boolean
  errors?: { mismatch?: { type?: string; message?: string; mismatches?: Mismatch[] } }[]
}

/**
 * Reads the report of the Verifier.
 * @param text the report, as JSON
 * @returns the differences, sorted, none where the contract holds; or why there is no verdict
 */
export function outcomeOf(text: string): Verified {
  const report = parseJson(text) as Report | null | undefined
  if (!report) return { error: 'Pact gave no result' }
  const errors = report.errors ?? []
  if (report.result === true && !errors.length) return { differences: [] }
  const differences = errors.flatMap(({ mismatch }) => mismatch?.mismatches ?? []).map(toDifference)
  if (differences.length) return { differences: distinct(differences) }
  const message = errors.map(({ mismatch }) => mismatch?.message).find(told => told)
  return { error: message ? `Pact could not verify it: ${withoutColor(message)}` : 'Pact gave no reason' }
}

/** The order of differences, the most decisive first. */
const PARTS = ['status', 'header', 'content type', 'body']

function distinct(differences: Difference[]): Difference[] {
  const rank = ({ text }: Difference) => PARTS.findIndex(part => text.startsWith(part))
  const key = ({ text, expected, got }: Difference) => [text, expected, got].join('\0')
  const unique = new Map(differences.map(difference => [key(difference), difference]))
  return [...unique.values()].sort((a, b) => rank(a) - rank(b) || (key(a) < key(b) ? -1 : 1))
}

function toDifference({ type = '', key, path, expected, actual, mismatch = '' }: Mismatch): Difference {
  const told = withoutColor(mismatch)
  switch (type) {
    case 'StatusMismatch': {
      const kind = / to be an? (.+)$/.exec(told)?.[1]
      return { text: 'status', expected: kind?.toLowerCase() ?? shown(expected), got: shown(actual) }
    }
    case 'HeaderMismatch':
      return { text: `header ${key ?? ''}`, expected: shown(expected), got: shown(actual) || 'no such header' }
    case 'BodyTypeMismatch':
      return { text: 'content type of the body', expected: shown(expected), got: shown(actual) || 'none' }
    case 'BodyMismatch':
      return bodyDifference(path ?? '$', told, expected, actual)
    default:
      return { text: type || 'answer', expected: shown(expected), got: told || shown(actual) }
  }
}

function bodyDifference(path: string, told: string, expected: unknown, actual: unknown): Difference {
  const text = path === '$' ? 'body' : `body at ${path}`
  const missing = /missing the following keys: (.+)$/s.exec(told)?.[1]
  if (missing) {
    const names = parseJson(String(actual))
    const got = `the fields ${(Array.isArray(names) && names.join(', ')) || 'of another value'}`
    return { text, expected: `the fields ${missing}`, got }
  }
  const wanted =
    /^(?:Type mismatch: )?Expected .* to (?:be )?(the same type as .+|an? .+|match .+|have .+|equal .+|include .+)$/s.exec(
      told,
    )?.[1]
  if (wanted) return { text, expected: wanted.replace(/^match /, 'a match of '), got: shown(actual) }
  return { text, expected: shown(expected) || 'no body', got: told || shown(actual) }
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return ''
  return withoutColor(typeof value === 'string' ? value : JSON.stringify(value))
}

function withoutColor(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return text.replace(/\u001b\[[0-9;]*m/g, '')
}
