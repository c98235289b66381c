/** Renders a diff for the console. */
import pc from 'picocolors'
import { type Page, paragraph, plain, type Row, rows, type Style } from '../../report/layout.js'
import type { ConsoleOptions } from '../../report/reporter.js'
import { displayWidth } from '../../report/wrap.js'
import { CONSEQUENCES, type Comparison, type Consequence, type Diff } from '../types.js'
import { cellText, countsText, headline, leftOpen, type ShownChange, shownChanges, worstOf } from './words.js'

const MAX_COLUMNS = 120
const MIN_COLUMNS = 20
const MAX_ROW_LINES = 6

const MARKS: Record<Consequence, string> = { breaking: '✗', risky: '!', harmless: '✓' }

function styleOf({ paint }: Page, consequence: Consequence): Style {
  return { breaking: paint.red, risky: paint.yellow, harmless: paint.green }[consequence]
}

function changeLines(
  page: Page,
  { consequence, kind, what, of, seen, requirements, why }: ShownChange,
  isKnown: boolean,
): string[] {
  const style = styleOf(page, consequence)
  const word = kind === 'failure' ? 'fails now: ' : kind === 'fixed' ? 'fixed: ' : ''
  const subjects = [...of, ...requirements].join(', ')
  const list: Row[] = subjects ? [{ label: 'of', text: subjects, style: page.paint.dim }] : []
  if (seen !== undefined) list.push({ label: 'seen', text: seen })
  list.push({ label: 'so', text: isKnown ? 'the same' : why })
  return [
    ...paragraph(page, 2, `${word}${what}`, style, `${MARKS[consequence]} `),
    ...rows(page, 6, list, MAX_ROW_LINES),
  ]
}

/** Whether the change before has the same meaning, so that the meaning need not be shown again. */
function isSaid({ kind, why }: ShownChange, before: ShownChange | undefined): boolean {
  return (kind === 'failure' || kind === 'fixed') && before?.kind === kind && before.why === why
}

function comparisonLines(page: Page, diff: Diff, comparison: Comparison, quiet: boolean): string[] {
  const { runs } = diff
  const { paint } = page
  const [from, to] = [runs[comparison.from], runs[comparison.to]].map(run => run?.name ?? '')
  const changes = shownChanges(diff, comparison)
  const groups = CONSEQUENCES.flatMap(consequence => {
    const group = changes.filter(change => change.consequence === consequence)
    if (!group.length || (quiet && consequence === 'harmless')) return []
    return [
      paint.bold(styleOf(page, consequence)(consequence)),
      ...group.flatMap((change, index) => changeLines(page, change, isSaid(change, group[index - 1]))),
      '',
    ]
  })
  const notes: Row[] = comparison.notices.map(text => ({ label: 'note', text, style: paint.yellow }))
  const { stillFailing } = comparison
  if (stillFailing.length) notes.push({ label: 'still failing', text: stillFailing.join(', ') })
  for (const { what, of, why } of quiet ? [] : leftOpen(comparison.notCompared)) {
    notes.push({ label: 'not compared', text: `${what}, ${why}: ${of.join(', ')}` })
  }
  return [
    ...paragraph(page, 0, `${from} → ${to}: ${countsText(comparison)}`, paint.bold),
    '',
    ...groups,
    ...(notes.length ? [...rows(page, 2, notes, MAX_ROW_LINES), ''] : []),
  ]
}

/** Makes the table of firmware by requirement. Without room for its columns, each run gets a line. */
function matrixLines(page: Page, { runs, matrix }: Diff): string[] {
  const { paint } = page
  // The list of runs below the table gives the name for each number.
  const head = runs.map((_run, index) => String(index + 1))
  const ids = matrix.map(({ requirement }) => plain(requirement))
  const table = matrix.map(({ cells }) => cells.map(cellText))
  const widths = head.map((text, at) => Math.max(displayWidth(text), ...table.map(row => displayWidth(row[at] ?? ''))))
  const first = Math.max(0, ...ids.map(displayWidth))
  const pad = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - displayWidth(text)))
  if (2 + first + widths.reduce((sum, width) => sum + width + 2, 0) > page.columns) {
    return matrix.flatMap((row, index) => [
      ...paragraph(page, 2, ids[index] ?? '', paint.bold),
      ...rows(
        page,
        4,
        row.cells.map((cell, at) => ({ label: head[at] ?? '', text: cellText(cell) || 'no such spec' })),
      ),
    ])
  }
  const line = (start: string, cells: string[]) =>
    `  ${[pad(start, first), ...cells.map((cell, at) => pad(cell, widths[at] ?? 0))].join('  ')}`.trimEnd()
  return [paint.bold(line('', head)), ...table.map((cells, index) => line(ids[index] ?? '', cells))]
}

/**
 * Renders a diff for people at a terminal. With three or more runs, adds the table of firmware by requirement. Quiet leaves out
 * harmless changes, specs that were not compared, and the table.
 * @returns lines, each ended by a line feed
 */
export function renderDiffConsole(diff: Diff, { columns, color, quiet = false }: ConsoleOptions): string {
  const wanted = Number.isFinite(columns) && columns > 0 ? Math.floor(columns) : 80
  const page: Page = {
    columns: Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, wanted)),
    paint: pc.createColors(color),
  }
  const worst = worstOf(diff)
  const style =
    worst === 'same'
      ? page.paint.green
      : worst === 'not compared' || worst === 'unfinished'
        ? page.paint.yellow
        : styleOf(page, worst)
  const runs = diff.runs.map(({ name, file, url, startedAt, verdictText }, index) => {
    const of = name === file ? '' : ` (${file})`
    return {
      label: String(index + 1),
      text: `${name}${of}: ${verdictText}, ${url}, ${startedAt.slice(0, 16).replace('T', ' ')} UTC`,
    }
  })
  const lines = [
    ...diff.comparisons.flatMap(comparison => comparisonLines(page, diff, comparison, quiet)),
    ...(diff.runs.length > 2 && !quiet ? [...matrixLines(page, diff), ''] : []),
    page.paint.bold(style(headline(diff))),
    ...rows(page, 2, runs),
  ]
  return lines.map(line => `${line}\n`).join('')
}
