/** Makes what GitHub Actions shows of a fleet: a step summary and annotations. */

import { patternsOf } from '../../fleet/patterns.js'
import type { Fleet, FleetCore } from '../../fleet/types.js'
import { listed } from '../../ground/count.js'
import { grouped } from '../../ground/grouped.js'
import { isFailing } from '../../result/outcomes.js'
import { type Annotation, appendSummary, boundedCommands } from '../github.js'
import { firstThatFits, renderMarkdown } from '../markdown.js'
import { examplesOf, type FleetSource, fleetReport } from './blocks.js'
import { coreVerdict, countsText, doubtTexts, spreadText } from './words.js'

/**
 * Makes workflow commands, one for each cause: an error for each requirement that Cores fail, and for each Core that fails the fleet
 * otherwise; a warning for each reason for which Cores could not be tested to the end; a notice for each doubt and for each event on a Core.
 */
export function fleetAnnotations(fleet: Fleet): string {
  const patterns = patternsOf(fleet)
  const told = new Set(patterns.flatMap(({ cores }) => cores))
  const failing = fleet.cores.filter(core => isFailing(core.verdict) && !told.has(core))
  const open = fleet.cores.filter(({ verdict }) => verdict === 'untestable' || verdict === 'incomplete')
  const errors = patterns.map(pattern => ({
    level: 'error' as const,
    title: `${pattern.requirement.id} fails ${spreadText(pattern)}`,
    message: [pattern.requirement.text, pattern.consequence, `Specs: ${listed(pattern.specs)}`]
      .filter(Boolean)
      .join('\n'),
  }))
  const doubts = doubtTexts(fleet).map(message => ({ title: 'In doubt', message }))
  const events = fleet.cores.flatMap(({ name, events = [] }) => events.map(message => ({ title: name, message })))
  const notices = [...doubts, ...events].map((told): Annotation => ({ level: 'notice', ...told }))
  return (
    boundedCommands([...errors, ...byReason(failing, 'error')]) +
    boundedCommands(byReason(open, 'warning'), 'more reason') +
    boundedCommands(notices, 'more notice')
  )
}

function byReason(cores: readonly FleetCore[], level: Annotation['level']): Annotation[] {
  const groups = grouped(cores, core => JSON.stringify([coreVerdict(core), core.reason, core.advice]))
  return [...groups.values()].map(own => {
    const [first] = own
    const message = [first.reason, countsText(first), first.advice].filter(Boolean).join('\n')
    return { level, title: `${listed(own.map(({ name }) => name))}: ${coreVerdict(first)}`, message }
  })
}

/**
 * Appends the report to the summary of the step, if there is room for it.
 * @throws Error that says why the summary cannot be written, and what to do; or that a result cannot be read
 */
export async function writeFleetSummary({ fleet, resultOf }: FleetSource, file: string): Promise<void> {
  const examples = await examplesOf(resultOf, patternsOf(fleet))
  const texts = [false, true].map(quiet => () => renderMarkdown(fleetReport({ fleet }, examples, quiet)))
  return appendSummary(file, mostBytes => firstThatFits(mostBytes, texts))
}
