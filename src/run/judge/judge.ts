/** Judges a history: what contradicts the reference, what explains it, and what stays in doubt. Pure. */

import { duration } from '../../duration.js'
import { count, numbered } from '../../ground/count.js'
import { grouped } from '../../ground/grouped.js'
import type { Doubt, HistoryEntry, KnownHabits } from '../../result.js'
import type { Cause } from './causes/cause.js'
import { CAUSES } from './causes.js'
import { type Contradiction, contradictionsOf } from './contradictions.js'
import { type Lifetime, livesOf } from './lives.js'

/** A contradiction with its cause. */
export interface Judged {
  contradiction: Contradiction
  cause: Cause
}

/** Finds every exchange that the reference does not allow, with the first cause that explains it. */
export function judgeHistory(history: readonly HistoryEntry[], lifetime: Lifetime, known: KnownHabits): Judged[] {
  const lives = livesOf(history)
  let contradictions: readonly Contradiction[] = contradictionsOf(history, lives, lifetime, known.earlier)
  const judged: Judged[] = []
  for (const cause of CAUSES) {
    if (!contradictions.length) break
    const explained = new Set(cause.find({ history, lives, contradictions, lifetime, known }))
    judged.push(...[...explained].map(contradiction => ({ contradiction, cause })))
    contradictions = contradictions.filter(each => !explained.has(each))
  }
  return judged.sort((a, b) => a.contradiction.entry.sentAt - b.contradiction.entry.sentAt)
}

/** Returns a doubt for each requirement that a cause accuses, with one example. */
export function doubtsFrom(judged: readonly Judged[]): Doubt[] {
  const accusing = judged.filter(({ cause }) => cause.accuses !== undefined)
  return [...grouped(accusing, ({ cause }) => cause.accuses ?? '')]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([requirement, [first, ...others]]) => ({
      requirement,
      text: `${first ? told(first) : ''}${others.length ? `; so ${numbered(others.length, 'was', 'were')} ${count(others.length, 'other')}` : ''}`,
    }))
}

/** Says in a sentence what was seen. */
function told({ contradiction: { entry, before }, cause: { words } }: Judged): string {
  return `${words} (${entry.told}, ${when(entry)}${before ? `; before that ${before.told}, ${when(before)}` : ''})`
}

/** Says when something happened: `12.3 s after the start of the run`. */
function when({ sentAt }: HistoryEntry): string {
  return `${duration(sentAt)} after the start of the run`
}

/** Returns when all tokens were lost, where a restart explains something; on the clock of the run, in milliseconds. */
export function lossIn(judged: readonly Judged[]): { fromMs: number; untilMs: number } | undefined {
  const lost = judged.flatMap(({ contradiction, cause }) => (cause.name === 'restart' ? [contradiction] : []))
  const [first] = lost
  if (!first) return undefined
  const untilMs = first.entry.receivedAt
  const alive = lost.map(({ before }) => before?.sentAt ?? 0).filter(ms => ms < untilMs)
  return { fromMs: Math.max(0, ...alive), untilMs }
}
