/** Renders the console report of verified contracts. */
import { duration } from '../duration.js'
import { countedAs, MARKS } from '../result/outcomes.js'
import { OUTCOMES, type RunResult, type Verdict } from '../result.js'
import { treeLines } from './console/tree.js'
import { flow, outcomeStyle, type Page, paragraph, type Row, rows, verdictHeadline } from './layout.js'
import type { ConsoleOptions } from './reporter.js'
import { pageOf } from './terminal.js'
import { liveTokens } from './words.js'

/** The parts of a result that the report is made from. Here a spec is an interaction, and an area is a contract. */
export type ContractsSource = Pick<
  RunResult,
  'target' | 'durationMs' | 'time' | 'verdict' | 'reason' | 'advice' | 'counts' | 'tokens' | 'notices' | 'specs'
>

/** Contracts have no pins and no baseline, so two of the verdicts do not occur. */
const HEADLINES: Partial<Record<Verdict, string>> = {
  conformant: '✓ Verified',
  nonconformant: '✗ Broken',
  incomplete: '? Incomplete',
  untestable: '! Untestable',
  pending: '… Pending',
}

/**
 * Renders verified contracts for people at a terminal: a tree of contracts and interactions, then the summary.
 * @returns lines, each ended by a line feed
 */
export function renderContracts(source: ContractsSource, options: ConsoleOptions): string {
  const page = pageOf(options)
  return [...treeLines(page, source, true), ...summary(page, source)].map(line => `${line}\n`).join('')
}

function summary(page: Page, source: ContractsSource): string[] {
  const { verdict, reason, advice, counts, target, tokens, time, durationMs, notices } = source
  const { text, style } = verdictHeadline(page, verdict)
  const pieces = OUTCOMES.filter(outcome => counts[outcome] > 0).map(outcome => ({
    text: `${MARKS[outcome]} ${countedAs(counts[outcome], outcome)}`,
    style: outcomeStyle(page, outcome),
  }))
  const virtual = time === 'virtual' ? ": the mock Core's clock was advanced where it had to be" : ''
  const facts: Row[] = [
    { label: 'target', text: target.kind === 'mock' ? `${target.url} (embedded mock Core)` : target.url },
    { label: 'time', text: `${duration(durationMs)}${virtual}` },
  ]
  if (tokens.left > 0)
    facts.push({
      label: 'tokens',
      text: `${liveTokens(tokens)} on the Core`,
      style: page.paint.yellow,
    })
  for (const notice of notices) facts.push({ label: 'note', text: notice })
  return [
    style(HEADLINES[verdict] ?? text),
    ...paragraph(page, 2, reason, String),
    ...(advice ? paragraph(page, 2, advice, page.paint.bold, '→ ') : []),
    '',
    ...flow(page, 2, pieces),
    '',
    ...rows(page, 2, facts),
  ]
}
