/** What changed of the facts of two runs. */
import type { Fact, Facts } from '../result.js'
import { bodyChanges, headerChanges } from './answers.js'
import { parts } from './names.js'
import type { Change, NotCompared } from './types.js'
import { withoutEchoes } from './without-echoes.js'

/** What changed of the facts of two runs, by name, and what only one of them knows. */
export function factChanges(was: Facts, is: Facts): { changes: Change[]; notCompared: NotCompared[] } {
  const changes: Change[] = []
  const missing = new Map<string, string>()
  for (const name of [...new Set([...Object.keys(was), ...Object.keys(is)])].sort()) {
    const [before, now] = [seen(was, name), seen(is, name)]
    const { first, last } = parts(name)
    const statuses = [seen(was, `${first}.status`), seen(is, `${first}.status`)]
    if (before === undefined || now === undefined) {
      const isWithin = statuses.every(status => status !== undefined)
      // The status tells that there was no answer; of such a one there is nothing else to tell.
      if (!isWithin) missing.set(first, `only the ${now === undefined ? 'earlier' : 'later'} run observed it`)
      continue
    }
    // What was refused and is accepted has another answer altogether: its status says so.
    const isOfAnother = last !== 'status' && sortOf(statuses[0]) !== sortOf(statuses[1])
    if (before !== now && !isOfAnother) changes.push(...changesOf(name, before, now))
  }
  const notCompared = [...missing].map(([subject, why]) => ({ kind: 'fact' as const, subject, why }))
  return { changes: withoutEchoes(changes, was, is), notCompared }
}

/** What of the facts can be compared although the runs were configured differently, and what that leaves out. */
export function comparable(
  [was, is]: [Facts, Facts],
  reason: string,
  isComparable: (name: string) => boolean,
): { facts: [Facts, Facts]; notCompared: NotCompared[] } {
  const only = (facts: Facts) => Object.fromEntries(Object.entries(facts).filter(([name]) => isComparable(name)))
  const left = [...Object.keys(was), ...Object.keys(is)].filter(name => !isComparable(name))
  const subjects = [...new Set(left.map(name => parts(name).first))].sort()
  return {
    facts: [only(was), only(is)],
    notCompared: subjects.map(subject => ({ kind: 'fact', subject, why: reason })),
  }
}

/** A fact. What got no answer has that for its status. */
function seen(facts: Facts, name: string): Fact | undefined {
  const { first, last } = parts(name)
  const none = last === 'status' ? facts[`${first}.answer`] : undefined
  if (last === 'answer' && first !== last) return undefined
  return none === undefined ? facts[name] : `no answer (${none})`
}

function sortOf(status: Fact | undefined): 'accepted' | 'refused' | 'other' {
  if (typeof status !== 'number') return 'other'
  return status < 400 ? 'accepted' : 'refused'
}

function changesOf(name: string, was: Fact, is: Fact): Change[] {
  switch (parts(name).last) {
    case 'headers':
      return headerChanges(name, String(was), String(is))
    case 'body':
      return bodyChanges(name, String(was), String(is))
    default:
      return [{ kind: 'fact', subject: name, was, is }]
  }
}
