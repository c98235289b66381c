/** Renders a diff as Markdown, for release notes and merge requests. */

import { clip, inert } from '../../report/inert.js'
import { CONSEQUENCES, type Comparison, type Diff } from '../types.js'
import { cellText, countsText, headline, leftOpen, type ShownChange, shownChanges } from './words.js'

/** Longest text, in characters. diff.json has the whole text. */
const MOST = 400

/** Escapes a text for one table cell: nothing in it acts as markup or ends the cell. */
function plain(text: string): string {
  return inert(clip(text, MOST))
    .replace(/[\\`*_{}[\]()#+!|<>~@&]/g, character => `&#${character.charCodeAt(0)};`)
    .replace(/^([-=]|\d+\.)/, '\\$1')
    .replaceAll('://', ':&#47;&#47;')
}

function table(head: string[], lines: string[][]): string[] {
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [row(head), row(head.map(() => '---')), ...lines.map(row), '']
}

function changeRow({ kind, what, of, seen, requirements, why }: ShownChange): string[] {
  const word = kind === 'failure' ? 'fails now: ' : kind === 'fixed' ? 'fixed: ' : ''
  const more = seen === undefined ? '' : `<br>${plain(seen)}`
  return [`${word}${plain(what)}${more}`, [...of, ...requirements].map(plain).join(', '), plain(why)]
}

function comparisonLines(diff: Diff, comparison: Comparison): string[] {
  const { runs } = diff
  const [from, to] = [runs[comparison.from], runs[comparison.to]].map(run => plain(run?.name ?? ''))
  const changes = shownChanges(diff, comparison)
  const groups = CONSEQUENCES.flatMap(consequence => {
    const group = changes.filter(change => change.consequence === consequence)
    if (!group.length) return []
    return [`### ${consequence}`, '', ...table(['Change', 'Of', 'For clients'], group.map(changeRow))]
  })
  const list = [
    ...comparison.notices.map(notice => `- ${plain(notice)}`),
    ...(comparison.stillFailing.length ? [`- still failing: ${comparison.stillFailing.map(plain).join(', ')}`] : []),
    ...leftOpen(comparison.notCompared).map(
      ({ what, of, why }) => `- not compared: ${what}, ${plain(why)}: ${of.map(plain).join(', ')}`,
    ),
  ]
  return [`## ${from} → ${to}`, '', `${countsText(comparison)}.`, '', ...groups, ...(list.length ? [...list, ''] : [])]
}

/** Renders a diff as GitHub Flavored Markdown. With three or more runs, adds the table of firmware by requirement. */
export function renderDiffMarkdown(diff: Diff): string {
  const runs = diff.runs.map(({ name, verdictText, url, startedAt, file }) =>
    [name, verdictText, url, startedAt, file].map(plain),
  )
  const matrix = diff.matrix.map(({ requirement, text, cells }) => [
    plain(requirement),
    plain(text),
    ...cells.map(cellText).map(plain),
  ])
  const lines = [
    `# ${headline(diff)}`,
    '',
    ...table(['Run', 'Verdict', 'Core', 'Started', 'File'], runs),
    ...diff.comparisons.flatMap(comparison => comparisonLines(diff, comparison)),
    ...(diff.runs.length > 2
      ? [
          '## Requirements',
          '',
          ...table(['Requirement', 'Statement', ...diff.runs.map(({ name }) => plain(name))], matrix),
        ]
      : []),
  ]
  return `${lines.join('\n').trimEnd()}\n`
}
