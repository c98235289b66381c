/** Judges a history: what contradicts the reference, what explains it, and what stays in doubt. Pure. */

import { count, numbered } from '../../ground/count.js'
import type { Doubt } from '../../result.js'
import type { HistoryEntry } from '../history.js'
import { CAUSES, type Cause, type KnownHabits, when } from './causes.js'
import {
  type Contradiction,
  type ContradictionKind,
  contradictionsOf,
  type Lifetime,
  livesOf,
} from './contradictions.js'

/** A contradiction with what explains it; `cause` is absent where nothing does. */
export interface Judged {
  contradiction: Contradiction
  cause?: Cause
}

/** Finds every exchange that the reference does not allow, with the first cause that explains it. */
export function judgeHistory(history: readonly HistoryEntry[], lifetime: Lifetime, known: KnownHabits): Judged[] {
  const lives = livesOf(history)
  const contradictions = contradictionsOf(history, lives, lifetime)
  if (!contradictions.length) return []
  const evidence = { history, lives, contradictions, known }
  const explained = CAUSES.map(cause => ({ cause, those: new Set(cause.find(evidence)) }))
  return contradictions.map(contradiction => {
    const found = explained.find(({ those }) => those.has(contradiction))
    return { contradiction, ...(found && { cause: found.cause }) }
  })
}

/** Returns a doubt for each requirement that something unexplained speaks against, with one example. */
export function doubtsFrom(judged: readonly Judged[], history: readonly HistoryEntry[]): Doubt[] {
  const open = judged.filter(({ cause }) => !cause).map(({ contradiction }) => contradiction)
  const byRequirement = new Map<string, Contradiction[]>()
  for (const each of open) {
    const requirement = requirementOf(each, history)
    byRequirement.set(requirement, [...(byRequirement.get(requirement) ?? []), each])
  }
  return [...byRequirement]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([requirement, [first, ...others]]) => ({
      requirement,
      text: `${first ? told(first) : ''}${others.length ? `; so ${numbered(others.length, 'was', 'were')} ${count(others.length, 'other')}` : ''}`,
    }))
}

/** The requirement that a contradiction speaks against, where nothing else was seen. */
function requirementOf({ kind, entry, before }: Contradiction, history: readonly HistoryEntry[]): string {
  if (kind !== 'died') return REQUIREMENTS[kind]
  const between = history.filter(
    ({ sentAt, receivedAt }) => receivedAt >= (before?.receivedAt ?? 0) && sentAt <= entry.sentAt,
  )
  const has = (...kinds: HistoryEntry['kind'][]) => between.some(each => kinds.includes(each.kind))
  const isRevoked = has('revocation')
  const isLoggedOn = has('logon', 'wrong logon')
  // With both, or neither, only the end of the token is certain.
  return isRevoked === isLoggedOn ? 'IDLE-3' : isRevoked ? 'REVOKE-2' : 'LOGON-4'
}

const REQUIREMENTS: Record<Exclude<ContradictionKind, 'died'>, string> = {
  'logon refused': 'LOGON-1',
  'dead at birth': 'LOGON-1',
  'came back': 'ACCESS-2',
  'kept alive': 'REVOKE-1',
}

/** Says in a sentence what was seen. */
function told({ kind, entry, before }: Contradiction): string {
  const seen = `${entry.told}, ${when(entry)}`
  switch (kind) {
    case 'logon refused':
      return `a logon with the right credentials was refused (${seen}), and nothing that the run saw explains it`
    case 'dead at birth':
      return `a token that a logon had just issued was refused (${seen})`
    case 'died':
      return `a token was refused (${seen}) that had been accepted ${before ? when(before) : 'before'}, and that nobody had revoked`
    case 'came back':
      return `a valid token was refused (${seen}), and accepted again later`
    case 'kept alive':
      return `a token was accepted (${seen}) after a revocation that was answered with success`
  }
}

/** Returns when all tokens were lost, where a restart explains something; on the clock of the run, in milliseconds. */
export function lossIn(judged: readonly Judged[]): { fromMs: number; untilMs: number } | undefined {
  const lost = judged.flatMap(({ contradiction, cause }) => (cause?.name === 'restart' ? [contradiction] : []))
  const [first] = lost
  if (!first) return undefined
  const untilMs = first.entry.receivedAt
  const alive = lost.map(({ before }) => before?.sentAt ?? 0).filter(ms => ms < untilMs)
  return { fromMs: Math.max(0, ...alive), untilMs }
}
