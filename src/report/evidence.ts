/** Makes the evidence of a spec as text: a one-line summary, and a body with all that a person needs to decide. */

import { duration } from '../duration.js'
import { count } from '../ground/count.js'
import { accused, isMiss } from '../result/accused.js'
import type { ExchangeRecord, RequestRecord, RunResult, SpecRecord, StepRecord } from '../result.js'
import { scriptOf } from './by-hand.js'
import type { Cause } from './causes.js'
import { clip, inert, inertLines } from './inert.js'
import { isRepeatable, rerunLine, rerunNeeds } from './reproduce.js'
import { deciding, missedStep, place, why } from './words.js'
import { attributeText } from './xml.js'

/** Most exchanges of a spec that are shown, half from each end: GitLab accepts 30 MB a file. */
const MAX_EXCHANGES = 20

/** Longest text, in characters: an answer may quote a body. */
const TEXT_LENGTH = 2000

/** Limits a text that may quote a body. */
export function bounded(text: string): string {
  return clip(text, TEXT_LENGTH)
}

function stepText({ text, expected, got }: StepRecord): string {
  const lines = [bounded(`Step: ${text}`)]
  if (expected !== undefined) lines.push(`  expected: ${bounded(expected)}`)
  if (got !== undefined) lines.push(`  got:      ${bounded(got)}`)
  return lines.join('\n')
}

function exchanges(spec: SpecRecord): string {
  const judged = new Set(deciding(spec).flatMap(({ missed, exchanges }) => missed ?? exchanges))
  const texts = spec.exchanges.map((exchange, index) => exchangeText(index + 1, exchange, judged.has(index)))
  const surplus = texts.length - MAX_EXCHANGES
  // Half from each end: the beginning shows the preparation, the end shows the miss.
  if (surplus > 0) texts.splice(MAX_EXCHANGES / 2, surplus, `… ${surplus} more, see result.json`)
  return texts.length === 0 ? '' : ['Exchanges:', ...texts].join('\n')
}

/** Says why a spec has its outcome, in one line. Attribute and body use the same line. */
export function specSummary(spec: SpecRecord): string {
  return attributeText(why(spec))
}

/** Describes the cause of a failed spec. Only the first spec of a cause has all of it; the others name the first. */
function causeText(spec: SpecRecord, { advice, specs }: Cause): string[] {
  const [first, ...others] = specs
  const next = advice === undefined ? [] : [bounded(`Next: ${advice}`)]
  if (first !== spec) return [...next, bounded(`The same cause as ${first.id}, which has the details.`)]
  const consequence = missedStep(spec)?.consequence
  return [
    ...next,
    ...(consequence === undefined ? [] : [bounded(`For clients: ${consequence}`)]),
    ...(others.length === 0 ? [] : [bounded(`The same cause: ${others.map(({ id }) => id).join(', ')}`)]),
  ]
}

/**
 * Writes the evidence of a spec as text of several lines: summary, what was seen, requirements, deciding steps, place,
 * exchanges; of a failure also how to repeat it.
 * @param source the run of the spec
 * @param cause the cause of a failed spec, with the other specs of the same cause
 */
export function specBody(spec: SpecRecord, source: RunResult, cause?: Cause): string {
  const { seen } = spec.steps.find(isMiss) ?? {}
  const requirements = spec.outcome === 'failed' ? accused(spec) : spec.requirements
  const blocks = [
    specSummary(spec),
    seen === undefined ? '' : bounded(`Seen: ${seen}`),
    requirements.map(({ id, section, text }) => bounded(`${id} (${section}): ${text}`)).join('\n'),
    ...(cause ? causeText(spec, cause) : []),
    ...deciding(spec).map(stepText),
    bounded(`Spec: ${spec.id}, ${place(spec)}`),
    reproduction(spec, source),
    exchanges(spec),
  ]
  return blocks.filter(block => block !== '').join('\n\n')
}

/** Says how to repeat a failure: the command line, then a shell script for a run by hand. */
function reproduction(spec: SpecRecord, source: RunResult): string {
  if (spec.outcome !== 'failed' || !isRepeatable(spec)) return ''
  const [script, needs] = [scriptOf(source, spec), rerunNeeds(source)]
  return [
    `Again: ${rerunLine(source, spec)}`,
    ...(needs === undefined ? [] : [`To rerun: ${needs}.`]),
    ...(script === undefined ? [] : [`By hand, as a shell script:\n\n${script.trimEnd()}`]),
  ].join('\n\n')
}

const BODY_LENGTH = 400
const BODY_LINES = 8

/** Longest path or header, in characters. */
const LINE_LENGTH = 300

/** The headers that decide about access. */
const TELLING = ['host', 'authorization']

function line(text: string): string {
  return inert(clip(text, LINE_LENGTH))
}

function bodyLines(sign: string, body: string | undefined): string[] {
  if (body === undefined || body === '') return []
  const lines = inertLines(clip(body, BODY_LENGTH)).split('\n')
  const shown = lines.slice(0, BODY_LINES).map(text => `   ${sign} ${text}`)
  return lines.length > BODY_LINES ? [...shown, `   ${sign} …`] : shown
}

/** Shows Host and Authorization as sent. Also says when one is absent, since several specs are about that. */
function tellingHeaders({ headers }: RequestRecord): string {
  return TELLING.flatMap(name => {
    const sent = headers.filter(([key]) => key.toLowerCase() === name)
    return sent.length === 0 ? [`no ${name}`] : sent.map(([key, value]) => line(`${key}: ${value}`))
  }).join(', ')
}

/** Shows an exchange as lines of inert text: the request with status or error, the headers about access, the start of each body. */
function exchangeText(number: number, exchange: ExchangeRecord, isMissed: boolean): string {
  const { request, response, error, durationMs, earlier = [], variation } = exchange
  const { status, statusText, bodyBytes = 0, complete } = response ?? {}
  const answer = `${line(`${status} ${statusText}`.trim())}, ${count(bodyBytes, 'byte')}${complete ? '' : ', incomplete'}`
  const tries = earlier.map(({ status, error, durationMs }) => {
    const came = [status, error && line(error.message)].filter(part => part !== undefined).join(', ')
    return `${came} (${duration(durationMs)})`
  })
  const wrong = error === undefined ? '' : `, ${error.kind}: ${line(error.message)}`
  const asked = `${line(`${request.method} ${request.path}`)} HTTP/${request.httpVersion}`
  return [
    `${number}. ${asked} → ${response ? answer : 'no response'}${wrong} (${duration(durationMs)})${isMissed ? ' ← missed here' : ''}`,
    ...(variation === undefined ? [] : [`   variation: ${line(variation)}`]),
    ...(tries.length > 0 ? [`   sent before: ${tries.join('; then ')}`] : []),
    `   > ${tellingHeaders(request)}`,
    ...bodyLines('>', request.body),
    ...bodyLines('<', response?.body),
  ].join('\n')
}
