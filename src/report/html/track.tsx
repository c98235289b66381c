/** Draws one token as a lane: planned events above, actual ones below. */
import { Fragment, type JSX } from 'preact'
import { duration } from '../../duration.js'
import { grouped } from '../../ground/grouped.js'
import type { Lane } from '../../result.js'
import { type ActualKind, type Due, type Event, PLANNED, type Track } from './lanes.js'
import { shown } from './text.js'

/** The heights of the planned line, the actual line and the lane, from its top, in pixels. */
const PLANNED_Y = 10
const ACTUAL_Y = 28
const HEIGHT = 38

/** The shape of each kind of event: no meaning depends on colour alone. The legend draws them, and the lanes use them. */
export const SHAPES: Record<ActualKind, JSX.Element> = {
  issued: <path class="issued" id="shape-issued" d="M-1.5 -8 H1.5 V8 H-1.5 Z" />,
  touched: <circle class="touched" id="shape-touched" r="4.5" />,
  expired: <path class="expired" id="shape-expired" d="M-4.5 -4.5 L4.5 4.5 M-4.5 4.5 L4.5 -4.5" />,
  rejected: <path class="rejected" id="shape-rejected" d="M-5 0 L0 -5 L5 0 L0 5 Z" />,
  revoked: <path class="revoked" id="shape-revoked" d="M-4 -4 H4 V4 H-4 Z" />,
  other: <circle class="other" id="shape-other" r="3" />,
}

/** Turns the events of a plan into those of a chart. The check of a revoked token becomes `rejected`, not `expired`. */
function plannedEvents({ events }: Lane): Event[] {
  const isRevoked = events.some(({ kind }) => kind === 'revoked')
  return events.map(({ atMs, kind }) => ({
    atMs,
    untilMs: atMs,
    kind: isRevoked && kind === 'checked' ? 'rejected' : PLANNED[kind],
    isMiss: false,
    isLate: false,
  }))
}

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000]
const ROUND = [1, 2, 5, 10, 30].map(count => count * SECOND)
ROUND.push(...[1, 2, 5, 10, 15, 30].map(count => count * MINUTE), ...[1, 2, 6, 12, 24, 48].map(count => count * HOUR))
const MAX_TICKS = 5

/** Returns a few round times from the start of the run to its end, in milliseconds. */
export function ticks(endMs: number): number[] {
  const step = ROUND.find(ms => endMs / ms <= MAX_TICKS) ?? endMs / MAX_TICKS
  return Array.from({ length: Math.floor(endMs / step) + 1 }, (_, index) => index * step)
}

/** Turns a time into its place in a chart, as a percentage. */
export type Scale = (ms: number) => string

/** Draws the lines of the times of the axis, for all lanes to use. */
export function Grid({ endMs, at }: { endMs: number; at: Scale }) {
  return (
    <defs>
      <g id="grid">
        {ticks(endMs).map(ms => (
          <line key={ms} class="grid" x1={at(ms)} x2={at(ms)} y1="0" y2={HEIGHT} />
        ))}
      </g>
    </defs>
  )
}

/** Draws the lane of a token, planned and actual. The table below the lanes says the same. */
export function TrackChart({ track, at }: { track: Track; at: Scale }) {
  const { token, planned, actual, due } = track
  const [start, end] = [actual[0], actual.at(-1)]
  return (
    <svg class="track" width="100%" height={HEIGHT} aria-hidden="true">
      <use href="#grid" />
      <Windows due={due.planned} at={at} y={1} />
      <Windows due={due.actual} at={at} y={HEIGHT / 2} />
      <line class="planned" x1={at(planned.fromMs)} x2={at(planned.toMs)} y1={PLANNED_Y} y2={PLANNED_Y} />
      {start && end && <line class="actual" x1={at(start.atMs)} x2={at(end.atMs)} y1={ACTUAL_Y} y2={ACTUAL_Y} />}
      <Marks events={plannedEvents(planned)} y={PLANNED_Y} at={at} kind="planned" />
      <Marks events={actual} y={ACTUAL_Y} at={at} kind="actual" />
      <text class="token" x="100%" y={HEIGHT / 2 + 4} dx="10">
        {shown(token, 12)}
      </text>
    </svg>
  )
}

/** Draws the spans in which the token is due to expire, in the upper or lower half of the lane. */
function Windows({ due, at, y }: { due: Due[]; at: Scale; y: number }) {
  return (
    <>
      {due.map(({ fromMs, untilMs, averted }) => (
        <rect
          key={fromMs}
          class={averted ? 'due averted' : 'due'}
          x={at(fromMs)}
          width={`${(Number.parseFloat(at(untilMs)) - Number.parseFloat(at(fromMs))).toFixed(2)}%`}
          y={y}
          height={HEIGHT / 2 - 1}
        />
      ))}
    </>
  )
}

/** The kinds of events from bottom to top. Events at one place are drawn once for each kind. */
const ON_TOP: ActualKind[] = ['other', 'issued', 'touched', 'revoked', 'rejected', 'expired']

function Marks({ events, y, at, kind }: { events: Event[]; y: number; at: Scale; kind: 'planned' | 'actual' }) {
  const places = grouped(events, event => `${event.kind} ${Math.round(Number.parseFloat(at(event.atMs)))}`)
  const drawn = [...places.values()].flatMap((here): Event[] => {
    const [first] = here
    if (!first) return []
    return [{ ...first, isMiss: here.some(({ isMiss }) => isMiss), isLate: here.some(({ isLate }) => isLate) }]
  })
  const sorted = drawn.sort((a, b) => ON_TOP.indexOf(a.kind) - ON_TOP.indexOf(b.kind))
  return (
    <g class={`marks ${kind}`}>
      {sorted.map(event => (
        <Fragment key={`${event.kind} ${event.atMs}`}>
          {event.isMiss && <circle class="miss" cx={at(event.atMs)} cy={y} r="7.5" />}
          {event.isLate && <circle class="late" cx={at(event.atMs)} cy={y} r="7.5" />}
          <use href={`#shape-${event.kind}`} x={at(event.atMs)} y={y} />
        </Fragment>
      ))}
    </g>
  )
}

/** Lists events in words. */
export function list(events: { atMs: number; kind: string; isMiss?: boolean; isLate?: boolean }[]): string {
  const texts = events.map(
    ({ atMs, kind, isMiss, isLate }) =>
      `${kind} at ${duration(atMs)}${isMiss ? ' (not as expected)' : ''}${isLate ? ' (outside its window)' : ''}`,
  )
  return texts.join(', ') || 'nothing'
}
