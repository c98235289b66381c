/** Compares the facts of two runs. */
import { statusIn } from '../result/opened.js'
import type { Fact, Facts } from '../result.js'
import { bodyChanges, headerChanges } from './answers.js'
import { parts } from './names.js'
import type { Change, NotCompared } from './types.js'
import { withoutEchoes } from './without-echoes.js'

/** Lists the facts that changed, sorted by name, and the groups of facts that only one run observed. */
export function factChanges(was: Facts, is: Facts): { changes: Change[]; notCompared: NotCompared[] } {
  const changes: Change[] = []
  const missing = new Map<string, string>()
  for (const name of [...new Set([...Object.keys(was), ...Object.keys(is)])].sort()) {
    const [before, now] = [seen(was, name), seen(is, name)]
    const { first, last } = parts(name)
    const statuses = [seen(was, `${first}.status`), seen(is, `${first}.status`)]
    if (before === undefined || now === undefined) {
      const isWithin = statuses.every(status => status !== undefined)
      // The status already says that there was no answer. Such an answer has no other facts.
      if (!isWithin) missing.set(first, `only the ${now === undefined ? 'earlier' : 'later'} run observed it`)
      continue
    }
    // An answer that turned from refused to accepted differs in everything: only its status is reported.
    const isOfAnother = last !== 'status' && sortOf(statuses[0]) !== sortOf(statuses[1])
    if (before !== now && !isOfAnother) changes.push(...changesOf(name, before, now))
  }
  const notCompared = [...missing].map(([subject, why]) => ({ kind: 'fact' as const, subject, why }))
  return { changes: withoutEchoes(changes, was, is), notCompared }
}

/**
 * Keeps the facts that can be compared although the runs were configured differently.
 * @param reason why the others cannot be compared, in words
 * @param isComparable takes the name of a fact
 * @returns the facts that are kept, and the groups that are left out
 */
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

/** Returns a fact; a status as {@link statusIn} has it, which `answer` is a part of. */
function seen(facts: Facts, name: string): Fact | undefined {
  const { first, last } = parts(name)
  if (last === 'answer' && first !== last) return undefined
  return last === 'status' && first !== last ? statusIn(facts, first) : facts[name]
}

function sortOf(status: Fact | undefined): 'accepted' | 'refused' | 'other' {
  if (typeof status === 'string') return status.startsWith('refused') ? 'refused' : 'other'
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
