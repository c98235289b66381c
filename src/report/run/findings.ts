/** Says what a run found out besides failures: what a baseline and pins say, and what was left open; as blocks. */

import { grouped } from '../../ground/grouped.js'
import { countedAs, isHindered, isJudged, MARKS, WORST_FIRST } from '../../result/outcomes.js'
import type { RunResult, SpecRecord } from '../../result.js'
import { type Block, type Line, list, marked, type Piece, section } from '../blocks.js'
import { alikeIn, blockedSinceOpen, seenBy } from '../causes.js'
import type { Standing } from '../requirements.js'
import { requirementAnchor, why } from '../words.js'
import { failures, type Href, MOST_ALIKE, namedAll, type Told, titled } from './failures.js'

function doubted(standings: readonly Standing[]): Block[] {
  const inDoubt = standings.filter(({ state }) => state === 'in doubt')
  const told = inDoubt.map(({ doubts, requirement: { id, evidence }, specs }): Line => {
    const showing = new Set(evidence.map(({ spec }) => spec))
    const seen = specs.filter(spec => showing.has(spec.id)).map(spec => `${seenBy(spec)} (${spec.id})`)
    const all = [...doubts, ...seen].join('; ')
    const text = all === '' ? 'specs that also need it failed, but they test another requirement' : all
    const anchor = requirementAnchor(id)
    return [{ text: id, as: 'name', href: anchor && `#${anchor}` }, `: ${text}`]
  })
  return list(told, 'inconclusive')
}

function drifts({ specs }: RunResult): Block[] {
  const cells = specs.flatMap(({ id, outcome, pin }) => {
    const code = (value: unknown): Line => [{ text: String(value), as: 'code' }]
    return pin && outcome === 'failed'
      ? [{ cells: [pin.fact || id, code(pin.was), code(pin.is)], tone: outcome, mark: MARKS[outcome] }]
      : []
  })
  return cells.length > 0 ? [{ table: ['Fact', 'Was', 'Is'], cells }] : []
}

function whyKnown({ requirements, known: entry, message }: SpecRecord): string {
  const until = entry?.expires === undefined ? '' : `, accepted until ${entry.expires}`
  const issue = entry?.issue === undefined ? '' : `, ${entry.issue}`
  const ids = requirements.map(({ id }) => id).join(', ')
  return `${ids}: ${entry?.reason ?? message ?? 'no reason was recorded'}${issue}${until}`
}

/** Shows specs, each cause once: one of its specs, why, and the names of the others. */
function alike(specs: readonly SpecRecord[], href: Href, text: (spec: SpecRecord) => string): Block[] {
  return alikeIn(specs).map(([first, ...others]) => {
    const also: Piece[] = others.length > 0 ? ['; also ', ...namedAll(others, href, MOST_ALIKE)] : []
    const what = `${countedAs(others.length + 1, first.outcome)}: `
    return marked(first.outcome, [what, ...titled(first, href), `: ${text(first)}`, ...also])
  })
}

/**
 * Says which specs were not judged, each reason once, the worst first. Where nothing could be tested, the reason stands with the
 * verdict, and is not told again; and it does not matter then what would have been left out.
 */
export function leftOpen({ result, href, isFile }: Pick<Told, 'href' | 'isFile' | 'result'>): Block[] {
  const { verdict, reason, specs } = result
  const ofOpen = blockedSinceOpen(result)
  const isTold = (spec: SpecRecord) => verdict === 'untestable' && why(spec) === reason
  const isOver = specs.some(isTold)
  const isLeft = (spec: SpecRecord) => !isTold(spec) && !(isOver && spec.outcome === 'skipped')
  const open = specs.filter(spec => !isJudged(spec) && !ofOpen.includes(spec) && isLeft(spec))
  const groups = WORST_FIRST.flatMap(outcome => {
    const own = open.filter(spec => spec.outcome === outcome)
    return [...grouped(own, why).values()].sort((a, b) => b.length - a.length)
  })
  return [
    ...(ofOpen.length > 0 ? [marked('blocked', `${countedAs(ofOpen.length, 'blocked')}: nothing is refused`)] : []),
    ...groups.flatMap((own): Block[] => {
      const [first] = own
      const { outcome } = first
      const what = `${countedAs(own.length, outcome)}: `
      if (own.length === 1) return [marked(outcome, [what, ...titled(first, href), `: ${why(first)}`])]
      const ids: Piece[] = isFile || isHindered(first) ? [' (', ...namedAll(own, href, MOST_ALIKE), ')'] : []
      const text = `${what}${why(first)}`
      const which: Block = { details: 'which', blocks: [{ text: namedAll(own, href) }] }
      return [
        { only: 'page', blocks: [marked(outcome, text), which] },
        { only: 'text', blocks: [marked(outcome, [text, ...ids])] },
      ]
    }),
  ]
}

/**
 * Shows each spec in a line, by area, for a terminal.
 * @param showFailed shows a failed one. With it, each line says all, since no other section follows
 */
export function specTree(specs: readonly SpecRecord[], showFailed?: (spec: SpecRecord) => Block): Block[] {
  return [...grouped(specs, ({ area }) => area)].map(([area, own]) => ({
    section: area,
    blocks: own.map(spec => {
      const { outcome, title, requirements } = spec
      if (showFailed && outcome === 'failed') return showFailed(spec)
      const ids = requirements.map(({ id }) => id).join(' ')
      const isTold = showFailed
        ? outcome !== 'passed'
        : ['observed', 'known failure', 'unexpected pass'].includes(outcome)
      const word = isJudged(spec) ? '' : `${outcome}: `
      return marked(outcome, `${title}${ids && ` (${ids})`}${isTold ? `: ${word}${why(spec)}` : ''}`)
    }),
  }))
}

/** Lists what else a run says in lists of specs, for a page or a file: sections with their headings. */
export function foundSections(told: Told, standings: readonly Standing[]): Block[] {
  const { result, href } = told
  // They fail the run, and accuse no requirement.
  const stale = result.specs.filter(
    ({ outcome, area }) => outcome === 'unexpected pass' || (area === 'baseline' && outcome === 'failed'),
  )
  const known = result.specs.filter(({ outcome }) => outcome === 'known failure')
  return [
    ...section('What failed', failures(told), 'failed'),
    ...section('In doubt', [{ only: 'page', blocks: doubted(standings) }], 'doubted'),
    ...section('Pinned facts that drifted', drifts(result), 'drifted'),
    ...section('The baseline is out of date', alike(stale, href, why), 'stale'),
    ...section('Known failures', alike(known, href, whyKnown), 'known'),
  ]
}
