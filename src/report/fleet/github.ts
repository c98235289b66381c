/** Makes what GitHub Actions shows of a fleet: a step summary and annotations. */
import { WORST_FIRST } from '../../fleet/fleet.js'
import { patternsOf } from '../../fleet/patterns.js'
import type { Fleet } from '../../fleet/types.js'
import { isFailing } from '../../result/outcomes.js'
import { appendSummary, boundedCommands } from '../github.js'
import { examplesOf } from './examples.js'
import { renderFleetMarkdown } from './markdown.js'
import type { FleetSource } from './source.js'
import { coreVerdict, countsText } from './words.js'

/**
 * Makes workflow commands: an error for each Core that fails the fleet, a warning for each Core that could not be tested to the end.
 */
export function fleetAnnotations({ cores }: Fleet): string {
  const of = (level: 'error' | 'warning', verdicts: readonly string[]) =>
    boundedCommands(
      cores
        .filter(({ verdict }) => verdicts.includes(verdict))
        .map(core => ({
          level,
          title: `${core.name}: ${coreVerdict(core)}`,
          message: [core.reason, countsText(core), core.advice].filter(Boolean).join('\n'),
        })),
      'more Core',
    )
  return of('error', WORST_FIRST.filter(isFailing)) + of('warning', ['untestable', 'incomplete'])
}

/**
 * Appends the report to the summary of the step, if there is room for it.
 * @throws Error that says why the summary cannot be written, and what to do; or that a result cannot be read
 */
export async function writeFleetSummary({ fleet, resultOf }: FleetSource, file: string): Promise<void> {
  const examples = await examplesOf(resultOf, patternsOf(fleet))
  return appendSummary(file, mostBytes => {
    const text = renderFleetMarkdown(fleet, examples)
    if (Buffer.byteLength(text) <= mostBytes) return text
    const cores = fleet.cores.filter(({ verdict }) => verdict !== 'conformant')
    const short = renderFleetMarkdown({ ...fleet, cores }, examples)
    return Buffer.byteLength(short) <= mostBytes ? short : ''
  })
}
