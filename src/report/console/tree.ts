/** Makes the tree of areas and specs of the console report. */
import { count } from '../../ground/count.js'
import { accused } from '../../result/accused.js'
import { countedAs, isHindered, isJudged, MARKS, outcomeWord } from '../../result/outcomes.js'
import type { RunResult, SpecRecord } from '../../result.js'
import { grouped } from '../grouped.js'
import { outcomeStyle, type Page, paragraph, plain, type Row, rows, type Style } from '../layout.js'
import { deciding, why } from '../words.js'
import { displayWidth, wrap } from '../wrap.js'

/** The widths of the columns of spec lines. `beside`: the requirement ids fit beside the titles. */
interface Columns {
  title: number
  ids: number
  beside: boolean
}

/** Width of the indentation and the mark before a title. */
const BEFORE_TITLE = 4

/** Narrowest column of titles with ids beside it. */
const MIN_TITLE = 32

/** Most lines of a row. An answer may be a whole body. */
const MAX_ROW_LINES = 6

function ids(spec: SpecRecord): string {
  const told = spec.outcome === 'failed' ? accused(spec) : spec.requirements
  return plain(told.map(({ id }) => id).join(' '))
}

function columnsFor(page: Page, specs: SpecRecord[]): Columns {
  const room = page.columns - BEFORE_TITLE
  const widest = Math.max(0, ...specs.map(spec => displayWidth(ids(spec))))
  const idsWidth = Math.min(widest, Math.floor(page.columns / 4))
  const beside = room - idsWidth - 2 >= MIN_TITLE
  const title = Math.max(1, ...specs.map(spec => displayWidth(plain(spec.title))))
  return { title: Math.min(title, beside ? room - idsWidth - 2 : room), ids: idsWidth, beside }
}

function specLines(page: Page, at: Columns, spec: SpecRecord): string[] {
  const { paint } = page
  const mark = outcomeStyle(page, spec.outcome)(MARKS[spec.outcome])
  const muted = spec.outcome === 'skipped' ? paint.dim : String
  const title = wrap(plain(spec.title), at.title)
  const beside = at.beside ? wrap(ids(spec), Math.max(1, at.ids)) : []
  const lines = Array.from({ length: Math.max(title.length, beside.length) }, (_, line) => {
    const text = title[line] ?? ''
    const id = beside[line] ?? ''
    const gap = id === '' ? '' : ' '.repeat(at.title - displayWidth(text) + 2) + paint.dim(id)
    return `  ${line === 0 ? mark : ' '} ${muted(text)}${gap}`
  })
  return at.beside ? lines : [...lines, ...paragraph(page, BEFORE_TITLE, ids(spec), paint.dim)]
}

/** Returns the indentation of details below a spec or a group of specs, to the right of the marks. */
function detailIndent(page: Page): number {
  return page.columns < 60 ? BEFORE_TITLE : 6
}

/** Makes one labelled row below a spec. */
function remark(page: Page, label: string, text: string, style: Style): string[] {
  return rows(page, detailIndent(page), [{ label, text, style }], MAX_ROW_LINES)
}

/** Shows expectation and answer below a failed spec. */
function evidenceLines(page: Page, spec: SpecRecord): string[] {
  const { paint } = page
  const steps = deciding(spec)
  const list = steps.flatMap(({ text, expected, got }): Row[] => [
    { label: 'step', text },
    ...(expected === undefined ? [] : [{ label: 'expected', text: expected, style: paint.green }]),
    ...(got === undefined ? [] : [{ label: 'got', text: got, style: paint.red }]),
  ])
  const told = list.length > 0 ? list : [{ label: 'why', text: why(spec) }]
  return ['', ...rows(page, detailIndent(page), told, MAX_ROW_LINES), '']
}

function judgedLines(page: Page, at: Columns, spec: SpecRecord, hasEvidence: boolean): string[] {
  const lines = specLines(page, at, spec)
  if (spec.outcome === 'failed' && hasEvidence) return [...lines, ...evidenceLines(page, spec)]
  if (spec.outcome === 'known failure') return [...lines, ...remark(page, 'known', why(spec), page.paint.yellow)]
  if (spec.outcome === 'unexpected pass') return [...lines, ...remark(page, 'passed', why(spec), page.paint.red)]
  return spec.outcome === 'observed' ? [...lines, ...remark(page, 'seen', why(spec), String)] : lines
}

/** Groups specs by outcome and reason. The groups are in the order of their first specs. */
function groups(specs: SpecRecord[]): SpecRecord[][] {
  const byReason = grouped(specs, spec => `${spec.outcome}: ${why(spec)}`)
  return [...byReason.values()]
}

/** Shows specs that share a reason, and the reason below the last spec, unless it is shown below the tree. */
function groupLines(page: Page, at: Columns, group: SpecRecord[], isToldBelow: boolean): string[] {
  const lines = group.flatMap(spec => specLines(page, at, spec))
  const [first] = group
  if (first === undefined || isToldBelow) return lines
  const label = group.length === 1 ? outcomeWord(first.outcome) : countedAs(group.length, first.outcome)
  return [...lines, ...remark(page, label, why(first), first.outcome === 'skipped' ? page.paint.dim : String)]
}

function areaLines(
  page: Page,
  at: Columns,
  area: string,
  specs: SpecRecord[],
  { toldBelow, hasEvidence }: { toldBelow: ReadonlySet<SpecRecord>; hasEvidence: boolean },
): string[] {
  const judged = specs.filter(isJudged).flatMap(spec => judgedLines(page, at, spec, hasEvidence))
  const rest = groups(specs.filter(spec => !isJudged(spec))).flatMap(group =>
    groupLines(
      page,
      at,
      group,
      group.some(spec => toldBelow.has(spec)),
    ),
  )
  return [...paragraph(page, 0, area, page.paint.bold), ...judged, ...rest, '']
}

/**
 * Shows an untestable run: one line for each reason, not one for each spec. Where nothing could be tested for the reason of the
 * verdict, that reason is not told again, and it does not matter what the run would have left out.
 */
function untestedLines(page: Page, specs: SpecRecord[], reason: string): string[] {
  const isTold = (spec: SpecRecord) => why(spec) === reason
  const rest = specs.some(isTold) ? specs.filter(spec => !isTold(spec) && spec.outcome !== 'skipped') : specs
  return groups(rest).flatMap(group => {
    const [first] = group
    if (first === undefined) return []
    const areas = [...grouped(group, spec => spec.area).keys()].join(', ')
    const text = `${count(group.length, 'spec')} ${outcomeWord(first.outcome)} in ${areas}: ${why(first)}`
    return [...paragraph(page, 0, text, page.paint.dim, `${MARKS[first.outcome]} `), '']
  })
}

/** Removes a blank line after another one. */
function singleSpaced(lines: string[]): string[] {
  return lines.filter((line, index) => line !== '' || lines[index - 1] !== '')
}

/**
 * Groups the blocked and inconclusive specs by reason, and returns the groups that several areas share. Skipped specs are
 * shown in their areas: somebody chose to skip them.
 */
export function sharedReasons(specs: SpecRecord[]): SpecRecord[][] {
  const open = specs.filter(isHindered)
  return groups(open).filter(group => new Set(group.map(({ area }) => area)).size > 1)
}

/**
 * Makes the lines of the tree: each area, below it one line for each spec. Specs that were not judged come last in their area,
 * with each reason once. Failures, and reasons that several areas share, are shown below the tree. Ends with a blank line
 * unless there are no specs. An untestable run gets a line for each reason but its own.
 * @param hasEvidence whether the tree itself shows expectations, answers and all reasons, since nothing follows it
 */
export function treeLines(
  page: Page,
  { specs, verdict, reason }: Pick<RunResult, 'specs' | 'verdict' | 'reason'>,
  hasEvidence = false,
): string[] {
  if (verdict === 'untestable' && !specs.some(isJudged)) return untestedLines(page, specs, reason)
  const at = columnsFor(page, specs)
  const areas = grouped(specs, spec => spec.area)
  const toldBelow = new Set(hasEvidence ? [] : sharedReasons(specs).flat())
  return singleSpaced(
    [...areas].flatMap(([area, members]) => areaLines(page, at, area, members, { toldBelow, hasEvidence })),
  )
}
