import type { Fact, Facts, RunResult } from '../result.js'
import { parts } from './rules.js'
import { fieldsOf, isUnknown } from './shape.js'
import type { Change, NotCompared } from './types.js'

/** What the survey finds, with what a spec observes of the same: told once. */
const TWINS: Readonly<Record<string, string>> = {
  'access.accepted.status': 'access.status',
  'access.no-token.status': 'no-token.status',
  'access.unknown-token.status': 'unknown-token.status',
}

/** What changed of the facts of two runs, by name, and what only one of them knows. */
export function factChanges(was: Facts, is: Facts): { changes: Change[]; notCompared: NotCompared[] } {
  const changes: Change[] = []
  const missing = new Map<string, string>()
  for (const name of [...new Set([...Object.keys(was), ...Object.keys(is)])].sort()) {
    const [before, now] = [seen(was, name), seen(is, name)]
    const { first } = parts(name)
    if (before === undefined || now === undefined) {
      const isWithin = seen(was, `${first}.status`) !== undefined && seen(is, `${first}.status`) !== undefined
      // The status tells that there was no answer; of such a one there is nothing else to tell.
      if (!isWithin) missing.set(first, `only the ${now === undefined ? 'earlier' : 'later'} run observed it`)
    } else if (before !== now) changes.push(...changesOf(name, before, now))
  }
  const told = changes.filter(({ subject, was, is }) => {
    const twin = TWINS[subject]
    return !changes.some(other => other.subject === twin && other.was === was && other.is === is)
  })
  const notCompared = [...missing].map(([subject, why]) => ({ kind: 'fact' as const, subject, why }))
  return { changes: told, notCompared }
}

/** A fact. What got no answer has that for its status. */
function seen(facts: Facts, name: string): Fact | undefined {
  const { first, last } = parts(name)
  const none = last === 'status' ? facts[`${first}.answer`] : undefined
  if (last === 'answer' && first !== last) return undefined
  return none === undefined ? facts[name] : `no answer (${none})`
}

function changesOf(name: string, was: Fact, is: Fact): Change[] {
  const whole: Change[] = [{ kind: 'fact', subject: name, was, is }]
  const { last } = parts(name)
  if (last === 'headers') return headerChanges(name, String(was), String(is))
  return last === 'body' ? (fieldChanges(name, String(was), String(is)) ?? whole) : whole
}

function headerChanges(subject: string, was: string, is: string): Change[] {
  const [before, now] = [was, is].map(list => new Set(list.split(', ').filter(Boolean))) as [Set<string>, Set<string>]
  const gone = [...before].filter(name => !now.has(name))
  const come = [...now].filter(name => !before.has(name))
  return [
    ...gone.map((part): Change => ({ kind: 'header', subject, part, was: 'sent', is: null })),
    ...come.map((part): Change => ({ kind: 'header', subject, part, was: null, is: 'sent' })),
  ]
}

/** Undefined where one of the two is no JSON with fields, or another kind of it. */
function fieldChanges(subject: string, was: string, is: string): Change[] | undefined {
  const [before, now] = [fieldsOf(was), fieldsOf(is)]
  if (!before || !now || before.get('') !== now.get('')) return undefined
  const paths = [...new Set([...before.keys(), ...now.keys()])]
  return paths.flatMap((part): Change[] => {
    const [old, young] = [before.get(part) ?? null, now.get(part) ?? null]
    // An empty list tells nothing of its items.
    if (old === young || (old === null && isUnknown(before, part)) || (young === null && isUnknown(now, part)))
      return []
    const above = part.slice(0, Math.max(part.lastIndexOf('.'), part.lastIndexOf('[]')))
    // What went or came with all that is below it is told once.
    const isBelow = part !== '' && above !== '' && before.has(above) !== now.has(above)
    return isBelow ? [] : [{ kind: 'field', subject, part, was: old, is: young }]
  })
}

/** Whether the idle lifetime changed, as far as it was measured: the spans between alive and expired must not overlap. */
export function lifetimeChanges({ dialect: was }: RunResult, { dialect: is }: RunResult): Change[] {
  const [before, now] = [was.lifetime, is.lifetime]
  if (!before || !now) return []
  const give = (from: number, to: number): Change[] => [
    { kind: 'lifetime', subject: 'idle lifetime', was: from, is: to },
  ]
  if (now.expiredMs !== null && before.aliveMs !== null && now.expiredMs <= before.aliveMs) {
    return give(before.aliveMs, now.expiredMs)
  }
  if (now.aliveMs !== null && before.expiredMs !== null && now.aliveMs >= before.expiredMs) {
    return give(before.expiredMs, now.aliveMs)
  }
  return []
}
