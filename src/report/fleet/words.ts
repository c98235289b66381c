/** What the reports of a fleet say alike. */
import type { Pattern } from '../../fleet/patterns.js'
import type { CoreChange, Fleet, FleetCore } from '../../fleet/types.js'
import { count } from '../../ground/count.js'
import { OUTCOMES, USUAL } from '../../result.js'
import { SCOPE_KINDS, type ScopeWord, scopeWords } from '../../scope.js'
import { countedAs } from '../words.js'

/** So many Cores are named in a sentence. */
const MOST_NAMED = 6

/** `lab-1, lab-2 and 3 more`. */
export function namesText(names: readonly string[], most = MOST_NAMED): string {
  if (names.length <= most) return names.join(', ')
  return `${names.slice(0, most).join(', ')} and ${names.length - most} more`
}

/** What came of the specs of a Core, without what is as it should be: `2 failed, 1 blocked`, or `152 passed`. */
export function countsText({ counts }: Pick<FleetCore, 'counts'>): string {
  const wrong = OUTCOMES.filter(outcome => !['passed', 'observed', 'skipped'].includes(outcome) && counts[outcome] > 0)
  if (wrong.length) return wrong.map(outcome => countedAs(counts[outcome], outcome)).join(', ')
  return counts.passed ? `${counts.passed} passed` : 'nothing tested'
}

/** `everywhere: all 50 Cores`, `on one Core only: lab-3`, `on 4 of 50 Cores, all those of firmware 4.2.0: lab-1, …`. */
export function spreadText({ spread, cores, judged, shared }: Pattern): string {
  const names = namesText(cores.map(({ name }) => name))
  if (spread === 'everywhere') return `on all ${count(cores.length, 'Core')} that were judged`
  const which = shared.length ? `, those of ${shared.join(' and ')} and no other` : ''
  if (spread === 'one') return `on one only: ${names}${judged > 1 ? ` (${judged} judged)` : ''}`
  return `on ${cores.length} of ${judged} that were judged${which}: ${names}`
}

/** A change in one sentence. */
export function changeText({ kind, was, is, requirement = '', specs = [] }: CoreChange): string {
  const by = specs.length ? ` (${namesText(specs)})` : ''
  switch (kind) {
    case 'added':
      return `is new, and ${is}`
    case 'gone':
      return `was ${was}, and is not in this fleet`
    case 'verdict':
      return `was ${was}, and is ${is}`
    case 'firmware':
      return `had firmware ${was ?? 'that was not told'}, and has ${is ?? 'one that is not told'}`
    case 'fails now':
      return `fails ${requirement} now${by}`
    case 'mended':
      return `meets ${requirement} again${by}`
  }
}

/** So many values of one kind are told of a fleet, such as lifetimes. */
const MOST_VALUES = 3

/**
 * What the verdicts of a fleet are to be read with, in the words of the reports of one Core, each with how many Cores it is of where
 * it is not of all that were tested; empty where all is as usual.
 */
export function conditionsText({ cores, shard }: Pick<Fleet, 'cores' | 'shard'>): string {
  const tested = cores.filter(({ verdict }) => verdict !== 'untestable')
  const words = tested.flatMap(core => wordsOf(core).map(word => ({ ...word, core })))
  const kinds = SCOPE_KINDS.flatMap(kind => {
    const own = words.filter(word => word.kind === kind)
    if (own.length === 0) return []
    const whose = own.length === tested.length ? '' : ` (${own.length} of ${count(tested.length, 'Core')})`
    const texts = [...new Set(own.map(({ text }) => text))]
    const told = together(
      kind,
      texts,
      own.map(({ core }) => core),
    )
    return [`${told}${whose}`]
  })
  return [...(shard ? [`shard ${shard.number} of ${shard.total}`] : []), ...kinds].join(', ')
}

/** A Core without a result has its settings alone. */
function wordsOf({ configuration, scope, counts }: FleetCore): ScopeWord[] {
  if (scope) return scopeWords(configuration, scope)
  const known = counts['known failure']
  const words = scopeWords(configuration, { judged: 0, specs: 0, known, idleTolerance: USUAL.idleTolerance })
  return words.flatMap(word => {
    if (word.kind !== 'part') return word
    return configuration.only.length > 0 ? { ...word, text: 'a selection of the specs' } : []
  })
}

/** Words of one kind, of many Cores. */
function together(kind: ScopeWord['kind'], texts: readonly string[], cores: readonly FleetCore[]): string {
  if (kind === 'known')
    return `with ${count(
      cores.reduce((sum, { counts }) => sum + counts['known failure'], 0),
      'known failure',
    )}`
  const scopes = cores.flatMap(({ scope }) => scope ?? [])
  if (kind === 'part' && texts.length > 1 && scopes.length === cores.length) {
    const judged = scopes.map(scope => scope.judged)
    const specs = Math.max(...scopes.map(scope => scope.specs))
    return `${Math.min(...judged)} to ${Math.max(...judged)} of ${count(specs, 'spec')}`
  }
  return namesText(texts, MOST_VALUES)
}

/** The firmware and the labels of a Core, in a few words. */
export function traitsText({ firmware, labels = {} }: Pick<FleetCore, 'firmware' | 'labels'>): string {
  return [...(firmware === undefined ? [] : [firmware]), ...Object.values(labels)].join(', ')
}
