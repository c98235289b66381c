/** Renders a fleet as Markdown, for release notes and the summary of a step. */
import { duration } from '../../duration.js'
import { type Pattern, patternsOf } from '../../fleet/patterns.js'
import type { Fleet } from '../../fleet/types.js'
import { count } from '../../ground/count.js'
import { withLimits } from '../../result/scope.js'
import { ICONS, iconed } from '../markdown/markdown.js'
import { code, md, table } from '../markdown/text.js'
import type { FleetSource } from './source.js'
import { type Example, type Examples, examplesOf, needsOf } from './source.js'
import { changeText, coreVerdict, countsText, limitsOf, namesText, spreadText, toKnow, traitsText } from './words.js'

/** Renders a fleet as GitHub Flavored Markdown, with an example for each failed requirement. No text of a Core acts as markup. */
export function renderFleetMarkdown(fleet: Fleet, examples: Examples): string {
  const parts = [head(fleet), failures(fleet, examples), since(fleet), cores(fleet), notices(fleet)]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

/**
 * Renders a fleet with the results of its Cores.
 * @throws Error if the result of a Core that failed cannot be read
 */
export async function renderFleetMarkdownOf({ fleet, resultOf }: FleetSource): Promise<string> {
  return renderFleetMarkdown(fleet, await examplesOf(resultOf, patternsOf(fleet)))
}

function head(fleet: Fleet): string {
  const { verdict, reason, suite, startedAt, durationMs } = fleet
  const rows = [
    ['Suite', `${suite.name} ${md(suite.version)}`],
    ['Started', md(startedAt)],
    ['Took', duration(durationMs)],
  ]
  return `# ${withLimits(iconed(verdict), limitsOf(fleet).map(md))}\n\n${md(reason)}\n\n${table(['Fleet', ''], rows)}`
}

function failures(fleet: Fleet, examples: Examples): string {
  const parts = patternsOf(fleet).map(pattern => {
    const { requirement, specs, consequence } = pattern
    const { id, text, section } = requirement
    const lines = [
      `- fails ${md(spreadText(pattern))}`,
      ...(consequence === undefined ? [] : [`- for clients: ${md(consequence)}`]),
      ...exampleLines(pattern, examples.get(id)),
      `- specs: ${md(namesText(specs))}`,
    ]
    return `### ${md(id)}: ${md(text)} (${md(section)})\n\n${lines.join('\n')}`
  })
  const notes = needsOf(examples).map(needs => `To rerun: ${md(needs)}.`)
  return parts.length ? `## What failed\n\n${[...parts, ...notes].join('\n\n')}` : ''
}

function exampleLines({ cores }: Pattern, example: Example | undefined): string[] {
  if (!example) return []
  const { core, expected, got, rerun } = example
  return [
    ...(cores.length > 1 ? [`- such as ${md(core)}`] : []),
    ...(expected === undefined ? [] : [`- expected: ${md(expected)}`]),
    ...(got === undefined ? [] : [`- got: ${md(got)}`]),
    ...(rerun === undefined ? [] : [`- again: ${code(rerun)}`]),
  ]
}

/** Lists the changes since an earlier fleet; empty where there is no earlier fleet. */
export function since({ since }: Pick<Fleet, 'since'>): string {
  if (!since) return ''
  const { startedAt, changes, notices } = since
  const lines = changes.map(change => `- ${md(change.core)} ${md(changeText(change))}`)
  const told = [...notices.map(notice => `- ⚠️ ${md(notice)}`), ...(lines.length ? lines : ['- nothing'])]
  return `## What changed since ${md(startedAt)}\n\n${told.join('\n')}`
}

function cores({ cores }: Fleet): string {
  const rows = cores.map(core => [
    md(core.name),
    `${ICONS[core.verdict]} ${md(coreVerdict(core))}`,
    md(countsText(core)),
    md(traitsText(core)),
    core.verdict === 'conformant' ? '' : md([core.reason, core.advice].filter(Boolean).join('; ')),
  ])
  return rows.length ? `## Cores\n\n${table(['Core', 'Verdict', 'Specs', 'Of', 'Why'], rows)}` : ''
}

function notices(fleet: Fleet): string {
  const left = fleet.cores
    .filter(({ tokens, verdict }) => tokens.left > 0 && verdict !== 'pending')
    .map(({ name, tokens }) => `- ${tokens.left} of ${count(tokens.issued, 'token')} may still be live on ${md(name)}`)
  const lines = [...left, ...toKnow(fleet).map(text => `- ${md(text)}`)]
  return lines.length ? `## Notes\n\n${lines.join('\n')}` : ''
}
