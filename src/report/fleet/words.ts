/** What the reports of a fleet say alike. */
import { duration } from '../../duration.js'
import type { Pattern } from '../../fleet/patterns.js'
import type { CoreChange, Fleet, FleetCore } from '../../fleet/types.js'
import { count, numbered } from '../../ground/count.js'
import { OUTCOMES, USUAL } from '../../result.js'
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

/** What was not as it is when nothing is said: the selection, a lifetime, the profile; empty where all is as usual. */
export function conditionsText({ cores, shard }: Pick<Fleet, 'cores' | 'shard'>): string {
  const quick = cores.filter(({ configuration }) => configuration.profile === 'quick').length
  const some = cores.filter(({ configuration }) => configuration.only.length > 0).length
  const lifetimes = [...new Set(cores.map(({ configuration }) => configuration.idleLifetimeMs))].sort((a, b) => a - b)
  const whose = (number: number) =>
    number === cores.length ? '' : ` of ${number} ${numbered(number, 'Core', 'Cores')}`
  return [
    ...(shard ? [`shard ${shard.number} of ${shard.total}`] : []),
    ...(quick ? [`quick profile${whose(quick)}`] : []),
    ...(some ? [`a selection of the specs${whose(some)}`] : []),
    ...(lifetimes.some(ms => ms !== USUAL.idleLifetimeMs)
      ? [`at a lifetime of ${lifetimes.map(duration).join(', ')}`]
      : []),
  ].join(', ')
}

/** The firmware and the labels of a Core, in a few words. */
export function traitsText({ firmware, labels = {} }: Pick<FleetCore, 'firmware' | 'labels'>): string {
  return [...(firmware === undefined ? [] : [firmware]), ...Object.values(labels)].join(', ')
}
