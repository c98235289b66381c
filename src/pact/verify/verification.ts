/** What came of verifying contracts. */
import type { RunResult } from '../../result.js'

/** What came of verifying: `conformant` means that every contract holds. A spec is an interaction, an area a contract. */
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

/** So much of a text tells what it is; the answer of a Core may be of any length. */
const SHOWN_CHARACTERS = 4096

/** A copy with every text redacted and only then shortened, but for the words of this format. */
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
