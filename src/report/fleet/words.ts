/** Makes the texts that the reports of a fleet share. */

import type { Pattern } from '../../fleet/patterns.js'
import type { CoreChange, Fleet, FleetCore } from '../../fleet/types.js'
import { count, listed } from '../../ground/count.js'
import { grouped } from '../../ground/grouped.js'
import { countedAs, verdictPhrase } from '../../result/outcomes.js'
import { SCOPE_KINDS, type ScopeWord, scopeWords, verdictWith } from '../../result/scope.js'
import { OUTCOMES, USUAL, type Verdict } from '../../result.js'
import { requirementAnchor } from '../words.js'

/**
 * Counts the specs of a Core, with the outcomes that need attention: `147 of 209 specs judged, 14 failed, 1 blocked`; if there are
 * none, `148 of 209 specs judged, none failed`.
 */
export function countsText({ counts, scope }: FleetCore): string {
  const wrong = OUTCOMES.filter(outcome => !['passed', 'observed', 'skipped'].includes(outcome) && counts[outcome] > 0)
  if (!wrong.length && !counts.passed) return 'nothing tested'
  const told = wrong.length ? wrong.map(outcome => countedAs(counts[outcome], outcome)).join(', ') : 'none failed'
  if (!scope) return `${told} of ${count(counts.selected, 'selected spec')}`
  return `${scope.judged} of ${count(scope.specs, 'spec')} judged, ${told}`
}

/** Says on which Cores a requirement fails: `on all 50 Cores that were judged`, `on a single Core of the 50 that were judged: lab-3`. */
export function spreadText({ spread, cores, judged, shared }: Pattern): string {
  const names = listed(cores.map(({ name }) => name))
  if (spread === 'everywhere') return `on all ${count(cores.length, 'Core')} that were judged`
  const which = shared.length ? `, those of ${shared.join(' and ')} and no other` : ''
  if (spread === 'one')
    return judged > 1 ? `on a single Core of the ${judged} that were judged: ${names}` : `on ${names}`
  return `on ${cores.length} of ${judged} that were judged${which}: ${names}`
}

/** Says a change in one sentence, without its subject, the Core. */
export function changeText({ kind, was, is, requirement = '', specs = [], fact = '', seen }: CoreChange): string {
  const by = specs.length ? ` (${listed(specs)})` : ''
  const [then, isNow] = [verdictPhrase(was as Verdict), verdictPhrase(is as Verdict)]
  const before = then.replace(/^is/, 'was').replace(/^has/, 'had')
  switch (kind) {
    case 'added':
      return `is new, and ${isNow}`
    case 'gone':
      return `${before}, and is not in this fleet`
    case 'verdict':
      return `${before}, and ${isNow}`
    case 'firmware':
      return `had firmware ${was ?? 'that was not told'}, and has ${is ?? 'one that is not told'}`
    case 'fails now':
      return `fails ${requirement} now${by}`
    case 'opened':
      return `accepts what it refused before: ${fact} was ${was}, and is ${is}`
    case 'in doubt':
      return `puts ${requirement} in doubt, which was ${was}${seen === undefined ? '' : `: ${seen}`}`
    case 'fixed':
      return `meets ${requirement} again${by}`
  }
}

/** Most values of one kind that are named, such as lifetimes. */
const MOST_VALUES = 3

/**
 * Lists the limits of a fleet's verdicts, in the words of the reports of one Core. A limit that is not that of all tested Cores
 * names their number. Empty where there are no limits.
 */
export function limitsOf({ cores, shard }: Fleet): string[] {
  const tested = cores.filter(({ verdict }) => verdict !== 'untestable')
  const words = tested.flatMap(core => wordsOf(core).map(word => ({ ...word, core })))
  const kinds = SCOPE_KINDS.flatMap(kind => {
    const own = words.filter(word => word.kind === kind)
    if (own.length === 0) return []
    const whose = own.length === tested.length ? '' : ` (${own.length} of ${count(tested.length, 'Core')})`
    return [`${together(kind, own)}${whose}`]
  })
  return [...(shard ? [`shard ${shard.number} of ${shard.total}`] : []), ...kinds]
}

/**
 * Says the verdict of one Core in a fleet with its doubts: `conformant, ACCESS-1 in doubt`. Its other limits, most of which all Cores
 * share, stand with the verdict of the fleet.
 */
export function coreVerdict(core: FleetCore): string {
  const limits = core.verdict === 'untestable' ? [] : wordsOf(core)
  const doubts = limits.flatMap(({ kind, text }) => (kind === 'doubt' ? [text] : []))
  return verdictWith(core.verdict, doubts)
}

/** Lists the limits of one Core. Without a result they follow from its settings alone. */
function wordsOf({ configuration, scope, counts }: FleetCore): ScopeWord[] {
  if (scope) return scopeWords(configuration, scope)
  const known = counts['known failure']
  const words = scopeWords(configuration, { judged: 0, specs: 0, known, idleTolerance: USUAL.idleTolerance })
  return words.flatMap(word => {
    if (word.kind !== 'part') return word
    return configuration.only.length > 0 ? { ...word, text: 'a selection of the specs' } : []
  })
}

function together(kind: ScopeWord['kind'], own: readonly { text: string; core: FleetCore }[]): string {
  const texts = [...new Set(own.map(({ text }) => text))]
  const known = own.reduce((sum, { core }) => sum + core.counts['known failure'], 0)
  if (kind === 'known') return `with ${count(known, 'known failure')}`
  // A Core without a result has none.
  const scopes = own.flatMap(({ core }) => core.scope ?? [])
  if (kind === 'part' && texts.length > 1 && scopes.length > 0) {
    const judged = scopes.map(scope => scope.judged)
    const specs = Math.max(...scopes.map(scope => scope.specs))
    const [fewest, most] = [Math.min(...judged), Math.max(...judged)]
    return `${fewest === most ? most : `${fewest} to ${most}`} of ${count(specs, 'spec')} judged`
  }
  return listed(texts, MOST_VALUES)
}

/** Says each doubt of a fleet once, with its Cores: `ACCESS-1 is in doubt on lab-1, lab-2: GET /x answers 200 without a token`. */
export function doubtTexts({ cores }: Fleet): string[] {
  const told = cores.flatMap(({ name, doubts = [] }) => doubts.map(doubt => ({ name, ...doubt })))
  return [...grouped(told, ({ requirement, text }) => `${requirement}\n${text}`).values()].map(own => {
    const [{ requirement, text }] = own
    return `${requirement} is in doubt on ${listed(own.map(({ name }) => name))}: ${text}`
  })
}

/** Lists what a reader of a fleet must know beside its verdicts: the doubts, then the notices, with the events on its Cores. */
export function toKnow(fleet: Fleet): string[] {
  return [...doubtTexts(fleet), ...fleet.notices]
}

/** Returns the address of a Core's page, relative to the page of the fleet; undefined where there is none. */
export function pageOf({ name, hasResult }: FleetCore, requirement?: string): string | undefined {
  if (!hasResult) return undefined
  const anchor = requirement === undefined ? undefined : requirementAnchor(requirement)
  return `${encodeURIComponent(name)}/report.html${anchor === undefined ? '' : `#${anchor}`}`
}
