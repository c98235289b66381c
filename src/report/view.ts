/** Makes the lines of the live view: how far the run is, and which specs wait until when. */

import { stripVTControlCharacters } from 'node:util'
import { durationRange } from '../duration.js'
import type { RunActivity, RunWait } from './activity.js'
import { type Page, plain, type Style } from './layout.js'
import { widthOf } from './redrawn.js'
import { cut, displayWidth, padded } from './wrap.js'

type Paint = Page['paint']

const SECOND = 1000
const GAP = '  '
const INDENT = '  '
const WAIT_BAR = 10
const MAX_RUN_BAR = 30
/** Narrowest columns for an id and for the purpose of a wait: less would say nothing. */
const MIN_ID = 4
const MIN_WHAT = 20
/** Smallest delay that is shown: the plan is an estimate. */
const LATE = 10 * SECOND

/** Writes a local time: `14:05:09`. */
export function timeOfDay(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 8)
}

/** Writes a countdown: `59:03` or `1:00:00`. Its width does not change from second to second, so the line stands still. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / SECOND))
  const two = (number: number) => String(number).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  return hours > 0 ? `${hours}:${rest}` : rest
}

/**
 * Shows what a run is doing: a line for the whole run, then one for each wait, as many as there is room for.
 * @param nowMs epoch milliseconds
 */
export function viewLines({ columns, paint }: Page, activity: RunActivity, rows: number, nowMs: number): string[] {
  if (rows < 1) return []
  const { waits } = activity
  const room = rows - 1
  // Only count the waits that are left out if at least one wait is shown.
  const shown = waits.slice(0, waits.length <= room || room < 2 ? room : room - 1)
  const lines = [runLine(activity, nowMs, columns, paint)]
  for (const line of waitLines(shown, nowMs, columns - INDENT.length, paint)) lines.push(INDENT + line)
  if (waits.length > shown.length && room >= 2) {
    const last = Math.max(...waits.map(wait => wait.untilMs))
    const more = `and ${waits.length - shown.length} more, the last until ${timeOfDay(last)}`
    lines.push(paint.dim(cut(INDENT + more, columns)))
  }
  return lines
}

/** Makes the longest form of the run's line that fits: bar, specs done and failed, time left, end. */
function runLine(activity: RunActivity, nowMs: number, width: number, paint: Paint): string {
  const { done, failed, total, startedMs, endsMs, waits, requests, leftMs } = activity
  // Once all waits are over, nobody knows how long the last requests take.
  const isTimed = waits.length > 0 ? Number.isFinite(endsMs) : endsMs > nowMs
  const failures = (text: string) => (failed > 0 ? [paint.red(text)] : [])
  const toEnd = endsMs - nowMs
  const timed = toEnd > -LATE ? paint.bold(`${countdown(toEnd)} left`) : paint.yellow(`${countdown(-toEnd)} late`)
  const left = isTimed ? [timed] : leftMs ? [paint.bold(`${durationRange(leftMs)} left`)] : []
  const dot = paint.dim(' · ')
  const middle = [`${done}/${total} done`, ...failures(`${failed} failed`), ...left].join(dot)
  const short = [`${done}/${total}`, ...failures(`✗ ${failed}`), ...left].join(dot)
  const full = endsMs > nowMs ? `${middle}${dot}until ${timeOfDay(endsMs)}` : middle
  for (const [form, minBar] of [
    [full, 10],
    [middle, 10],
    [short, 8],
  ] as const) {
    const room = width - widthOf(form) - GAP.length
    if (room < minBar) continue
    const sent = requests ? requests.sent / requests.expected : done / total
    const part = isTimed ? (nowMs - startedMs) / (endsMs - startedMs) : sent
    return bar(part, Math.min(MAX_RUN_BAR, room), paint.green, paint) + GAP + form
  }
  const fitting = [middle, short].find(form => widthOf(form) <= width)
  return fitting ?? cut(stripVTControlCharacters(short), width)
}

/** Shows the waits in columns: id, bar, end, time left and purpose, as many of these as the width has room for. */
function waitLines(waits: RunWait[], nowMs: number, width: number, paint: Paint): string[] {
  const ids = waits.map(wait => plain(wait.spec))
  const lefts = waits.map(wait => countdown(wait.untilMs - nowMs))
  const leftWidth = Math.max(...lefts.map(left => left.length))
  const idWidth = Math.max(...ids.map(displayWidth))

  const bare = GAP.length + leftWidth
  if (width < MIN_ID + bare) return lefts.map(left => cut(left, width))
  const withEnd = bare + GAP.length + '00:00:00'.length + ' left'.length
  const withBar = withEnd + GAP.length + WAIT_BAR
  const showsEnd = width - withEnd >= Math.min(idWidth, 10)
  const showsBar = width - withBar >= Math.min(idWidth, 16)
  const beside = showsBar ? withBar : showsEnd ? withEnd : bare
  const ample = showsBar ? Math.max(16, Math.floor(width / 3)) : width
  const idColumn = Math.min(idWidth, width - beside, ample)
  const whatColumn = showsBar ? width - idColumn - withBar - GAP.length : 0

  return waits.map((wait, index) => {
    const left = (lefts[index] ?? '').padStart(leftWidth)
    const what = plain(wait.what)
    const part = (nowMs - wait.fromMs) / (wait.untilMs - wait.fromMs)
    return [
      padded(ids[index] ?? '', idColumn),
      ...(showsBar ? [bar(part, WAIT_BAR, paint.cyan, paint)] : []),
      showsEnd ? `${timeOfDay(wait.untilMs)}${GAP}${left} left` : left,
      ...(whatColumn >= MIN_WHAT && what ? [paint.dim(cut(what, whatColumn))] : []),
    ].join(GAP)
  })
}

/** Draws a bar. It is filled for the part that is over, and full only at the end. */
function bar(part: number, width: number, style: Style, { dim }: Paint): string {
  // A wait of no time gives 0/0, and a plan without an end gives no part.
  const full = Math.floor(Math.min(1, Math.max(0, part || 0)) * width)
  return style('█'.repeat(full)) + dim('░'.repeat(width - full))
}
