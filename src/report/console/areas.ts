/** Makes the folded tree of the console report: a line for each area, and the specs that a reader must know one by one. */
import { countedAs, isHindered, isJudged, MARKS } from '../../result/outcomes.js'
import type { Outcome, RunResult, SpecRecord } from '../../result.js'
import { OUTCOMES } from '../../result.js'
import { alikeIn, othersText } from '../causes.js'
import { grouped } from '../grouped.js'
import { type Page, paragraph, plain } from '../layout.js'
import { outcomeStyle } from '../marks.js'
import { blockedSinceOpen, type OpenCoreSource } from '../open-core.js'
import { displayWidth } from '../width.js'
import { why } from '../words.js'
import { cut } from '../wrap.js'
import { treeLines } from './tree.js'

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
export function areaLines(page: Page, result: OpenCoreSource & Pick<RunResult, 'verdict' | 'reason'>): string[] {
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
