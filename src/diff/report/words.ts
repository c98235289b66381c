/** Makes the texts that the reports of a diff share. */

import { duration } from '../../duration.js'
import { count } from '../../ground/count.js'
import { grouped } from '../../ground/grouped.js'
import type { Outcome } from '../../result.js'
import { parts } from '../compare-facts.js'
import { byId, isUnfinished } from '../diff.js'
import {
  CONSEQUENCES,
  type Comparison,
  type Consequence,
  type Diff,
  type Difference,
  type NotCompared,
} from '../types.js'

/** A change as reports show it: one difference, or several facts that changed alike. */
export type ShownChange = ReturnType<typeof shownChanges>[number]

/** Merges differences that are alike. */
export function shownChanges({ matrix }: Diff, { differences }: Comparison) {
  const means = new Map(matrix.map(({ requirement, consequence }) => [requirement, consequence]))
  const groups = grouped([...differences].sort(byRequirement), difference => `${difference.rule}\n${keyOf(difference)}`)
  return [...groups.values()].map(group => {
    const [first] = group
    const { consequence, kind, rule, is, requirements = [], meaning } = first
    const meant = kind === 'failure' ? (meaning ?? means.get(requirements[0] ?? '')) : undefined
    return {
      consequence,
      kind,
      /** The change, such as `status 401 → 403`; for a spec its title. */
      what: whatOf(first),
      /** The first parts of the changed facts, or the id of the spec; empty for a change of the whole Core. */
      of: ofCore.has(kind) ? [] : group.map(({ subject }) => (isOfGroup(first) ? parts(subject).first : subject)),
      /** What was seen, of a spec that fails now or of a requirement that came into doubt. */
      seen: kind === 'failure' || rule === 'acceptance-seen' ? String(is) : undefined,
      requirements,
      /** What the change means for clients. For a failed spec, the meaning of what it saw, or of its first requirement. */
      why: meant ?? first.why,
    }
  })
}

/** Sorts failed and fixed specs by their requirements. Leaves all other differences in their order. */
function byRequirement(a: Difference, b: Difference): number {
  if (a.kind !== b.kind || (a.kind !== 'failure' && a.kind !== 'fixed')) return 0
  return byId.compare(a.requirements?.[0] ?? '', b.requirements?.[0] ?? '')
}

/** The kinds of changes that concern the whole Core, so they need no further name. */
const ofCore: ReadonlySet<Difference['kind']> = new Set(['lifetime', 'certificate'])

function isOfGroup({ kind, subject }: Difference): boolean {
  return kind === 'header' || kind === 'field' || (kind === 'fact' && subject.includes('.') && !isAlone(subject))
}

/** Whether a fact of the survey is about the Core, not about one answer. */
function isAlone(subject: string): boolean {
  return /^(token\.|http\.|sessions$)/.test(subject)
}

function keyOf(difference: Difference): string {
  const { kind, subject, is } = difference
  if (kind === 'doubt') return `${kind}\n${subject}\n${is}`
  return isOfGroup(difference) ? `${kind}\n${parts(subject).last}\n${whatOf(difference)}` : `${kind}\n${subject}`
}

function whatOf({ kind, subject, part = '', was, is }: Difference): string {
  switch (kind) {
    case 'failure':
    case 'fixed':
      return part
    case 'doubt':
      return was === 'in doubt' && is !== 'met'
        ? 'in doubt, now for another reason too'
        : `${was} → ${is === 'met' ? is : 'in doubt'}`
    case 'header':
      return `header ${part} ${is === null ? 'gone' : 'added'}`
    case 'field': {
      const field = part === '' ? 'body' : `field ${part}`
      if (was === null) return `${field} added (${is})`
      return is === null ? `${field} gone (${was})` : `${field} ${was} → ${is}`
    }
    case 'lifetime':
      // A change of lifetimes has the two nearest bounds: how long a token was still valid, and when it had expired.
      return Number(is) < Number(was)
        ? `idle lifetime at least ${duration(Number(was))} → at most ${duration(Number(is))}`
        : `idle lifetime at most ${duration(Number(was))} → at least ${duration(Number(is))}`
    case 'certificate':
      return `certificate ${was} → ${is}`
    case 'fact':
      return `${isAlone(subject) ? '' : `${parts(subject).last} `}${was} → ${is}`
  }
}

/** Groups the things that were not compared by their reason. */
export function leftOpen(notCompared: NotCompared[]): { what: string; of: string[]; why: string }[] {
  const groups = grouped(notCompared, ({ kind, why }) => `${kind}\n${why}`)
  return [...groups.values()].map(group => {
    const [{ kind, why }] = group
    const what = count(group.length, kind === 'spec' ? 'spec' : 'observation')
    return { what, of: group.map(({ subject }) => subject), why }
  })
}

/** Sums up a comparison in one line, worst first: `2 breaking, 1 harmless; 133 specs compared`. */
export function countsText({ counts, compared }: Comparison): string {
  const some = CONSEQUENCES.filter(name => counts[name] > 0).map(name => `${counts[name]} ${name}`)
  if (!some.length && compared === 0) return 'nothing could be compared'
  return `${some.join(', ') || 'no differences'}; ${count(compared, 'spec')} compared`
}

/** Returns the worst consequence of all comparisons. Where none is breaking, also says whether the comparison is complete. */
export function worstOf(diff: Diff): Consequence | 'same' | 'not compared' | 'unfinished' {
  const { comparisons } = diff
  const found = CONSEQUENCES.find(name => comparisons.some(({ counts }) => counts[name] > 0))
  if (found === 'breaking') return found
  if (comparisons.some(({ compared }) => compared === 0)) return 'not compared'
  return isUnfinished(diff) ? 'unfinished' : (found ?? 'same')
}

/** The headline for each value of {@link worstOf}, and the outcome whose mark and colour it has. */
export const HEADLINES: Record<ReturnType<typeof worstOf>, { tone: Outcome; text: string }> = {
  breaking: { tone: 'failed', text: 'Breaking changes' },
  risky: { tone: 'blocked', text: 'Risky changes' },
  harmless: { tone: 'passed', text: 'Harmless changes only' },
  same: { tone: 'passed', text: 'No differences' },
  'not compared': { tone: 'inconclusive', text: 'Nothing could be compared' },
  unfinished: { tone: 'inconclusive', text: 'Nothing breaking seen, but a run is unfinished' },
}
