/** Renders the console report. */

import { join } from 'node:path'
import { count } from '../../ground/count.js'
import { DEFAULT_OUT, quoted } from '../../ground/own-command.js'
import { countedAs, isBreach, isHindered, isJudged, MARKS } from '../../result/outcomes.js'
import { OUTCOMES, type Outcome, type RequirementRef, type RunResult, type SpecRecord } from '../../result.js'
import { scriptOf } from '../by-hand.js'
import {
  alikeIn,
  blockedSinceOpen,
  type Cause,
  type FailureSource,
  failuresOf,
  type OpenCoreSource,
  othersText,
  seenBy,
} from '../causes.js'
import { grouped } from '../grouped.js'
import { outcomeStyle, type Page, paragraph, plain, type Row, rows } from '../layout.js'
import type { ConsoleOptions } from '../reporter.js'
import { isRepeatable, type ReproductionSource, rerunLine, rerunNeeds } from '../reproduce.js'
import { SCRIPTS_FOLDER, scriptName } from '../scripts.js'
import { pageOf } from '../terminal.js'
import { place, why } from '../words.js'
import { cut, displayWidth } from '../wrap.js'
import { summaryLines } from './summary.js'
import { sharedReasons, treeLines } from './tree.js'

/**
 * Renders the run result for people at a terminal: a line for each area (verbose: for each spec), the failures by cause, then
 * the summary. No line is wider than the columns. The report moves no cursor, and text from the wire is inert.
 * @returns lines, each ended by a line feed
 */
export function renderConsole(result: RunResult, options: ConsoleOptions): string {
  const { quiet = false, verbose = false } = options
  const page = pageOf(options)
  const specs = quiet ? result.specs.filter(spec => isBreach(spec) || isHindered(spec)) : result.specs
  const tree = verbose ? treeLines : areaLines
  const lines = [...tree(page, { ...result, specs }), ...failureLines(page, result), ...summaryLines(page, result)]
  return lines.map(line => `${line}\n`).join('')
}

/** The outcomes that a baseline knows of, which are listed below the areas. Failures have a section of their own. */
const BY_BASELINE: readonly Outcome[] = ['unexpected pass', 'known failure']

/** The outcomes, worst first. The mark of an area is that of its worst outcome. */
const WORST_FIRST: readonly Outcome[] = [
  'failed',
  'unexpected pass',
  'inconclusive',
  'blocked',
  'known failure',
  'pending',
  'passed',
  'observed',
  'skipped',
]

/** The outcomes of specs that were left out. Each reason is shown once for all areas. */
const LEFT_OUT: readonly Outcome[] = ['pending', 'skipped']

/**
 * Makes a line for each area with the counts of its outcomes. Then lists the specs that could not be judged, and the reasons
 * for leaving specs out. Ends with a blank line unless there are no specs. An untestable run gets a line for each reason but its own.
 */
function areaLines(page: Page, result: OpenCoreSource & Pick<RunResult, 'verdict' | 'reason'>): string[] {
  const { specs, verdict, reason } = result
  if (specs.length === 0) return []
  if (verdict === 'untestable' && !specs.some(isJudged)) return treeLines(page, { specs, verdict, reason })
  const areas = [...grouped(specs, ({ area }) => area)]
  const width = Math.min(Math.max(...areas.map(([area]) => displayWidth(plain(area)))), Math.floor(page.columns / 3))
  const lines = areas.flatMap(([area, members]) => areaLine(page, plain(area), members, width))
  const open = blockedSinceOpen(result)
  const told = specs.filter(spec => isHindered(spec) && !open.includes(spec))
  const ofOpen =
    open.length === 0
      ? []
      : paragraph(
          page,
          0,
          `${countedAs(open.length, 'blocked')}: nothing is refused`,
          page.paint.dim,
          `${MARKS.blocked} `,
        )
  const below = treeLines(page, { specs: told, verdict, reason })
  return [...lines, ...ofOpen, ...leftOut(page, specs), '', ...byBaseline(page, specs), ...below]
}

/** Shows the specs that a baseline knows of, each cause once: how many, why, one example, and the names of the others. */
function byBaseline(page: Page, specs: SpecRecord[]): string[] {
  return BY_BASELINE.flatMap(outcome =>
    alikeIn(specs.filter(spec => spec.outcome === outcome)).flatMap(own => {
      const [first] = own
      if (first === undefined) return []
      const others = othersText(own)
      const head = `${countedAs(own.length, outcome)}: ${plain(first.title)} (${first.id})`
      return [
        ...paragraph(page, 0, head, outcomeStyle(page, outcome), `${MARKS[outcome]} `),
        ...paragraph(page, 2, why(first), String),
        ...(others === '' ? [] : paragraph(page, 2, `also ${others}`, page.paint.dim)),
        '',
      ]
    }),
  )
}

function areaLine(page: Page, area: string, specs: SpecRecord[], width: number): string[] {
  const worst = WORST_FIRST.find(outcome => specs.some(spec => spec.outcome === outcome)) ?? 'skipped'
  const mark = MARKS[worst]
  const coloured = (text: string) =>
    text.startsWith(mark) ? outcomeStyle(page, worst)(mark) + text.slice(mark.length) : text
  const name = cut(area, width)
  const told = OUTCOMES.flatMap(outcome => {
    const number = specs.filter(spec => spec.outcome === outcome).length
    return number > 0 ? [countedAs(number, outcome)] : []
  })
  const gap = ' '.repeat(Math.max(0, width - displayWidth(name)))
  return paragraph(page, 0, told.join(', '), coloured, `${mark} ${name}${gap}  `)
}

function leftOut(page: Page, specs: SpecRecord[]): string[] {
  return LEFT_OUT.flatMap(outcome => {
    const own = specs.filter(spec => spec.outcome === outcome)
    return [...grouped(own, why)].flatMap(([reason, members]) =>
      paragraph(page, 0, `${countedAs(members.length, outcome)}: ${reason}`, page.paint.dim, `${MARKS[outcome]} `),
    )
  })
}

/** Most lines of a row. Expectation and answer may be whole bodies. */
const MAX_ROW_LINES = 6

/** Most specs that are named for one cause. They saw nearly the same, and result.json has all of them. */
const MAX_ALIKE = 8

/** The parts of a result that hold failures, and how to repeat them. */
type Failing = FailureSource & ReproductionSource

/** Returns the indentation below the statement of a requirement. */
function indentOf(page: Page): number {
  return page.columns < 60 ? 2 : 4
}

/** Shows the first spec of a cause with its step, then the other specs with what they saw. */
function causeLines(page: Page, result: Failing, { step, consequence, advice, specs }: Cause): string[] {
  const { paint } = page
  const [first, ...others] = specs
  if (first === undefined) return []
  const list: Row[] = []
  if (step?.seen !== undefined) list.push({ label: 'seen', text: step.seen, style: paint.bold })
  if (consequence !== undefined) list.push({ label: 'clients', text: consequence })
  if (step === undefined) list.push({ label: 'why', text: why(first) })
  else list.push({ label: 'step', text: step.text })
  if (step?.expected !== undefined) list.push({ label: 'expected', text: step.expected, style: paint.green })
  if (step?.got !== undefined) list.push({ label: 'got', text: step.got, style: paint.red })
  list.push({ label: 'spec', text: `${place(first)} ${first.id}`, style: paint.dim })
  if (isRepeatable(first))
    list.push({ label: 'rerun', text: rerunLine(result, first, false), style: paint.bold, isCommand: true })
  if (isRepeatable(first) && scriptOf(result, first) !== undefined)
    list.push({
      label: 'by hand',
      text: quoted(join(result.out ?? DEFAULT_OUT, SCRIPTS_FOLDER, scriptName(first))),
      style: paint.dim,
    })
  if (advice !== undefined) {
    list.push({ label: 'also', text: `${count(others.length, 'spec')} more that expect a refusal`, style: paint.dim })
    return ['', ...rows(page, indentOf(page), list, MAX_ROW_LINES)]
  }
  others.slice(0, MAX_ALIKE).forEach((spec, index) => {
    list.push({ label: index === 0 ? 'also' : '', text: `${seenBy(spec)} (${spec.id})` })
  })
  if (others.length > MAX_ALIKE)
    list.push({ label: '', text: `and ${others.length - MAX_ALIKE} more`, style: paint.dim })
  return ['', ...rows(page, indentOf(page), list, MAX_ROW_LINES)]
}

function statement({ id, text, section }: RequirementRef): string {
  return `${id}: ${text} (${section})`
}

function failed(page: Page, result: Failing): string[] {
  const all = failuresOf(result)
  if (all.length === 0) return []
  const { paint } = page
  const lines = all.flatMap(({ requirement, causes }) => {
    const text = requirement === undefined ? 'of no requirement' : statement(requirement)
    const head = paragraph(page, 0, text, paint.red, `${MARKS.failed} `)
    return [...head, ...causes.flatMap(cause => causeLines(page, result, cause)), '']
  })
  const needs = result.specs.some(spec => spec.outcome === 'failed' && isRepeatable(spec))
    ? rerunNeeds(result)
    : undefined
  const note = needs === undefined ? [] : paragraph(page, 0, `To rerun: ${needs}.`, paint.dim)
  return [paint.bold('What failed'), '', ...lines, ...note, ...(note.length > 0 ? [''] : [])]
}

/** Shows the specs of several areas that could not be judged for one reason. */
function unjudged(page: Page, specs: SpecRecord[]): string[] {
  const shared = sharedReasons(specs)
  const lines = shared.flatMap(group => {
    const [first] = group
    if (first === undefined) return []
    const style = outcomeStyle(page, first.outcome)
    const ids = group.slice(0, MAX_ALIKE).map(({ id }) => id)
    const more = group.length > MAX_ALIKE ? [`and ${group.length - MAX_ALIKE} more`] : []
    return [
      ...paragraph(
        page,
        0,
        `${countedAs(group.length, first.outcome)}: ${why(first)}`,
        style,
        `${MARKS[first.outcome]} `,
      ),
      ...paragraph(page, 2, [...ids, ...more].join(', '), page.paint.dim),
      '',
    ]
  })
  return lines.length > 0 ? [page.paint.bold('What could not be judged'), '', ...lines] : []
}

/** Makes the lines of both sections; none where nothing went wrong. Ends with a blank line. */
function failureLines(page: Page, result: Failing & Pick<RunResult, 'verdict'>): string[] {
  const open = blockedSinceOpen(result)
  const judgeable = result.specs.filter(spec => !open.includes(spec))
  return [...failed(page, result), ...(result.verdict === 'untestable' ? [] : unjudged(page, judgeable))]
}
