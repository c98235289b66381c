/** Makes the summary at the end of the console report: what a person wants to know within five seconds. */
import { duration } from '../../duration.js'
import { count } from '../../ground/count.js'
import { addCoverage, coverageText } from '../../result/coverage.js'
import { countedAs, isSpec, MARKS } from '../../result/outcomes.js'
import { scopeOf, withLimits } from '../../result/scope.js'
import type { RunResult } from '../../result.js'
import { isUsual, signsInWords } from '../../settings/refused.js'
import { adviceOf, failuresOf } from '../causes.js'
import { flow, outcomeStyle, type Page, paragraph, type Row, rows, verdictHeadline } from '../layout.js'
import {
  doubtText,
  eventText,
  exploredText,
  findingText,
  liveTokens,
  measured,
  pinsText,
  sharesOf,
  targetText,
  timeTaken,
} from '../words.js'

/** Most broken requirements that the summary names. The failures above it show all. */
const MAX_FAILED = 5

function headline(page: Page, result: RunResult): string[] {
  const { text, style } = verdictHeadline(page, result.verdict)
  const told = paragraph(page, 0, withLimits(text, scopeOf(result)), style)
  const next = adviceOf(result)
  const advice = next === undefined ? [] : paragraph(page, 2, next, page.paint.bold, '→ ')
  return [...told, ...paragraph(page, 2, result.reason, String), ...advice, ...happened(page, result)]
}

/** Shows the events on the Core and the requirements in doubt. A reader must know them to understand the rest. */
function happened(page: Page, { events = [], doubts = [] }: RunResult): string[] {
  const lines = [...events.map(eventText), ...doubts.map(doubtText)]
  return lines.flatMap(line => paragraph(page, 2, line, page.paint.yellow, `${MARKS.inconclusive} `))
}

function counts(page: Page, result: RunResult): string[] {
  const { all, shares } = sharesOf(result)
  const pieces = shares.map(({ outcome, text }) => ({
    text: `${MARKS[outcome]} ${text}`,
    style: outcomeStyle(page, outcome),
  }))
  return flow(page, 2, [{ text: `${all}:`, style: String }, ...pieces])
}

/** Names the broken requirements and everything else that fails the run. */
function failed(result: RunResult): string {
  const broken = failuresOf(result).map(({ requirement, causes }) => {
    const specs = causes.flatMap(cause => cause.specs)
    const [first] = specs
    const noun = first?.pin ? 'pinned fact' : first && !isSpec(first) ? 'expired baseline entry' : 'spec'
    const number = count(specs.length, noun, noun.replace(/y$/, 'ie').concat('s'))
    return requirement === undefined ? number : `${requirement.id} (${number})`
  })
  const unexpected = result.specs.filter(({ outcome }) => outcome === 'unexpected pass').length
  const ids = [...broken, ...(unexpected > 0 ? [countedAs(unexpected, 'unexpected pass')] : [])]
  const more = ids.length > MAX_FAILED ? [`and ${ids.length - MAX_FAILED} more`] : []
  return [...ids.slice(0, MAX_FAILED), ...more].join(', ')
}

function facts(page: Page, result: RunResult): Row[] {
  const { paint } = page
  const { target, tokens, suite, configuration } = result
  const list: Row[] = []
  const names = failed(result)
  if (names !== '') list.push({ label: 'failed', text: names })
  const pins = pinsText(result)
  if (pins !== undefined) list.push({ label: 'pins', text: pins })
  list.push({ label: 'target', text: targetText(target) })
  if (target.firmware !== undefined) list.push({ label: 'firmware', text: target.firmware })
  list.push({ label: 'time', text: timeTaken(result) })
  list.push({ label: 'suite', text: `${suite.name} ${suite.version}, ${configuration.profile} profile` })
  if (tokens.left > 0 && result.verdict !== 'pending') {
    const lifetime = duration(configuration.idleLifetimeMs)
    list.push({
      label: 'tokens',
      text: `${liveTokens(tokens)} on the Core, until idle for ${lifetime}`,
      style: paint.yellow,
    })
  }
  const covered = addCoverage((result.requirements ?? []).flatMap(each => each.covered ?? []))
  if (covered) list.push({ label: 'covered', text: coverageText(covered) })
  const { exploration } = result
  if (exploration) list.push({ label: 'explored', text: exploredText(exploration) })
  for (const finding of exploration?.findings ?? []) list.push({ label: '', text: findingText(finding) })
  const { lifetime, refused } = result.dialect
  if (refused && !isUsual(refused)) list.push({ label: 'refusals', text: signsInWords(refused) })
  if (lifetime) list.push({ label: 'lifetime', text: measured(lifetime) })
  const { visits = [] } = result
  for (const [index, visit] of visits.entries()) {
    list.push({ label: index === 0 ? 'come back' : '', text: visitText(visit, index === visits.length - 1) })
  }
  for (const notice of result.notices) list.push({ label: 'note', text: notice })
  return list
}

/** Says when to come back and with which command: `2026-11-21 14:05:10 to 14:09:00 UTC: resume`. */
function visitText({ fromAt, untilAt }: NonNullable<RunResult['visits']>[number], isLast: boolean): string {
  const time = (iso: string) => iso.slice(11, 19)
  const from = `${fromAt.slice(0, 10)} ${time(fromAt)}`
  const span = untilAt === null ? `from ${from} UTC on` : `${from} to ${time(untilAt)} UTC`
  return `${span}: ${isLast ? 'resume' : 'resume --detach'}`
}

/** Makes the lines of the summary: verdict, reason, advice, counts, facts, notices. */
export function summaryLines(page: Page, result: RunResult): string[] {
  // Without blank lines, the report of a conformant Core fits on one screen.
  const isPlain = result.verdict === 'conformant' && !result.events?.length && !result.doubts?.length
  const gap = isPlain ? [] : ['']
  return [...headline(page, result), ...gap, ...counts(page, result), ...gap, ...rows(page, 2, facts(page, result))]
}
