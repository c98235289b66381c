/** The Markdown report: for release notes, and the step summary of GitHub Actions. */
import { duration } from '../duration.js'
import { OUTCOMES, type RunResult, type SpecRecord, type Verdict } from '../result.js'
import { grouped } from './grouped.js'
import { specBody, specSummary } from './junit-text.js'
import { fenced, md, table } from './markdown-text.js'
import { MARKS } from './marks.js'
import { coverageText, standings } from './requirements.js'
import { KINDS } from './run-case.js'
import { count, deciding, place } from './words.js'

const HEADLINES: Record<Verdict, string> = {
  conformant: '✅ Conformant',
  nonconformant: '❌ Nonconformant',
  incomplete: '⚠️ Incomplete',
  untestable: '⚠️ Untestable',
  pending: '⏳ Pending',
}

/** Of the evidence of one spec. */
const EVIDENCE_LENGTH = 8000

function head(result: RunResult): string {
  const { target, suite, configuration, startedAt } = result
  const { certificateFingerprint } = target
  const where = target.kind === 'mock' ? 'the embedded mock Core' : md(target.url)
  const rows = [
    ['Target', target.label === undefined ? where : `${md(target.label)}, ${where}`],
    ...(target.firmware === undefined ? [] : [['Firmware', md(target.firmware)]]),
    ...(certificateFingerprint
      ? [['Certificate (SHA-256)', `\`${certificateFingerprint.replace(/[^0-9A-F:]/g, '')}\``]]
      : []),
    ['Suite', `${suite.name} ${md(suite.version)}, ${configuration.profile} profile`],
    ['Started', md(startedAt)],
    [
      'Took',
      result.time === 'virtual' ? `${duration(result.durationMs)}, in virtual time` : duration(result.durationMs),
    ],
    ['Requirements', md(coverageText(standings(result)))],
  ]
  const advice = result.advice === undefined ? '' : `\n\n**Next:** ${md(result.advice)}`
  return `# ${HEADLINES[result.verdict]}\n\n${md(result.reason)}${advice}\n\n${table(['Run', ''], rows)}`
}

function comeBack({ visits = [] }: RunResult): string {
  if (!visits.length) return ''
  const lines = visits.map(
    ({ fromAt, untilAt }) => `- from ${md(fromAt)}${untilAt === null ? ' on' : ` to ${md(untilAt)}`}`,
  )
  return `## Come back\n\nThe rest is done by \`core-conformance resume\`:\n\n${lines.join('\n')}`
}

function areas({ specs }: RunResult): string {
  if (!specs.length) return ''
  const used = OUTCOMES.filter(outcome => specs.some(spec => spec.outcome === outcome))
  const rows = [...grouped(specs, ({ area }) => area)].map(([area, members]) => [
    md(area),
    ...used.map(outcome => String(members.filter(spec => spec.outcome === outcome).length)),
  ])
  return `## Areas\n\n${table(['Area', ...used.map(outcome => `${MARKS[outcome]} ${outcome}`)], rows)}`
}

function requirements(spec: SpecRecord): string[] {
  return spec.requirements.map(({ id, text, section }) => `- **${md(id)}** (${md(section)}): ${md(text)}`)
}

function story(spec: SpecRecord, evidence: boolean): string {
  const steps = deciding(spec).flatMap(({ text, expected, got }) => [
    `- ${md(text)}`,
    ...(expected === undefined ? [] : [`  - expected: ${md(expected)}`]),
    ...(got === undefined ? [] : [`  - got: ${md(got)}`]),
  ])
  const parts = [
    `### ${MARKS[spec.outcome]} ${md(spec.title)}`,
    md(specSummary(spec)),
    [...requirements(spec), ...steps, `- ${md(spec.id)}, ${md(place(spec))}`].join('\n'),
  ]
  if (evidence)
    parts.push(`<details><summary>Evidence</summary>\n\n${fenced(specBody(spec), EVIDENCE_LENGTH)}\n\n</details>`)
  return parts.join('\n\n')
}

function stories(title: string, specs: SpecRecord[], evidence: boolean): string {
  return specs.length ? `## ${title}\n\n${specs.map(spec => story(spec, evidence)).join('\n\n')}` : ''
}

function others({ specs }: RunResult): string {
  const rest = specs.filter(({ outcome }) => KINDS[outcome] === 'skipped')
  if (!rest.length) return ''
  const rows = rest.map(spec => [`${MARKS[spec.outcome]} ${spec.outcome}`, md(spec.title), md(specSummary(spec))])
  return `## Not tested\n\n${table(['Outcome', 'Spec', 'Why'], rows)}`
}

function facts(result: RunResult): string {
  const rows = Object.entries(result.facts).map(([name, value]) => [md(name), md(String(value))])
  return rows.length ? `## Facts observed\n\nThe reference leaves these open.\n\n${table(['Fact', 'Value'], rows)}` : ''
}

function notices({ notices, tokens, verdict }: RunResult): string {
  const left =
    tokens.left > 0 && verdict !== 'pending' ? [`${count(tokens.left, 'token')} may still be live on the Core`] : []
  const lines = [...left, ...notices].map(notice => `- ${md(notice)}`)
  return lines.length ? `## Notes\n\n${lines.join('\n')}` : ''
}

function compose(result: RunResult, evidence: boolean, told: number): string {
  const of = (kind: string) => result.specs.filter(({ outcome }) => KINDS[outcome] === kind)
  const failures = of('failure')
  const errors = of('error')
  const more = failures.length + errors.length - told
  const parts = [
    head(result),
    comeBack(result),
    stories('What failed', failures.slice(0, told), evidence),
    stories('What could not be tested', errors.slice(0, Math.max(0, told - failures.length)), evidence),
    more > 0 ? `*${more} more are not told here, for want of room: see the other reports.*` : '',
    areas(result),
    others(result),
    facts(result),
    notices(result),
  ]
  return `${parts.filter(part => part !== '').join('\n\n')}\n`
}

/**
 * The run result as GitHub Flavored Markdown, in which no text of the Core does anything.
 * @param mostBytes what it may be long, in UTF-8: with less room the evidence goes first, then specs, then the end
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
