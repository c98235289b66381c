/** Renders the console report of `client`. */
import pc from 'picocolors'
import { duration } from '../../duration.js'
import { type Page, paragraph, type Row, rows } from '../../report/layout.js'
import type { ConsoleOptions } from '../../report/reporter.js'
import { isSameQuestion } from '../judge-client.js'
import type { ClientResult, Judgement, ScenarioResult } from '../result.js'
import { around, BEYOND, changes, HEADLINES, leftOpen, missingPaths, seen, where } from './text.js'

const MARKS: Record<ScenarioResult['outcome'], string> = { passed: '✓', failed: '✗', inconclusive: '?' }

/** Most lines of a row. Expectations and answers are short; this limit is for surprises. */
const MAX_ROW_LINES = 6

/**
 * Renders the result of `client` for people: each scenario with its failed rules, then the verdict.
 * @returns lines, each ended by a line feed
 */
export function renderClientConsole(result: ClientResult, { columns, color }: ConsoleOptions): string {
  const page: Page = { columns: Math.min(120, Math.max(40, columns || 80)), paint: pc.createColors(color) }
  const { paint } = page
  const styles = { conformant: paint.green, nonconformant: paint.red, incomplete: paint.yellow }
  const lines = [
    ...folded(result.scenarios).flatMap(([first, ...others]) => scenarioLines(page, first, others)),
    '',
    ...paragraph(page, 0, HEADLINES[result.verdict], text => paint.bold(styles[result.verdict](text))),
    ...paragraph(page, 2, result.reason, String),
    '',
    ...rows(page, 2, [
      { label: 'command', text: result.command.join(' ') },
      { label: 'time', text: duration(result.durationMs) },
    ]),
    ...leftOpenLines(page, result),
    ...missingLines(page, result),
    ...changeLines(page, result),
  ]
  return lines.map(line => `${line}\n`).join('')
}

/** Puts scenarios together in which the client was not judged for one reason, so that this reason is told once. */
function folded(scenarios: readonly ScenarioResult[]): [ScenarioResult, ...ScenarioResult[]][] {
  const groups: [ScenarioResult, ...ScenarioResult[]][] = []
  for (const scenario of scenarios) {
    const alike = groups.find(([first]) => isSameQuestion(first, scenario))
    if (alike) alike.push(scenario)
    else groups.push([scenario])
  }
  return groups
}

/** Shows a scenario. @param others scenarios of which the same is to be told */
function scenarioLines(page: Page, scenario: ScenarioResult, others: readonly ScenarioResult[]): string[] {
  const { paint } = page
  const title = others.length
    ? [scenario, ...others].map(({ scenario: name }) => name).join(', ')
    : `${scenario.scenario}: ${scenario.title}`
  const style = { passed: paint.green, failed: paint.red, inconclusive: paint.yellow }[scenario.outcome]
  const head = paragraph(page, 0, title, String, `${MARKS[scenario.outcome]} `)
  const [first = '', ...rest] = head
  const lines = [style(first.slice(0, 1)) + first.slice(1), ...rest, ...paragraph(page, 2, seen(scenario), paint.dim)]
  const failed = scenario.judgements.filter(({ outcome }) => outcome === 'failed')
  const unsure = scenario.judgements
    .filter(({ outcome }) => outcome === 'open')
    .map(({ rule, got = '' }): Row => ({ label: 'open', text: `${rule}: ${got}` }))
  const open: Row[] = [
    ...unsure,
    { label: 'why', text: scenario.message ?? '' },
    { label: 'next', text: scenario.advice ?? '' },
  ].filter(({ text }) => text !== '')
  return [
    ...lines,
    ...failed.flatMap(judgement => rows(page, 4, judgementRows(page, judgement, scenario), MAX_ROW_LINES)),
    ...(open.length > 0 ? rows(page, 4, open, MAX_ROW_LINES) : []),
  ]
}

/** Lists the rules that were not judged, so that nobody takes them for passed. */
function leftOpenLines(page: Page, result: ClientResult): string[] {
  const { paint } = page
  const list = leftOpen(result).flatMap(({ rules, why }) => paragraph(page, 2, `${rules.join(', ')}: ${why}`, String))
  return [
    ...(list.length > 0 ? ['', paint.bold('Not judged'), ...list] : []),
    '',
    ...paragraph(page, 0, BEYOND, paint.dim),
  ]
}

function missingLines(page: Page, result: ClientResult): string[] {
  const paths = missingPaths(result)
  if (paths.length === 0) return []
  const text = `${paths.join(', ')}: the mock Core has no such path; give it one by --routes, or what the client does there is not tested`
  return ['', page.paint.bold('Not there'), ...paragraph(page, 2, text, String)]
}

/** Lists what to change, with the requests around each finding. It comes last, where a reader at a terminal begins. */
function changeLines(page: Page, result: ClientResult): string[] {
  const { paint } = page
  const list = changes(result)
  if (list.length === 0) return []
  const each = list.flatMap(({ judgement, scenario, also }) => {
    const places = [scenario.scenario, ...also].join(', ')
    return [
      ...paragraph(page, 2, `${judgement.rule}: ${judgement.fix}`, paint.bold),
      ...rows(page, 4, [
        { label: 'why', text: judgement.why },
        { label: 'seen in', text: places },
      ]),
      ...around(judgement, scenario).flatMap(text => paragraph(page, 6, text.slice(2), paint.dim, text.slice(0, 2))),
    ]
  })
  return ['', paint.bold('What to change'), ...each]
}

function judgementRows({ paint }: Page, judgement: Judgement, scenario: ScenarioResult): Row[] {
  const place = where(judgement, scenario)
  return [
    { label: 'rule', text: `${judgement.rule} (${judgement.level})` },
    { label: 'expected', text: judgement.title, style: paint.green },
    { label: 'got', text: judgement.got ?? '', style: paint.red },
    ...(place === '' ? [] : [{ label: 'where', text: place }]),
  ]
}
