/** The words that the reports of a diff have in common. */

import { isUnfinished } from '../diff/diff.js'
import { parts } from '../diff/names.js'
import {
  type Cell,
  CONSEQUENCES,
  type Comparison,
  type Consequence,
  type Diff,
  type Difference,
  type NotCompared,
} from '../diff/types.js'
import { duration } from '../duration.js'
import { count } from '../ground/count.js'
import { grouped } from './grouped.js'

/** Differences that are one to a person: the same change of several facts. */
export interface Told {
  consequence: Consequence
  kind: Difference['kind']
  /** `status 401 → 403`, or of a spec its title. */
  what: string
  /** Whose: the first parts of the facts, or the id of the spec; empty for what is of the whole Core. */
  of: string[]
  /** What a spec that fails now has seen. */
  seen?: string
  requirements: string[]
  /** What it means for clients: of a spec that fails, what was seen, or what its first requirement says of that. */
  why: string
  rule: string
}

/** The differences, those that are alike in one. */
export function told({ matrix }: Pick<Diff, 'matrix'>, { differences }: Comparison): Told[] {
  const means = new Map(matrix.map(({ requirement, consequence }) => [requirement, consequence]))
  const groups = grouped([...differences].sort(byRequirement), difference => `${difference.rule}\n${keyOf(difference)}`)
  return [...groups.values()].flatMap(group => {
    const [first] = group
    if (!first) return []
    const { consequence, kind, rule, is, requirements = [], meaning } = first
    const meant = kind === 'failure' ? (meaning ?? means.get(requirements[0] ?? '')) : undefined
    return [
      {
        consequence,
        kind,
        what: whatOf(first),
        of: ofCore.has(kind) ? [] : group.map(({ subject }) => (isOfGroup(first) ? parts(subject).first : subject)),
        ...(kind === 'failure' && { seen: String(is) }),
        requirements,
        why: meant ?? first.why,
        rule,
      },
    ]
  })
}

/** Specs that fail or are mended by their requirements; all else as it stands. */
function byRequirement(a: Difference, b: Difference): number {
  if (a.kind !== b.kind || (a.kind !== 'failure' && a.kind !== 'mended')) return 0
  return requirementOrder.compare(a.requirements?.[0] ?? '', b.requirements?.[0] ?? '')
}

const requirementOrder = new Intl.Collator('en', { numeric: true })

/** What is named by its kind. */
const ofCore: ReadonlySet<Difference['kind']> = new Set(['lifetime', 'certificate'])

function isOfGroup({ kind, subject }: Difference): boolean {
  return (
    kind === 'header' || kind === 'field' || (kind === 'fact' && subject.split('.').length > 1 && !isAlone(subject))
  )
}

/** The facts of the survey are no matter of one answer. */
function isAlone(subject: string): boolean {
  return /^(token\.|http\.|sessions$)/.test(subject)
}

function keyOf(difference: Difference): string {
  const { kind, subject } = difference
  return isOfGroup(difference) ? `${kind}\n${parts(subject).last}\n${whatOf(difference)}` : `${kind}\n${subject}`
}

function whatOf({ kind, subject, part = '', was, is }: Difference): string {
  switch (kind) {
    case 'failure':
    case 'mended':
      return part
    case 'header':
      return `header ${part} ${is === null ? 'gone' : 'added'}`
    case 'field': {
      const field = part === '' ? 'body' : `field ${part}`
      if (was === null) return `${field} added (${is})`
      return is === null ? `${field} gone (${was})` : `${field} ${was} → ${is}`
    }
    case 'lifetime':
      // Bounds on both sides: unused for so long, a token was still valid, or had expired.
      return Number(is) < Number(was)
        ? `idle lifetime at least ${duration(Number(was))} → at most ${duration(Number(is))}`
        : `idle lifetime at most ${duration(Number(was))} → at least ${duration(Number(is))}`
    case 'certificate':
      return `certificate ${was} → ${is}`
    case 'fact':
      return `${isAlone(subject) ? '' : `${parts(subject).last} `}${was} → ${is}`
  }
}

/** What was not compared, those with one reason together. */
export function leftOpen(notCompared: NotCompared[]): { what: string; of: string[]; why: string }[] {
  const groups = grouped(notCompared, ({ kind, why }) => `${kind}\n${why}`)
  return [...groups.values()].flatMap(group => {
    const [first] = group
    if (!first) return []
    const noun = first.kind === 'spec' ? 'spec' : 'observation'
    return [{ what: count(group.length, noun), of: group.map(({ subject }) => subject), why: first.why }]
  })
}

/** The whole in one line, the worst first: `2 breaking, 1 harmless; 133 specs compared`. */
export function countsText({ counts, compared }: Comparison): string {
  const some = CONSEQUENCES.filter(name => counts[name] > 0).map(name => `${counts[name]} ${name}`)
  if (!some.length && compared === 0) return 'nothing could be compared'
  return `${some.join(', ') || 'no differences'}; ${count(compared, 'spec')} compared`
}

/** The worst that any comparison has; where there is nothing breaking, whether that can be relied on. */
export function worstOf(diff: Diff): Consequence | 'same' | 'not compared' | 'unfinished' {
  const { comparisons } = diff
  const found = CONSEQUENCES.find(name => comparisons.some(({ counts }) => counts[name] > 0))
  if (found === 'breaking') return found
  if (comparisons.some(({ compared }) => compared === 0)) return 'not compared'
  return isUnfinished(diff) ? 'unfinished' : (found ?? 'same')
}

/** Headlines by {@link worstOf}, each with its mark. */
export const HEADLINES: Record<ReturnType<typeof worstOf>, { mark: string; text: string }> = {
  breaking: { mark: '✗', text: 'Breaking changes' },
  risky: { mark: '!', text: 'Risky changes' },
  harmless: { mark: '✓', text: 'Harmless changes only' },
  same: { mark: '✓', text: 'No differences' },
  'not compared': { mark: '?', text: 'Nothing could be compared' },
  unfinished: { mark: '?', text: 'Nothing breaking seen, but a run is unfinished' },
}

/** The headline of a diff in one line. */
export function headline(diff: Diff): string {
  const { mark, text } = HEADLINES[worstOf(diff)]
  return `${mark} ${text}`
}

/** A cell of the matrix in few characters: `✗ 2 of 5`, of those judged; `✓ 4 of 5`, where one was not judged. */
export function cellText({ state, judged, total, failed }: Cell): string {
  const part = judged === total ? '' : ` of ${total}`
  switch (state) {
    case 'failed':
      return `✗ ${failed.length} of ${judged}`
    case 'in doubt':
      return failed.length > 0 ? `? ${failed.length} of ${judged}` : `? ${judged}${part}`
    case 'known failure':
      return `~ ${failed.length} of ${judged}`
    case 'passed':
      return `✓ ${judged}${part}`
    case 'observed':
      return `• ${judged}${part}`
    case 'not judged':
      return '–'
    case 'none':
      return ''
  }
}
