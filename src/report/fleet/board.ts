/** Shows the progress of a fleet: a live table on a terminal; elsewhere a line for each Core that ends, and one every 30 seconds. */
import { duration, durationRange } from '../../duration.js'
import type { FleetCore } from '../../fleet/types.js'
import { count } from '../../ground/count.js'
import { VERDICTS } from '../../result/outcomes.js'
import type { Verdict } from '../../result.js'
import type { RunActivity } from '../activity.js'
import { headlineStyle, type Page, plain } from '../layout.js'
import { type ProgressStream, redrawn } from '../redrawn.js'
import { countdown, timeOfDay } from '../view.js'
import { cut, displayWidth, padded } from '../wrap.js'
import { coreVerdict, countsText } from './words.js'

/** Shows the progress of a fleet. */
export type Board = ReturnType<typeof createBoard>

/** Time between two drawings of the table: countdowns show seconds. */
const EVERY_MS = 1000
/** Longest time without a line in a log. */
const QUIET_MS = 30_000

/** Makes a board for the Cores of these names, in their order. @param options whether lines may be redrawn in place, and coloured */
export function createBoard(
  names: readonly string[],
  stream: ProgressStream,
  { live, color }: { live: boolean; color: boolean },
) {
  const states = new Map(names.map(name => [name, { name, isUnderWay: false } as State]))
  const of = (name: string) => states.get(name) ?? { name, isUnderWay: false }
  const all = () => [...states.values()]
  const region = live
    ? redrawn(stream, color, (page, rows) => boardLines(page, all(), Math.max(2, rows), Date.now()))
    : undefined
  let toldMs = Date.now()
  let stopped = false
  const tell = (line: string) => {
    toldMs = Date.now()
    stream.write(`${line}\n`)
  }
  const tick = () => {
    if (region) region.draw()
    else if (Date.now() - toldMs >= QUIET_MS) tell(standingText(all(), Date.now()))
  }
  const timer = setInterval(tick, EVERY_MS).unref()
  return {
    /** Notes that the run of this Core began. */
    began: (name: string) => {
      of(name).isUnderWay = true
    },
    /** Notes the activity of a run. It is cheap: runs may call it hundreds of times a second. */
    show: (name: string, activity: RunActivity) => {
      of(name).activity = activity
    },
    /** Notes that the run of a Core ended. */
    ended: (core: FleetCore) => {
      Object.assign(of(core.name), { core, isUnderWay: false })
      if (stopped) return
      if (region) return region.draw()
      const { verdict, name, hasResult, durationMs } = core
      const took = hasResult ? `, ${duration(durationMs)}` : ''
      const place = `${all().filter(({ core }) => core).length} of ${names.length}`
      tell(`${VERDICTS[verdict].mark} ${plain(name)} is ${coreVerdict(core)}: ${toldOf(core)}${took} (${place})`)
    },
    /** Clears the table and writes nothing more. */
    stop: () => {
      stopped = true
      clearInterval(timer)
      region?.stop()
    },
  }
}

/** The verdicts that need attention, the worst first. A Core that is out of reach is not called nonconformant. */
const WRONG: readonly Verdict[] = ['nonconformant', 'drifted', 'stale baseline', 'incomplete', 'untestable']

/** Returns the place in a table without room for all: Cores that need attention, running ones, waiting ones, the others. */
function rank({ core, isUnderWay }: State): number {
  if (core) return WRONG.includes(core.verdict) ? 0 : 3
  return isUnderWay ? 1 : 2
}

/** Makes a line for the fleet, then one for each Core as far as there is room. @param nowMs epoch milliseconds */
export function boardLines(page: Page, states: readonly State[], rows: number, nowMs: number): string[] {
  const { paint } = page
  const { ended, running, endsMs } = standing(states, nowMs)
  const wrong = WRONG.flatMap(verdict => {
    const number = states.filter(({ core }) => core?.verdict === verdict).length
    return number > 0 ? [{ verdict, text: `${number} ${verdict}` }] : []
  })
  const headStyle = wrong[0] ? headlineStyle(page, VERDICTS[wrong[0].verdict].tone) : paint.bold
  const head = [
    `${ended} of ${count(states.length, 'Core')} done`,
    ...wrong.map(({ text }) => text),
    `${running} under way`,
    ...(endsMs === undefined ? [] : [`${countdown(endsMs - nowMs)} left`, `until ${timeOfDay(endsMs)}`]),
  ]
  // As many pieces as fit, at least the first.
  const heads = head.map((_, index) => head.slice(0, index + 1).join(' · '))
  const told = heads.findLast(each => displayWidth(each) <= page.columns) ?? heads[0] ?? ''
  const ordered = [...states].sort((a, b) => rank(a) - rank(b))
  const room = rows - 1
  const shown = ordered.slice(0, ordered.length <= room ? room : Math.max(0, room - 1))
  const width = Math.min(
    Math.max(4, ...shown.map(({ name }) => displayWidth(plain(name)))),
    Math.max(8, Math.floor(page.columns / 3)),
  )
  const lines = shown.map(state => coreLine(page, state, width, nowMs))
  const more = ordered.length - shown.length
  return [
    headStyle(cut(told, page.columns)),
    ...lines,
    ...(more > 0 && room >= 1 ? [paint.dim(cut(`  and ${more} more`, page.columns))] : []),
  ]
}

function coreLine(page: Page, { name, core, activity, isUnderWay }: State, width: number, nowMs: number): string {
  const { columns, paint } = page
  const shown = padded(plain(name), width)
  const rest = (text: string) => cut(`  ${text}`, Math.max(1, columns - width - 2))
  if (core) {
    const { mark, tone } = VERDICTS[core.verdict]
    return headlineStyle(page, tone)(`${mark} ${shown}${rest(`${coreVerdict(core)}: ${toldOf(core)}`)}`)
  }
  if (!isUnderWay) return paint.dim(`  ${shown}`)
  const told = rest(activity ? activityText(activity, nowMs) : 'begins')
  return paint.cyan(`… ${shown}`) + (activity?.failed ? paint.red(told) : told)
}

/** Says what became of a Core in a few words: the counts of its specs, or why it could not be tested. */
function toldOf(core: FleetCore): string {
  return core.verdict === 'untestable' ? plain(core.reason) : countsText(core)
}

/** Says what a run is doing: `28/176 done, 1 failed, 12 waiting, 43:10 left`. */
function activityText({ done, total, failed, waits, endsMs, leftMs }: RunActivity, nowMs: number): string {
  const isTimed = Number.isFinite(endsMs) && endsMs > nowMs
  const left = isTimed ? [`${countdown(endsMs - nowMs)} left`] : leftMs ? [`${durationRange(leftMs)} left`] : []
  const waiting = new Set(waits.map(({ spec }) => spec)).size
  return [
    `${done}/${total} done`,
    ...(failed ? [`${failed} failed`] : []),
    ...(waiting ? [`${waiting} waiting`] : []),
    ...left,
  ].join(', ')
}

/** The progress of one Core. */
export interface State {
  name: string
  activity?: RunActivity
  isUnderWay: boolean
  core?: FleetCore
}

/**
 * Says how far a fleet is: `1 of 3 Cores done, 2 under way with 40 of 120 specs done; about 2 to 3 min left.`
 * @param nowMs epoch milliseconds
 */
export function standingText(states: readonly State[], nowMs: number): string {
  const { ended, running, endsMs, leftMs, specs } = standing(states, nowMs)
  const last = (ms: number) =>
    `, the last until ${timeOfDay(ms)} (${duration(Math.ceil((ms - nowMs) / EVERY_MS) * EVERY_MS)} left)`
  const left = endsMs !== undefined ? last(endsMs) : leftMs ? `; ${durationRange(leftMs)} left` : ''
  const now = running > 0 ? `, ${running} under way with ${specs}` : ''
  return `${ended} of ${count(states.length, 'Core')} done${now}${left}.`
}

/** Returns the figures of a fleet. @param nowMs epoch milliseconds */
function standing(states: readonly State[], nowMs: number) {
  const open = states.filter(({ core }) => !core)
  const now = open.flatMap(({ isUnderWay, activity }) => (isUnderWay && activity ? [activity] : []))
  const ends = now.map(({ endsMs }) => endsMs)
  // The last Core ends the fleet. One that has not begun, or whose end nobody knows, may be that one.
  const isAll = now.length > 0 && now.length === open.length
  const isKnown = isAll && ends.every(ms => ms > nowMs)
  const lefts = now.flatMap(({ endsMs, leftMs = [endsMs - nowMs, endsMs - nowMs] as const }) =>
    leftMs[1] > 0 ? [leftMs] : [],
  )
  const longest = (bound: 0 | 1) => Math.max(...lefts.map(left => left[bound]))
  return {
    ended: states.filter(({ core }) => core).length,
    running: states.filter(({ isUnderWay }) => isUnderWay).length,
    endsMs: isKnown ? Math.max(...ends) : undefined,
    leftMs: isAll && lefts.length === now.length ? ([longest(0), longest(1)] as const) : undefined,
    specs: `${sum(now.map(({ done }) => done))} of ${count(sum(now.map(({ total }) => total)), 'spec')} done`,
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0)
}
