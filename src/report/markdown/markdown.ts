/** Renders the Markdown report, for release notes and the step summary of GitHub Actions. */

import { duration } from '../../duration.js'
import { count, numbered } from '../../ground/count.js'
import { resumeCommand } from '../../ground/own-command.js'
import { countedAs, MARKS, outcomeWord, VERDICTS } from '../../result/outcomes.js'
import { scopeOf, withLimits } from '../../result/scope.js'
import { OUTCOMES, type RunResult, type SpecRecord, type StepRecord, type Verdict } from '../../result.js'
import { type Cause, failuresOf, seenBy } from '../causes.js'
import { agesText, exploredText, findingText, walkedRows } from '../explored.js'
import { grouped } from '../grouped.js'
import { specBody, specSummary } from '../junit-text.js'
import { adviceOf, blockedSinceOpen } from '../open-core.js'
import { isRepeatable, rerunLine, rerunNeeds } from '../reproduce.js'
import { coverageText, standings } from '../requirements.js'
import { KINDS } from '../run-case.js'
import { pinsText, specsText } from '../tally.js'
import { deciding, doubtText, eventText, place, why } from '../words.js'
import { facts } from './facts.js'
import { code, fenced, folded, md, table } from './text.js'

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

/** Longest evidence of one spec, in characters. */
const EVIDENCE_LENGTH = 8000

/** Most specs that are named for one reason. */
const MOST_NAMED = 4

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

function comeBack({ visits = [], out }: RunResult): string {
  if (!visits.length) return ''
  const lines = visits.map(
    ({ fromAt, untilAt }) => `- from ${md(fromAt)}${untilAt === null ? ' on' : ` to ${md(untilAt)}`}`,
  )
  return `## Come back\n\nThe rest is done by ${code(resumeCommand(out))}:\n\n${lines.join('\n')}`
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

/** Shows what the specs of one cause share, then each spec. */
function causeStory(result: RunResult, { step, consequence, advice, specs }: Cause, evidence: boolean): string {
  const told = [
    ...(consequence === undefined ? [] : [`**For clients:** ${md(consequence)}`]),
    ...(step === undefined || specs.length < 2 ? [] : [stepLines(step).join('\n')]),
  ]
  // If one remedy mends all specs of a cause, show only the first.
  const [first, ...rest] = specs
  const each = (advice === undefined || !first ? specs : [first]).map(spec => {
    const lines = [
      `#### ${MARKS.failed} ${md(seenBy(spec))}`,
      [
        `- ${md(spec.title)}: ${md(spec.id)}, ${md(place(spec))}`,
        ...(specs.length < 2 ? deciding(spec).flatMap(stepLines) : []),
        ...(isRepeatable(spec) ? [`- again: ${code(rerunLine(result, spec))}`] : []),
      ].join('\n'),
    ]
    return [...lines, ...(evidence ? [evidenceOf(result, spec)] : [])].join('\n\n')
  })
  const more =
    advice === undefined || rest.length === 0 ? [] : [`${count(rest.length, 'spec')} more failed for the same cause.`]
  return [...told, ...each, ...more].join('\n\n')
}

/** Shows each failed requirement once, and below it each cause once. */
function failures(result: RunResult, evidence: boolean): string {
  const parts = failuresOf(result).map(({ requirement, causes }) => {
    const head =
      requirement === undefined
        ? '### Of no requirement'
        : `### ${md(requirement.id)}: ${md(requirement.text)} (${md(requirement.section)})`
    return [head, ...causes.map(cause => causeStory(result, cause, evidence))].join('\n\n')
  })
  const unexpected = result.specs.filter(({ outcome }) => outcome === 'unexpected pass')
  const isAgain = result.specs.some(spec => spec.outcome === 'failed' && isRepeatable(spec))
  const needs = isAgain ? rerunNeeds(result) : undefined
  const note = needs === undefined ? [] : [`To rerun: ${md(needs)}.`]
  const all = [...parts, ...note, ...unexpected.map(spec => story(result, spec, evidence))]
  return all.length > 0 ? `## What failed\n\n${all.join('\n\n')}` : ''
}

/** Shows what could not be tested, each reason once with its specs; not the reason why nothing could be, which the head says. */
function errors(result: RunResult, specs: SpecRecord[], evidence: boolean): string {
  if (result.verdict === 'untestable' && specs.every(spec => why(spec) === result.reason)) return ''
  const groups = [...grouped(specs, spec => `${spec.outcome}: ${specSummary(spec)}`).values()]
  const parts = groups.map(own => {
    const [first] = own
    if (first === undefined || own.length === 1) return own.map(spec => story(result, spec, evidence)).join('')
    const names = own.map(spec => `- ${md(spec.title)}: ${md(spec.id)}, ${md(place(spec))}`).join('\n')
    return `### ${MARKS[first.outcome]} ${count(own.length, 'spec')} ${outcomeWord(first.outcome)}\n\n${md(specSummary(first))}\n\n${names}`
  })
  return parts.length > 0 ? `## What could not be tested\n\n${parts.join('\n\n')}` : ''
}

function stepLines({ text, expected, got }: StepRecord): string[] {
  return [
    `- ${md(text)}`,
    ...(expected === undefined ? [] : [`  - expected: ${md(expected)}`]),
    ...(got === undefined ? [] : [`  - got: ${md(got)}`]),
  ]
}

function evidenceOf(result: RunResult, spec: SpecRecord): string {
  return folded('Evidence, and how to see it again', fenced(specBody(spec, undefined, result), EVIDENCE_LENGTH))
}

function requirements(spec: SpecRecord): string[] {
  return spec.requirements.map(({ id, text, section }) => `- **${md(id)}** (${md(section)}): ${md(text)}`)
}

function story(result: RunResult, spec: SpecRecord, evidence: boolean): string {
  const steps = deciding(spec).flatMap(stepLines)
  const parts = [
    `### ${MARKS[spec.outcome]} ${md(spec.title)}`,
    md(specSummary(spec)),
    [...requirements(spec), ...steps, `- ${md(spec.id)}, ${md(place(spec))}`].join('\n'),
  ]
  return [...parts, ...(evidence ? [evidenceOf(result, spec)] : [])].join('\n\n')
}

/** Shows what was not tested, each reason once. */
function others({ specs }: RunResult): string {
  const rest = specs.filter(({ outcome }) => KINDS[outcome] === 'skipped')
  if (!rest.length) return ''
  const lines = [...grouped(rest, spec => `${spec.outcome}: ${specSummary(spec)}`).values()].flatMap(own => {
    const [first] = own
    if (first === undefined) return []
    const ids = own.slice(0, MOST_NAMED).map(({ id }) => md(id))
    const more = own.length > MOST_NAMED ? [`and ${own.length - MOST_NAMED} more`] : []
    return `- ${MARKS[first.outcome]} ${countedAs(own.length, first.outcome)}: ${md(specSummary(first))} (${[...ids, ...more].join(', ')})`
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

function compose(result: RunResult, evidence: boolean, told: number): string {
  const of = (kind: string) => result.specs.filter(({ outcome }) => KINDS[outcome] === kind)
  const blocked = blockedSinceOpen(result)
  const [failing, open] = [of('failure'), of('error').filter(spec => !blocked.includes(spec))]
  const more = failing.length + open.length - told
  const parts = [
    head(result),
    notices(result),
    happened(result),
    comeBack(result),
    failures({ ...result, specs: failing.slice(0, told) }, evidence),
    errors(result, open.slice(0, Math.max(0, told - failing.length)), evidence),
    more > 0
      ? `*${more} more ${numbered(more, 'is', 'are')} left out here for lack of room: see the other reports.*`
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
 * @param mostBytes largest size in UTF-8. Without room, the report leaves out the evidence first, then specs, then its end
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
