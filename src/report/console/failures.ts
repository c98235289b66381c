/** Makes the failures of the console report, below its tree: each cause once, with its specs. */
import { join } from 'node:path'
import { count } from '../../ground/count.js'
import { DEFAULT_OUT, quoted } from '../../ground/own-command.js'
import { countedAs, MARKS } from '../../result/outcomes.js'
import type { RequirementRef, RunResult, SpecRecord } from '../../result.js'
import { scriptOf } from '../by-hand.js'
import { type Cause, type FailureSource, failuresOf, seenBy } from '../causes.js'
import { type Page, paragraph, type Row, rows } from '../layout.js'
import { outcomeStyle } from '../marks.js'
import { blockedSinceOpen } from '../open-core.js'
import { isRepeatable, type ReproductionSource, rerunLine, rerunNeeds } from '../reproduce.js'
import { SCRIPTS_FOLDER, scriptName } from '../scripts.js'
import { place, why } from '../words.js'
import { rerunRows } from './rerun.js'
import { sharedReasons } from './tree.js'

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
  if (isRepeatable(first)) list.push(...rerunRows(page, rerunLine(result, first, false), indentOf(page)))
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
export function failureLines(page: Page, result: Failing & Pick<RunResult, 'verdict'>): string[] {
  const open = blockedSinceOpen(result)
  const judgeable = result.specs.filter(spec => !open.includes(spec))
  return [...failed(page, result), ...(result.verdict === 'untestable' ? [] : unjudged(page, judgeable))]
}
