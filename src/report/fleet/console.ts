/** Renders a fleet for the console: a line for each Core, the failures with their Cores, and the verdict. */
import pc from 'picocolors'
import { duration } from '../../duration.js'
import { type Pattern, patternsOf } from '../../fleet/patterns.js'
import type { CoreChange, Fleet, FleetCore } from '../../fleet/types.js'
import { withLimits } from '../../result/scope.js'
import type { Verdict } from '../../result.js'
import { consoleColumns } from '../console/console.js'
import { type Page, paragraph, plain, type Row, rerunRows, rows, type Style, verdictHeadline } from '../layout.js'
import type { ConsoleOptions } from '../reporter.js'
import { cut, displayWidth } from '../wrap.js'
import type { FleetSource } from './source.js'
import { type Example, type Examples, examplesOf, needsOf } from './source.js'
import { changeText, coreVerdict, countsText, limitsOf, spreadText, toKnow, traitsText } from './words.js'

/** Most lines of a row. The page of the fleet shows the whole text. */
const MAX_ROW_LINES = 4
/** Columns before the labels of a failure. */
const INDENT = 4
/** The verdicts that no failed requirement explains. */
const UNTOLD: readonly Verdict[] = ['drifted', 'stale baseline', 'untestable', 'incomplete']
/** Most changes that are shown. fleet.json has all of them. */
const MAX_CHANGES = 30
/** The kinds of changes that are shown in red. */
const RED: readonly CoreChange['kind'][] = ['fails now', 'opened', 'in doubt', 'gone']

/**
 * Renders a fleet for people at a terminal. No line is wider than the columns. Quiet leaves out conformant Cores.
 * @throws Error if the result of a Core that failed cannot be read
 */
export async function renderFleetConsole(
  { fleet, resultOf, resumeCommand }: FleetSource,
  { columns, color, quiet = false }: ConsoleOptions,
): Promise<string> {
  const page: Page = { columns: consoleColumns(columns), paint: pc.createColors(color) }
  const cores = quiet ? fleet.cores.filter(({ verdict }) => verdict !== 'conformant') : fleet.cores
  const patterns = patternsOf(fleet)
  const examples = await examplesOf(resultOf, patterns)
  const lines = [
    ...coreLines(page, cores),
    ...whyLines(page, fleet),
    ...failureLines(page, patterns, examples),
    ...changeLines(page, fleet),
    ...headline(page, fleet, resumeCommand),
  ]
  return lines.map(line => `${line}\n`).join('')
}

/**
 * Makes a line for each Core: mark, name, verdict, counts, time, firmware and labels. Without room, the last ones are left
 * out.
 */
function coreLines(page: Page, cores: readonly FleetCore[]): string[] {
  if (!cores.length) return []
  const texts = cores.map(core => {
    const { verdict } = core
    const { text, style } = verdictHeadline(page, verdict)
    return {
      style,
      cells: [
        `${text.slice(0, 1)} ${plain(core.name)}`,
        coreVerdict(core),
        countsText(core),
        took(core),
        plain(traitsText(core)),
      ],
    }
  })
  const widths = [0, 1, 2, 3, 4].map(at => Math.max(...texts.map(({ cells }) => displayWidth(cells[at] ?? ''))))
  const most = Math.max(12, Math.floor(page.columns / 3))
  return [
    ...texts.map(({ cells, style }) =>
      line(
        page,
        cells,
        widths.map((width, at) => (at === 0 ? Math.min(width, most) : width)),
        style,
      ),
    ),
    '',
  ]
}

function line(page: Page, cells: readonly string[], widths: readonly number[], style: Style): string {
  const { dim } = page.paint
  let text = ''
  let used = 0
  for (const [at, cell] of cells.entries()) {
    const gap = at === 0 ? 0 : 2
    const room = page.columns - used - gap
    const width = Math.min(widths[at] ?? 0, room)
    if (width < 4 || (at > 1 && width < displayWidth(cell) && at !== 4)) break
    const shown = cut(cell, width)
    const padded = `${' '.repeat(gap)}${shown}${' '.repeat(Math.max(0, width - displayWidth(shown)))}`
    text += at <= 1 ? style(padded) : at === 2 ? padded : dim(padded)
    used += gap + width
  }
  return text.trimEnd()
}

function took({ hasResult, durationMs }: FleetCore): string {
  return hasResult ? duration(durationMs) : ''
}

/** Says why Cores could not be tested to the end, and what fails them where no requirement is broken. */
function whyLines(page: Page, { cores }: Fleet): string[] {
  const open = cores.filter(({ verdict }) => UNTOLD.includes(verdict))
  const lines = open.flatMap(({ name, reason, advice }) => [
    ...paragraph(page, 0, `${name}: ${reason}`, page.paint.yellow, '! '),
    ...(advice === undefined ? [] : paragraph(page, 2, advice, page.paint.bold, '→ ')),
  ])
  return lines.length ? [...lines, ''] : []
}

/** Shows each failed requirement with the Cores that fail it, and one failure as an example. */
function failureLines(page: Page, patterns: readonly Pattern[], examples: Examples): string[] {
  const { paint } = page
  const lines = patterns.flatMap(pattern => {
    const { requirement, specs, consequence } = pattern
    const example = examples.get(requirement.id)
    const list: Row[] = [
      { label: 'fails', text: spreadText(pattern) },
      ...(consequence === undefined ? [] : [{ label: 'clients', text: consequence }]),
      ...(example === undefined ? [] : exampleRows(page, pattern, example)),
      { label: 'specs', text: specs.join(', '), style: paint.dim },
      ...(example?.rerun === undefined ? [] : rerunRows(page, example.rerun, INDENT)),
    ]
    return [
      ...paragraph(page, 0, `${requirement.id}: ${requirement.text}`, text => paint.bold(paint.red(text)), '✗ '),
      ...rows(page, INDENT, list, MAX_ROW_LINES),
      '',
    ]
  })
  const notes = needsOf(examples).flatMap(needs => paragraph(page, 0, `To rerun: ${needs}.`, paint.dim))
  return notes.length > 0 ? [...lines, ...notes, ''] : lines
}

function exampleRows({ paint }: Page, { cores }: Pattern, { core, expected, got }: Example): Row[] {
  return [
    ...(cores.length > 1 ? [{ label: 'such as', text: core }] : []),
    ...(expected === undefined ? [] : [{ label: 'expected', text: expected, style: paint.green }]),
    ...(got === undefined ? [] : [{ label: 'got', text: got, style: paint.red }]),
  ]
}

/** Shows the changes since an earlier fleet; no lines where there is no earlier fleet. */
export function changeLines(page: Page, { since }: Pick<Fleet, 'since'>): string[] {
  if (!since) return []
  const { changes, notices, startedAt, file } = since
  const when = `since ${startedAt.slice(0, 16).replace('T', ' ')} UTC (${file})`
  const style = (kind: CoreChange['kind']): Style => (RED.includes(kind) ? page.paint.red : String)
  const more = changes.length - MAX_CHANGES
  return [
    ...paragraph(page, 0, changes.length ? when : `nothing changed ${when}`, page.paint.bold),
    ...notices.flatMap(notice => paragraph(page, 2, notice, page.paint.yellow, '! ')),
    ...changes
      .slice(0, MAX_CHANGES)
      .flatMap(change => paragraph(page, 2, `${change.core} ${changeText(change)}`, style(change.kind))),
    ...(more > 0 ? [`  and ${more} more, in fleet.json`] : []),
    '',
  ]
}

function headline(page: Page, fleet: Fleet, resumeCommand: string | undefined): string[] {
  const { verdict, reason, durationMs, suite, visits = [], cores } = fleet
  const { text, style } = verdictHeadline(page, verdict)
  const left = cores.filter(({ tokens, verdict }) => tokens.left > 0 && verdict !== 'pending')
  const list: Row[] = [
    { label: 'time', text: duration(durationMs) },
    { label: 'suite', text: `${suite.name} ${suite.version}` },
    ...left.map(({ name, tokens }) => ({
      label: 'tokens',
      text: `${tokens.left} of ${tokens.issued} may still be live on ${name}`,
      style: page.paint.yellow,
    })),
    ...visits.map(({ fromAt, untilAt }, index) => ({
      label: index === 0 ? 'come back' : '',
      text: `${span(fromAt, untilAt)}: ${index === visits.length - 1 ? 'resume' : 'resume --detach'}`,
    })),
    ...toKnow(fleet).map(text => ({ label: 'note', text })),
  ]
  const open = cores.some(({ verdict }) => verdict === 'pending')
  const next =
    open && resumeCommand !== undefined
      ? paragraph(page, 2, `finish it with: ${resumeCommand}`, page.paint.bold, '→ ')
      : []
  return [
    ...paragraph(page, 0, withLimits(text, limitsOf(fleet)), style),
    ...paragraph(page, 2, reason, String),
    ...next,
    '',
    ...rows(page, 2, list),
  ]
}

function span(fromAt: string, untilAt: string | null): string {
  const from = fromAt.slice(0, 19).replace('T', ' ')
  return untilAt === null ? `from ${from} UTC on` : `${from} to ${untilAt.slice(11, 19)} UTC`
}
