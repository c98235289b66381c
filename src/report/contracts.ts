/** Renders the console report of verified contracts. */
import { duration } from '../duration.js'
import { isJudged, VERDICTS } from '../result/outcomes.js'
import type { RunResult, Verdict } from '../result.js'
import { next, row } from './blocks.js'
import type { ConsoleOptions } from './reporter.js'
import { failedSpec } from './run/failures.js'
import { leftOpen, specTree } from './run/findings.js'
import { renderTerminal } from './terminal.js'
import { countsOf, liveTokens, targetText } from './words.js'

/** Contracts have no pins and no baseline, so two of the verdicts do not occur. */
const HEADLINES: Partial<Record<Verdict, string>> = { conformant: 'Verified', nonconformant: 'Broken' }

/** Renders verified contracts: a tree of contracts and interactions, which are areas and specs here, then the summary. */
export function renderContracts(source: RunResult, options: ConsoleOptions): string {
  const { verdict, reason, advice, target, tokens, time, durationMs, notices, specs } = source
  const { mark, tone, word } = VERDICTS[verdict]
  const virtual = time === 'virtual' ? ": the mock Core's clock was advanced where it had to be" : ''
  const report = {
    kicker: 'Contracts',
    verdict: { mark, tone, text: HEADLINES[verdict] ?? word },
    head: [
      { text: reason },
      ...next(advice),
      { all: '', tally: countsOf(specs) },
      {
        rows: [
          ...row('target', targetText(target)),
          ...row('time', `${duration(durationMs)}${virtual}`),
          ...(tokens.left > 0 ? row('tokens', `${liveTokens(tokens)} on the Core`, 'blocked') : []),
          ...notices.flatMap(notice => row('note', notice)),
        ],
      },
    ],
    sections:
      specs.some(isJudged) || verdict !== 'untestable'
        ? specTree(specs, failedSpec)
        : leftOpen({ result: source, href: () => undefined, isFile: false }),
  }
  return renderTerminal(report, options)
}
