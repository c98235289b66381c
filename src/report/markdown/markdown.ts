/** Renders the Markdown report, for release notes and the step summary of GitHub Actions. */
import { duration } from '../../duration.js'
import { count, numbered } from '../../ground/count.js'
import { resumeCommand } from '../../ground/own-command.js'
import { countedAs, MARKS, outcomeWord, VERDICTS } from '../../result/outcomes.js'
import { scopeOf, withLimits } from '../../result/scope.js'
import { OUTCOMES, type RunResult, type Verdict } from '../../result.js'
import { adviceOf, alikeIn, othersText } from '../causes.js'
import { grouped } from '../grouped.js'
import { KINDS, specSummary } from '../junit-text.js'
import { coverageText, standings } from '../requirements.js'
import { agesText, doubtText, eventText, exploredText, findingText, pinsText, specsText, walkedRows } from '../words.js'
import { entriesOf, errors, failed, firstOf, numberOf } from './entries.js'
import { code, folded, md, table } from './text.js'

/** The icon of each verdict. */
export const ICONS: Record<Verdict, string> = {
  conformant: '✅',
  nonconformant: '❌',
  drifted: '❌',
  'stale baseline': '❌',
  incomplete: '⚠️',
  untestable: '⚠️',
  pending: '⏳',
}

/** Returns the headline of a report: the verdict with its icon. */
export function iconed(verdict: Verdict): string {
  return `${ICONS[verdict]} ${VERDICTS[verdict].word}`
}

/** Shows the verdict with its limits, its reason, what to do next, and the Core. */
function head(result: RunResult): string {
  const { target, suite, configuration, startedAt } = result
  const where = target.kind === 'mock' ? 'the embedded mock Core' : md(target.url)
  const took = duration(result.durationMs)
  const pins = pinsText(result)
  const rows = [
    ['Target', target.label === undefined ? where : `${md(target.label)}, ${where}`],
    ...(target.firmware === undefined ? [] : [['Firmware', md(target.firmware)]]),
    ['Suite', `${suite.name} ${md(suite.version)}, ${configuration.profile} profile`],
    ['Run', `${md(startedAt)}, ${took}${result.time === 'virtual' ? ', in virtual time' : ''}`],
    ['Specs', md(specsText(result))],
    ...(pins === undefined ? [] : [['Pins', md(pins)]]),
    ['Requirements', md(coverageText(standings(result)))],
  ]
  const next = adviceOf(result)
  const advice = next === undefined ? '' : `\n\n**Next:** ${md(next)}`
  return `# ${withLimits(iconed(result.verdict), scopeOf(result).map(md))}\n\n${md(result.reason)}${advice}\n\n${table(['Core', ''], rows)}`
}

function comeBack({ visits = [], out, target }: RunResult): string {
  if (!visits.length) return ''
  const lines = visits.map(
    ({ fromAt, untilAt }) => `- from ${md(fromAt)}${untilAt === null ? ' on' : ` to ${md(untilAt)}`}`,
  )
  return `## Come back\n\nThe rest is done by ${code(resumeCommand(out, target.flags?.config))}:\n\n${lines.join('\n')}`
}

function areas({ specs }: RunResult): string {
  if (!specs.length) return ''
  const used = OUTCOMES.filter(outcome => specs.some(spec => spec.outcome === outcome))
  const rows = [...grouped(specs, ({ area }) => area)].map(([area, members]) => [
    md(area),
    ...used.map(outcome => String(members.filter(spec => spec.outcome === outcome).length)),
  ])
  return folded('Areas', table(['Area', ...used.map(outcome => `${MARKS[outcome]} ${outcomeWord(outcome)}`)], rows))
}

/** Shows the result of exploring. */
function explored({ exploration }: RunResult): string {
  if (!exploration) return ''
  const findings = exploration.findings.map(finding => `- ${md(findingText(finding))}`).join('\n')
  const walked = walkedRows(exploration).map(row => row.map(md))
  const ages = `Valid tokens were used after so much of their lifetime: ${agesText(exploration)}.`
  const coverage = walked.length > 0 ? [table(['Token', 'Done', 'Times'], walked), ages] : []
  const body = folded('Explored', [md(exploredText(exploration)), ...coverage].join('\n\n'))
  // Findings are important, so they are not folded.
  return [findings, body].filter(Boolean).join('\n\n')
}

/** Shows the events on the Core and the requirements in doubt. */
function happened({ events = [], doubts = [] }: RunResult): string {
  return [...events.map(eventText), ...doubts.map(doubtText)].map(line => `- ⚠️ ${md(line)}`).join('\n')
}

/** Shows what was not tested, each reason once. */
function others({ specs }: RunResult): string {
  const rest = specs.filter(({ outcome }) => KINDS[outcome] === 'skipped')
  if (!rest.length) return ''
  const known = rest.filter(({ outcome }) => outcome === 'known failure')
  const skipped = rest.filter(({ outcome }) => outcome !== 'known failure')
  const groups = [...alikeIn(known), ...grouped(skipped, spec => `${spec.outcome}: ${specSummary(spec)}`).values()]
  const lines = groups.flatMap(own => {
    const [first] = own
    if (first === undefined) return []
    const others = othersText(own)
    const ids = `${md(first.id)}${others === '' ? '' : `, ${md(others)}`}`
    return `- ${MARKS[first.outcome]} ${countedAs(own.length, first.outcome)}: ${md(specSummary(first))} (${ids})`
  })
  return folded(`Not tested: ${count(rest.length, 'spec')}`, lines.join('\n'))
}

/** Shows the notices of the run, the tokens that are left, and the certificate. */
function notices({ notices, tokens, verdict, target }: RunResult): string {
  const left =
    tokens.left > 0 && verdict !== 'pending' ? [`${count(tokens.left, 'token')} may still be live on the Core`] : []
  const { certificateFingerprint: sha } = target
  const lines = [...left, ...notices].map(notice => `- ${md(notice)}`)
  const trust = sha === undefined ? [] : [`- Certificate (SHA-256): \`${sha.replace(/[^0-9A-F:]/g, '')}\``]
  return lines.length + trust.length > 0 ? [...lines, ...trust].join('\n') : ''
}

function compose(result: RunResult, evidence: boolean, most: number): string {
  const all = entriesOf(result)
  const told = firstOf(all, most)
  const more = numberOf(all) - numberOf(told)
  const parts = [
    head(result),
    notices(result),
    happened(result),
    comeBack(result),
    failed(result, told, evidence),
    errors(result, told.untested, evidence),
    more > 0
      ? `*${count(more, 'more cause')} ${numbered(more, 'is', 'are')} left out here for lack of room: see the other reports.*`
      : '',
    areas(result),
    explored(result),
    others(result),
    facts(result),
  ]
  return `${parts.filter(part => part !== '').join('\n\n')}\n`
}

/**
 * Renders the run result as GitHub Flavored Markdown. No text of the Core acts as markup.
 * @param mostBytes largest size in UTF-8. Without room, the report leaves out the evidence first, then causes, then its end
 */
export function renderMarkdown(result: RunResult, mostBytes = Number.POSITIVE_INFINITY): string {
  const all = result.specs.length
  for (const [evidence, told] of [
    [true, all],
    [false, all],
    [false, 20],
    [false, 0],
  ] as const) {
    const text = compose(result, evidence, told)
    if (Buffer.byteLength(text) <= mostBytes) return text
  }
  const start = `${head(result)}\n`
  return Buffer.byteLength(start) <= mostBytes ? start : ''
}

/** Most bytes of facts: the report of a conformant run then stays below 8 KB, which people still read. */
const MOST_FACT_BYTES = 3500

/**
 * Renders the facts: a row for each situation. The names of headers, which say least, are only in result.json, and so are facts
 * without room.
 */
function facts(result: RunResult): string {
  const all = Object.entries(result.facts)
  if (all.length === 0) return ''
  const told = all.filter(([name]) => !name.endsWith('.headers'))
  const rows = [...grouped(told, ([name]) => name.replace(/\.[^.]*$/, ''))].map(([situation, own]) => [
    md(situation),
    own.map(([name, value]) => md(`${name.slice(situation.length + 1)} ${String(value)}`.trim())).join('; '),
  ])
  const shown: string[][] = []
  let bytes = 0
  for (const row of rows) {
    bytes += Buffer.byteLength(row.join(' | '))
    if (bytes > MOST_FACT_BYTES) break
    shown.push(row)
  }
  const rest = `\n\nAll ${count(all.length, 'fact')} are in result.json.`
  const part = shown.length < rows.length || told.length < all.length ? rest : ''
  return folded('Seen, where the reference says nothing', `${table(['Of', 'Seen'], shown)}${part}`)
}
