/** What a cause is, as a row of the table, and what it is judged by. */
import type { HistoryEntry, KnownHabits } from '../../../result.js'
import type { Contradiction, ContradictionKind } from '../contradictions.js'
import { isPossible, type Lifetime, type TokenLife } from '../lives.js'

/** What the causes are judged by. */
export interface Evidence {
  history: readonly HistoryEntry[]
  lives: readonly TokenLife[]
  /** What no earlier row explains. */
  contradictions: readonly Contradiction[]
  lifetime: Lifetime
  /** What the run found out about this Core by other means. */
  known: KnownHabits
}

/** One row of the table of causes. */
export interface Cause {
  /** Its name, for `explain`: lower-case words with hyphens. */
  name: string
  /** The requirement that it breaks; absent: the reference allows it. */
  accuses?: string
  /** Whether it ends tokens for the time that has passed alone. */
  isOfTime?: true
  /** What the judge looks for in the history. */
  looksFor: string
  /** The cause in a sentence without its full stop. */
  words: string
  /** What it explains, in words. */
  explains: string
  /** What would be seen next, if it is the cause. */
  predicts: string
  /** Returns the contradictions that it explains. */
  find(evidence: Evidence): readonly Contradiction[]
}

/** What shows that a token was refused that should be valid. */
export const REFUSED_TOKENS: readonly ContradictionKind[] = ['died', 'came back', 'dead at birth']

/** Returns the contradictions of these kinds. */
export function of({ contradictions }: Evidence, ...kinds: readonly ContradictionKind[]): Contradiction[] {
  return contradictions.filter(({ kind }) => kinds.includes(kind))
}

/** Returns the logons with right credentials, in the order of sending. */
export function logons(history: readonly HistoryEntry[]): HistoryEntry[] {
  return history.filter(({ kind }) => kind === 'logon').sort((a, b) => a.sentAt - b.sentAt)
}

/** Counts the tokens that may have been alive while a request was under way, with those of lost answers. */
export function mostHeld(at: HistoryEntry, { history, lives, lifetime }: Evidence): number {
  const lost = logons(history).filter(({ sentAt, status }) => status === undefined && sentAt <= at.receivedAt)
  return lives.filter(life => isPossible(life, at, lifetime)).length + lost.length
}

/** Returns the plain uses of a token. */
export function usesOf(token: string | undefined, { lives }: Evidence): readonly HistoryEntry[] {
  return lives.find(life => life.token === token)?.uses ?? []
}
