/** Shows the plan of a run, in a line and as a timeline. */

import { duration, durationRange } from '../duration.js'
import { count } from '../ground/count.js'
import type { Lane, Plan } from '../result.js'
import { displayWidth, padded } from './wrap.js'

/**
 * Shows the plan in a line: `plan: 134 specs to run, about 1 h 4 min, up to 20 tokens held`.
 * @param isVirtual whether the clock of a mock Core is advanced, so that no wait takes real time
 */
export function planLine({ specs, durationMs, unlimitedMs, tokens }: Plan, isVirtual = false): string {
  const about = isVirtual
    ? `seconds (the mock Core's clock is moved by ${duration(durationMs)})`
    : `about ${duration(durationMs)}`
  const time = durationMs > 0 ? about : 'no waiting'
  const more = durationMs - unlimitedMs
  const cost = more > 0 ? `, ${duration(more)} more than with as many as one lifetime needs` : ''
  return `plan: ${count(specs, 'spec')} to run, ${time}, up to ${count(tokens, 'token')} held${cost}`
}

/** Shows a plan that fewer tokens made longer: `plan: this Core has room for 10 tokens: about 3 h 9 min, 2 h 5 min more`. */
export function replanLine(
  { durationMs, tokens }: Pick<Plan, 'durationMs' | 'tokens'>,
  before: Plan,
  isVirtual = false,
): string {
  const more = duration(durationMs - before.durationMs)
  const told = isVirtual ? `its clock is moved by ${more} more` : `about ${duration(durationMs)}, ${more} more`
  return `plan: this Core has room for ${count(tokens, 'token')}: ${told}`
}

/**
 * Says how long the requests take on a Core that is not fast: `plan: this Core answers in 301 ms, so the requests take about 2 to 8
 * min`; undefined where a reader would not notice them.
 * @param leftMs how long they take, between these bounds
 * @param perSecond how many requests a second the Core takes; absent where no limit was seen
 */
export function estimateLine(
  {
    leftMs,
    answerMs,
    logonMs,
    perSecond,
  }: { leftMs: readonly [number, number]; answerMs: number; logonMs: number; perSecond?: number },
  { durationMs }: Pick<Plan, 'durationMs'>,
): string | undefined {
  const [fewestMs, mostMs] = leftMs
  if (fewestMs + mostMs < 2 * NOTICED_MS) return undefined
  const waits = durationMs > 0 ? `, before the waits of ${duration(durationMs)}` : ''
  const pace =
    perSecond === undefined
      ? `answers in ${duration(answerMs)}${logonMs > answerMs * SLOW_LOGON ? `, and a logon in ${duration(logonMs)}` : ''}`
      : `takes about ${count(Number(perSecond.toPrecision(2)), 'request')} a second`
  return `plan: this Core ${pace}, so the requests take ${durationRange(leftMs)}${waits}`
}

/** How many times what others take a logon takes where that is told. */
const SLOW_LOGON = 3
/** A run that takes longer than this is waited for. */
const NOTICED_MS = 30_000

/** The character for each kind of event. Where several events share a place, the last kind here is shown. */
const EVENTS: Record<Lane['events'][number]['kind'], string> = { issued: '├', used: '●', revoked: '┤', checked: '✗' }
const MIN_CHART = 20

/** Draws the plan as a timeline, in lines of at most so many columns: an axis, and a line for each token of the specs that wait. */
export function planChart(plan: Plan, columns: number): string {
  const { lanes, durationMs, oneByOneMs, price } = plan
  const asked =
    price && `it sends about ${count(rounded(price.requests), 'request')}, ${rounded(price.logons)} of them logons`
  if (!lanes.length) return [planLine(plan), asked, ''].filter(line => line !== undefined).join('\n')
  const labels = lanes.map(({ specs: [first = '', ...others], token }) => {
    return `${first}${others.length ? ` +${others.length}` : ''} ${token}`
  })
  const widest = Math.max(...labels.map(displayWidth))
  const label = Math.max(8, Math.min(widest, columns - MIN_CHART - 2))
  const chart = Math.max(MIN_CHART, columns - label - 2)
  const at = (ms: number) => Math.min(chart - 1, Math.round((ms / durationMs) * (chart - 1)))
  const rows = lanes.map((lane, index) => `${padded(labels[index] ?? '', label)}  ${laneText(lane, at)}`)
  const legend = `${EVENTS.issued} issued  ${EVENTS.used} used  ${EVENTS.revoked} revoked  ${EVENTS.checked} to be rejected`
  return [
    planLine(plan),
    ...(asked === undefined ? [] : [asked]),
    `one after another, the waits would take ${duration(oneByOneMs)}`,
    '',
    `${' '.repeat(label + 2)}${axis(durationMs, chart, at)}`,
    ...rows,
    '',
    legend,
    '',
  ].join('\n')
}

/** Rounds what is right within a tenth. */
function rounded(number: number): number {
  return number < 100 ? number : Math.round(number / 10) * 10
}

function laneText({ fromMs, toMs, events }: Lane, at: (ms: number) => number): string {
  const cells: string[] = Array.from({ length: at(toMs) + 1 }, (_, cell) => (cell < at(fromMs) ? ' ' : '─'))
  for (const kind of Object.keys(EVENTS) as (keyof typeof EVENTS)[]) {
    for (const event of events.filter(event => event.kind === kind)) cells[at(event.atMs)] = EVENTS[kind]
  }
  return cells.join('')
}

/** Draws the axis: start, end and three times between them, as far as there is room. */
function axis(durationMs: number, chart: number, at: (ms: number) => number): string {
  let line = ''
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    const text = part === 0 ? '0' : duration(durationMs * part)
    const start = part === 1 ? chart - text.length : at(durationMs * part)
    if (start > line.length || part === 0) line = line.padEnd(start) + text
  }
  return line
}
