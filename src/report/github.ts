/** Makes what GitHub Actions shows of a run: a step summary and annotations. */
import { appendFile, stat } from 'node:fs/promises'
import { count, listed } from '../ground/count.js'
import { grouped } from '../ground/grouped.js'
import { accused } from '../result/accused.js'
import { isHindered } from '../result/outcomes.js'
import { verdictText } from '../result/scope.js'
import type { RunResult, SpecRecord } from '../result.js'
import { systemReason } from '../suite/problem.js'
import { needsRunCase, runBody, runSummary } from './cases.js'
import { alikeIn, blockedSinceOpen, type Cause, failuresOf, seenBy } from './causes.js'
import { specSummary } from './evidence.js'
import { clip, inert, inertLines } from './inert.js'
import { MOST_ALIKE } from './run/failures.js'
import { renderMarkdown } from './run/render.js'
import { deciding, doubtText, eventText, ownPlace } from './words.js'

/** Largest summary of a step. GitHub does not show a larger one at all. */
const SUMMARY_BYTES = 1024 * 1024

/** Most annotations of a level: GitHub shows ten errors and ten warnings a step. With more, the last one counts the rest. */
const MOST_SHOWN = 10

const MESSAGE_LENGTH = 2000

/** One annotation, before it is written. */
export interface Annotation {
  level: 'error' | 'warning' | 'notice'
  title: string
  message: string
  file?: string
  line?: number
}

/** Escapes the text after the `::` of a workflow command, so that nothing in it ends the line. */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

/** Escapes the value of a property of a workflow command, so that nothing in it ends the value. */
function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

function command({ level, title, message, file, line }: Annotation): string {
  const properties = [
    ...(file ? [`file=${property(inert(file))}`] : []),
    ...(line !== undefined && Number.isInteger(line) && line > 0 ? [`line=${line}`] : []),
    `title=${property(inert(clip(title, 200)))}`,
  ]
  return `::${level} ${properties.join(',')}::${data(inertLines(clip(message, MESSAGE_LENGTH)))}\n`
}

function annotationOf(spec: SpecRecord, level: Annotation['level'], others: readonly SpecRecord[] = []): Annotation {
  const steps = deciding(spec).map(
    ({ text, expected, got }) => `${text}\n  expected: ${expected ?? 'something else'}\n  got: ${got ?? 'nothing'}`,
  )
  const told = level === 'error' ? accused(spec) : spec.requirements
  const requirements = told.map(({ id, text }) => `${id}: ${text}`)
  const ids = others.map(({ id }) => id)
  const also = others.length === 0 ? [] : [`Also for this cause: ${listed(ids, MOST_ALIKE)}`]
  const message = [specSummary(spec), ...requirements, ...steps, ...also].join('\n')
  const title =
    others.length === 0
      ? spec.title || spec.id
      : `${count(others.length + 1, 'spec')} ${spec.outcome === 'failed' ? `failed for one cause: ${seenBy(spec)}` : 'passed, and the baseline knows them to fail'}`
  return { level, title, message, ...ownPlace(spec) }
}

/**
 * Makes one annotation of each cause, with the number of its specs and one of them as an example. Where there is something to do, such
 * as for an open Core, it stands in the place of the example.
 */
function failures(result: RunResult): Annotation[] {
  const unexpected = alikeIn(result.specs.filter(({ outcome }) => outcome === 'unexpected pass'))
  const causes: Cause[] = failuresOf(result).flatMap(failure => failure.causes)
  causes.push(...unexpected.map(specs => ({ specs })))
  return causes.map(({ specs: [first, ...others], advice }) => {
    if (advice === undefined) return annotationOf(first, 'error', others)
    return { level: 'error', title: `${count(others.length + 1, 'spec')} failed for one cause`, message: advice }
  })
}

/**
 * Writes annotations of one level as workflow commands: the first ones, and the number of the rest.
 * @param noun what the rest is, such as `more Core`
 */
export function boundedCommands(annotations: readonly Annotation[], noun = 'more cause'): string {
  const [first] = annotations
  if (first === undefined || annotations.length <= MOST_SHOWN) return annotations.map(command).join('')
  const title = count(annotations.length - MOST_SHOWN + 1, noun)
  const more = { level: first.level, title, message: 'The summary of this step lists them all.' }
  return [...annotations.slice(0, MOST_SHOWN - 1), more].map(command).join('')
}

/** Makes one annotation of all specs that could not be tested for the same reason. */
function untested(specs: readonly SpecRecord[]): Annotation[] {
  return [...grouped(specs, specSummary)].map(([summary, members]) => {
    if (members.length === 1) return annotationOf(members[0], 'warning')
    const titles = members.map(({ title, id }) => `- ${title || id}`)
    const title = `${count(members.length, 'spec')} could not be tested`
    return { level: 'warning', title, message: [summary, ...titles].join('\n') }
  })
}

function happened({ events = [], doubts = [] }: RunResult): Annotation[] {
  return [
    ...events.map(event => ({ title: event.kind, message: eventText(event) })),
    ...doubts.map(doubt => ({ title: `${doubt.requirement} is in doubt`, message: doubtText(doubt) })),
  ].map(told => ({ level: 'notice', ...told }))
}

/** Makes the annotations of a run, as workflow commands. A failure is an error; a spec that could not be tested is a warning. */
export function annotations(result: RunResult): string {
  const blocked = blockedSinceOpen(result)
  const title = `The run is ${verdictText(result)}`
  // Every spec of an untestable run says why. This annotation says what to do.
  const isOfRun = needsRunCase(result) || result.verdict === 'untestable'
  const ofRun: Annotation[] = isOfRun ? [{ level: 'error', title, message: runBody(result) }] : []
  const hindered = result.specs.filter(spec => isHindered(spec) && !blocked.includes(spec))
  const pending: Annotation = { level: 'notice', title, message: runSummary(result) }
  return [
    boundedCommands([...ofRun, ...failures(result)]),
    boundedCommands(untested(hindered)),
    boundedCommands(happened(result)),
    ...(result.verdict === 'pending' ? [command(pending)] : []),
  ].join('')
}

/**
 * Appends the report to the summary of the step, shortened to the room that is left.
 * @throws Error that says why the summary cannot be written, and what to do
 */
export function writeSummary(result: RunResult, file: string): Promise<void> {
  return appendSummary(file, mostBytes => renderMarkdown(result, mostBytes))
}

/**
 * Appends a text to the summary of the step.
 * @param make makes the text; takes the room that is left, in bytes
 * @throws Error that says why the summary cannot be written, and what to do
 */
export async function appendSummary(file: string, make: (mostBytes: number) => string): Promise<void> {
  try {
    const { size } = await stat(file).catch(() => ({ size: 0 }))
    await appendFile(file, make(Math.max(0, SUMMARY_BYTES - size)))
  } catch (cause) {
    const isDenied = /^(?:EACCES|EPERM)$/.test(String((cause as NodeJS.ErrnoException).code))
    const why = isDenied ? 'this user may not write it' : systemReason(cause, 'file')
    throw new Error(`Cannot write the step summary ${inert(file)}: ${why}. GITHUB_STEP_SUMMARY names it.`, { cause })
  }
}
