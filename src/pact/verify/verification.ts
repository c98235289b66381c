/** The result of verifying contracts. */
import type { RunResult } from '../../result.js'

/**
 * The result of verifying: `conformant` means that every contract holds. A spec stands for an interaction, an area for a
 * contract.
 */
export type Verification = Pick<
  RunResult,
  | 'target'
  | 'startedAt'
  | 'durationMs'
  | 'time'
  | 'verdict'
  | 'reason'
  | 'advice'
  | 'counts'
  | 'tokens'
  | 'notices'
  | 'specs'
>

/** Longest text in a report, in characters: enough to recognise it. The answer of a Core may have any length. */
const SHOWN_CHARACTERS = 4096

/** Copies a value. Redacts every text first and shortens it then. Leaves the words of this format alone. */
export function redacted<T>(value: T, redact: (text: string) => string): T {
  if (typeof value === 'string') return shortened(redact(value)) as T
  if (Array.isArray(value)) return value.map(item => redacted(item, redact)) as T
  if (!value || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, OWN_WORDS.has(key) ? item : redacted(item, redact)]),
  ) as T
}

const OWN_WORDS = new Set(['verdict', 'kind', 'outcome', 'httpVersion', 'level', 'startedAt'])

function shortened(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}
