/** Says what changed between runs, as blocks. */

import { grouped } from '../../ground/grouped.js'
import {
  type Block,
  type Line,
  list,
  names,
  type Piece,
  type Report,
  row,
  type Section,
  section,
} from '../../report/blocks.js'
import { minuteOf } from '../../report/words.js'
import { MARKS } from '../../result/outcomes.js'
import type { Outcome } from '../../result.js'
import { type Cell, CONSEQUENCES, type Comparison, type Consequence, type Diff } from '../types.js'
import { countsText, HEADLINES, leftOpen, type ShownChange, shownChanges, worstOf } from './words.js'

/** Most specs of one broken requirement that are shown unfolded. */
const MAX_SHOWN = 3

const TONES: Record<Consequence, Outcome> = { breaking: 'failed', risky: 'blocked', harmless: 'passed' }

/** The outcome whose mark and colour each state has, and what its number counts. */
const CELLS: Record<Cell['state'], [tone: Outcome, counted: string]> = {
  failed: ['failed', 'failed'],
  'in doubt': ['inconclusive', 'judged'],
  'known failure': ['known failure', 'known'],
  passed: ['passed', 'passed'],
  observed: ['observed', 'observed'],
  'not judged': ['skipped', 'judged'],
  none: ['skipped', ''],
}

/**
 * Writes a cell of the table in few characters, each number with what it counts: `✗ 2 of 5 failed`, `✓ 4 of 5 passed`. The second
 * number is that of all specs of the requirement in the run.
 */
function cellText({ state, judged, total, failed }: Cell): string {
  if (state === 'none') return 'no such spec'
  const [tone, usual] = CELLS[state]
  const counted = state === 'in doubt' && failed.length > 0 ? 'failed' : usual
  const number = counted === 'failed' || counted === 'known' ? failed.length : judged
  return `${MARKS[tone]} ${number} of ${total} ${counted}`
}

/**
 * Makes the report of a diff. With three or more runs, every format has the table of firmware by requirement.
 * @param quiet whether to leave out harmless changes, what was not compared, and the table
 */
export function diffReport(diff: Diff, quiet = false): Report {
  const { text, tone } = HEADLINES[worstOf(diff)]
  const runs = diff.runs.flatMap(({ name, file, url, startedAt, verdictText, reason }, index) => {
    const of = name === file ? '' : ` (${file})`
    return row(`${index + 1}`, `${name}${of}: ${verdictText}: ${reason} ${url}, ${minuteOf(startedAt)}`)
  })
  return {
    kicker: 'What changed between runs of a Core’s authentication API',
    verdict: { mark: MARKS[tone], tone, text },
    head: [...list(diff.comparisons.map(each => [...titleOf(diff, each), `: ${countsText(each)}.`])), { rows: runs }],
    sections: [
      ...diff.comparisons.map(comparison => comparisonSection(diff, comparison, quiet)),
      ...(quiet ? [] : requirements(diff)),
    ],
  }
}

function titleOf({ runs }: Diff, { from, to }: Comparison): Piece[] {
  const [was, is] = [from, to].map((index): Piece => ({ text: runs[index]?.name ?? '', as: 'name' }))
  return [was ?? '', ' → ', is ?? '']
}

function comparisonSection(diff: Diff, comparison: Comparison, quiet: boolean): Section {
  const changes = shownChanges(diff, comparison)
  const groups = CONSEQUENCES.flatMap(consequence => {
    const own = changes.filter(change => change.consequence === consequence)
    if (!own.length || (quiet && consequence === 'harmless')) return []
    const failed = own.filter(({ kind }) => kind === 'failure')
    const failures = grouped(failed, ({ requirements }) => requirements[0] ?? '')
    const others = own.filter(({ kind }) => kind !== 'failure')
    const blocks = [
      ...[...failures].map(([id, specs]) => failure(diff, id, specs)),
      ...(others.length ? [changeTable(others, TONES[consequence])] : []),
    ]
    return [{ section: consequence, tone: TONES[consequence], blocks }]
  })
  const notes = [
    ...comparison.notices.flatMap(text => row('note', text, 'blocked')),
    ...(comparison.stillFailing.length ? row('still failing', names(comparison.stillFailing)) : []),
    ...(quiet ? [] : leftOpen(comparison.notCompared)).flatMap(({ what, of, why }) =>
      row('not compared', [`${what}, ${why}: `, ...names(of)]),
    ),
  ]
  return {
    section: titleOf(diff, comparison),
    id: `changes-${comparison.to}`,
    blocks: [...groups, ...(notes.length ? [{ rows: notes }] : [])],
  }
}

/** Shows a requirement that is broken now, with the consequence for clients and the specs that saw it. */
function failure({ matrix }: Diff, id: string, specs: ShownChange[]): Block {
  const { text = '' } = matrix.find(({ requirement }) => requirement === id) ?? {}
  const told = specs.map(({ what, of, seen = '' }) => `${what} (${of.join(', ')}): ${seen}`)
  const more = specs.slice(MAX_SHOWN)
  const others: Block = {
    details: [`${more.length} more of its specs fail now: `, ...names(more.flatMap(({ of }) => of))],
    blocks: list(told.slice(MAX_SHOWN)),
  }
  return {
    item: `fails now: ${id}: ${text}`,
    tone: 'failed',
    blocks: [
      { rows: [...row('for clients', specs[0]?.why), ...told.slice(0, MAX_SHOWN).flatMap(each => row('spec', each))] },
      ...(more.length ? [others] : []),
    ],
  }
}

function changeTable(changes: ShownChange[], tone: Outcome): Block {
  const cells = changes.map(({ kind, what, of, seen, requirements, why }) => ({
    cells: [
      `${kind === 'fixed' ? 'fixed: ' : ''}${what}${seen === undefined ? '' : `: ${seen}`}`,
      of.length || requirements.length ? names([...of, ...requirements]) : 'the whole Core',
      why,
    ],
    tone,
    mark: MARKS[tone],
  }))
  return { table: ['Change', 'Of', 'For clients'], cells }
}

/** Shows every requirement in every run: firmware by requirement. */
function requirements({ runs, matrix }: Diff): Section[] {
  const table = (isWhole: boolean): Block => ({
    // The list of runs gives the name for each number.
    table: [
      'Requirement',
      ...(isWhole ? ['Statement'] : []),
      ...runs.map(({ name }, at) => (isWhole ? name : `${at + 1}`)),
    ],
    cells: matrix.map(({ requirement, text, cells }) => ({
      cells: [
        requirement,
        ...(isWhole ? [text] : []),
        ...cells.map((cell, at): Line => {
          const { state, failed } = cell
          const before = cells[at - 1]
          const isChanged = before && (before.state !== state || before.failed.join() !== failed.join())
          const told = { text: cellText(cell), tone: CELLS[state][0], ...(isChanged && { isChanged }) }
          return isWhole && failed.length > 0 ? [told, ': ', ...names(failed)] : [told]
        }),
      ],
    })),
    class: 'versions',
  })
  const about =
    'Each cell counts the specs of the requirement in that run: ✓ 4 of 5 passed, and the fifth was not judged. ~ known failures, • observed. A cell that differs from the run before has another background.'
  const blocks: Block[] = [
    ...(runs.length > 2 ? [{ only: 'terminal' as const, blocks: [table(false)] }] : []),
    { only: 'page', blocks: [{ text: about, tone: 'muted' }] },
    { only: runs.length > 2 ? 'file' : 'page', blocks: [table(true)] },
  ]
  return section('Requirements', blocks, 'requirements')
}
