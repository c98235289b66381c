/** Renders what went wrong in Markdown: each cause once, with its number of specs and one of them as an example. */
import { count } from '../../ground/count.js'
import { MARKS, outcomeWord } from '../../result/outcomes.js'
import type { RunResult, SpecRecord, StepRecord } from '../../result.js'
import { alikeIn, blockedSinceOpen, type Cause, type Failure, failuresOf, othersText, seenBy } from '../causes.js'
import { grouped } from '../grouped.js'
import { KINDS, specBody, specSummary } from '../junit-text.js'
import { isRepeatable, rerunLine, rerunNeeds } from '../reproduce.js'
import { deciding, place, why } from '../words.js'
import { code, fenced, folded, md } from './text.js'

/** Longest evidence of one spec, in characters. */
const EVIDENCE_LENGTH = 8000

/** Shows one cause: what was seen, by how many specs, and one of them as an example. */
function causeStory(result: RunResult, { consequence, advice, specs }: Cause, evidence: boolean): string {
  const [first] = specs
  if (first === undefined) return ''
  const others = othersText(specs)
  const parts = [
    `#### ${MARKS.failed} ${md(seenBy(first))}${specs.length > 1 ? ` (${count(specs.length, 'spec')})` : ''}`,
    ...(consequence === undefined ? [] : [`**For clients:** ${md(consequence)}`]),
    [
      `- ${specs.length > 1 ? 'such as ' : ''}${md(first.title)}: ${md(first.id)}, ${md(place(first))}`,
      ...deciding(first).flatMap(stepLines),
      ...(isRepeatable(first) ? [`- again: ${code(rerunLine(result, first))}`] : []),
      ...(others === ''
        ? []
        : [`- also, for the same cause: ${advice === undefined ? md(others) : md(count(specs.length - 1, 'spec'))}`]),
    ].join('\n'),
  ]
  return [...parts, ...(evidence ? [evidenceOf(result, first)] : [])].join('\n\n')
}

/** The entries of a report that say what went wrong. Each is one cause, whatever number of specs has it. */
export interface Entries {
  failures: Failure[]
  unexpected: SpecRecord[][]
  untested: SpecRecord[][]
}

/** Lists the entries of a result. */
export function entriesOf(result: RunResult): Entries {
  const { specs, verdict, reason } = result
  const blocked = blockedSinceOpen(result)
  const open = specs.filter(spec => KINDS[spec.outcome] === 'error' && !blocked.includes(spec))
  // The head says why nothing could be tested.
  const isTold = verdict === 'untestable' && open.every(spec => why(spec) === reason)
  return {
    failures: failuresOf(result),
    unexpected: alikeIn(specs.filter(({ outcome }) => outcome === 'unexpected pass')),
    untested: isTold ? [] : [...grouped(open, spec => `${spec.outcome}: ${specSummary(spec)}`).values()],
  }
}

/** Counts entries. */
export function numberOf({ failures, unexpected, untested }: Entries): number {
  return failures.reduce((sum, { causes }) => sum + causes.length, 0) + unexpected.length + untested.length
}

/** Returns the first entries, at most so many. */
export function firstOf({ failures, unexpected, untested }: Entries, most: number): Entries {
  let left = most
  const some = <T>(all: readonly T[]): T[] => {
    const own = all.slice(0, left)
    left -= own.length
    return own
  }
  return {
    failures: failures.map(each => ({ ...each, causes: some(each.causes) })).filter(({ causes }) => causes.length > 0),
    unexpected: some(unexpected),
    untested: some(untested),
  }
}

/** Shows each failed requirement once, and below it each cause once. */
export function failed(result: RunResult, { failures, unexpected }: Entries, evidence: boolean): string {
  const parts = failures.map(({ requirement, causes }) => {
    const head =
      requirement === undefined
        ? '### Of no requirement'
        : `### ${md(requirement.id)}: ${md(requirement.text)} (${md(requirement.section)})`
    return [head, ...causes.map(cause => causeStory(result, cause, evidence))].join('\n\n')
  })
  const isAgain = failures.some(({ causes }) => causes.some(({ specs }) => specs.some(isRepeatable)))
  const needs = isAgain ? rerunNeeds(result) : undefined
  const note = needs === undefined ? [] : [`To rerun: ${md(needs)}.`]
  const all = [...parts, ...note, ...unexpected.map(own => passedStory(result, own, evidence))]
  return all.length > 0 ? `## What failed\n\n${all.join('\n\n')}` : ''
}

/** Shows specs that passed and that the baseline knows to fail, for one reason: one of them, and the names of the others. */
function passedStory(result: RunResult, specs: SpecRecord[], evidence: boolean): string {
  const [first] = specs
  if (first === undefined) return ''
  const others = othersText(specs)
  const also = others === '' ? [] : [`${count(specs.length, 'spec')} passed so, also ${md(others)}.`]
  return [story(result, first, evidence), ...also].join('\n\n')
}

/** Shows what could not be tested, each reason once with its specs. */
export function errors(result: RunResult, groups: SpecRecord[][], evidence: boolean): string {
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
