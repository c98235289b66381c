/** Draws the timeline: each token of the specs that wait is a lane, with its planned events above, and the actual ones below. */
import { Fragment, type JSX } from 'preact'
import { duration } from '../../duration.js'
import { count } from '../../ground/count.js'
import { grouped } from '../../ground/grouped.js'
import type { RunResult } from '../../result.js'
import { type ActualKind, type Due, type Event, type Group, lanesOf, type Track } from './lanes.js'
import { Columns } from './parts.js'
import { Links } from './specs.js'
import { shown } from './text.js'

/** The heights of the planned line, the actual line and the lane, from its top, in pixels. */
const PLANNED_Y = 10
const ACTUAL_Y = 28
const HEIGHT = 38

/** The shape of each kind of event: no meaning depends on colour alone. The legend draws them, and the lanes use them. */
const SHAPES: Record<ActualKind, JSX.Element> = {
  issued: <path class="issued" id="shape-issued" d="M-1.5 -8 H1.5 V8 H-1.5 Z" />,
  touched: <circle class="touched" id="shape-touched" r="4.5" />,
  expired: <path class="expired" id="shape-expired" d="M-4.5 -4.5 L4.5 4.5 M-4.5 4.5 L4.5 -4.5" />,
  rejected: <path class="rejected" id="shape-rejected" d="M-5 0 L0 -5 L5 0 L0 5 Z" />,
  revoked: <path class="revoked" id="shape-revoked" d="M-4 -4 H4 V4 H-4 Z" />,
  other: <circle class="other" id="shape-other" r="3" />,
}

const LEGEND: [shape: JSX.Element, text: string][] = [
  [SHAPES.issued, 'issued'],
  [SHAPES.touched, 'used: accepted'],
  [SHAPES.expired, 'expired: rejected after waiting'],
  [SHAPES.rejected, 'rejected'],
  [SHAPES.revoked, 'revoked'],
  [SHAPES.other, 'another request'],
  [<circle class="miss" r="7.5" />, 'not as expected'],
  [<circle class="late" r="7.5" />, 'outside its window: nobody can tell'],
  [<rect class="due" x="-10" y="-6" width="20" height="12" />, 'due to expire: lifetime, less and more the tolerance'],
  [<rect class="due averted" x="-10" y="-6" width="20" height="12" />, 'would have been due, but for a later use'],
]

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000]
const ROUND = [1, 2, 5, 10, 30].map(count => count * SECOND)
ROUND.push(...[1, 2, 5, 10, 15, 30].map(count => count * MINUTE), ...[1, 2, 6, 12, 24, 48].map(count => count * HOUR))
const MAX_TICKS = 5

/** Returns a few round times from the start of the run to its end, in milliseconds. */
function ticks(endMs: number): number[] {
  const step = ROUND.find(ms => endMs / ms <= MAX_TICKS) ?? endMs / MAX_TICKS
  return Array.from({ length: Math.floor(endMs / step) + 1 }, (_, index) => index * step)
}

/** Turns a time into its place in a chart, as a percentage. */
type Scale = (ms: number) => string

/** Shows the tokens of the specs that wait as lanes, planned events above actual ones. */
export function Timeline({ result }: { result: RunResult }) {
  const groups = lanesOf(result)
  const events = groups.flatMap(({ tracks }) => tracks.flatMap(({ actual }) => actual.map(({ atMs }) => atMs)))
  const endMs = Math.max(1, ...result.plan.lanes.map(({ toMs }) => toMs), ...events)
  const at = (ms: number) => `${Math.min(100, Math.max(0, (ms / endMs) * 100)).toFixed(2)}%`
  return (
    <>
      <p class="lead">
        {count(result.plan.lanes.length, 'token')} of the specs that wait. In each lane the thin line above is what was
        planned, the thick one below what came, each with the time in which the token was due to expire. One after
        another the waits would take {duration(result.plan.oneByOneMs)}.
      </p>
      <ul class="legend">
        {LEGEND.map(([shape, text]) => (
          <li key={text}>
            <svg width="22" height="18" viewBox="-11 -9 22 18" aria-hidden="true">
              {shape}
            </svg>
            {text}
          </li>
        ))}
      </ul>
      <div class="chart">
        <div class="lane axis" aria-hidden="true">
          <svg width="100%" height="22" aria-hidden="true">
            {/* The lines of the times, for all lanes to use. */}
            <defs>
              <g id="grid">
                {ticks(endMs).map(ms => (
                  <line key={ms} class="grid" x1={at(ms)} x2={at(ms)} y1="0" y2={HEIGHT} />
                ))}
              </g>
            </defs>
            {ticks(endMs).map((ms, index) => (
              <text
                key={ms}
                class={index % 2 === 1 ? 'minor' : undefined}
                x={at(ms)}
                y="14"
                text-anchor={index === 0 ? 'start' : 'middle'}
              >
                {ms === 0 ? '0' : duration(ms)}
              </text>
            ))}
          </svg>
        </div>
        {groups.map((group, index) => (
          <Lanes key={index} group={group} at={at} />
        ))}
      </div>
      {/* For screen readers, and for people who prefer text. */}
      <details>
        <summary>The timeline as a table</summary>
        <table class="stack">
          <Columns names={['Token', 'Planned', 'Actual']} />
          <tbody>
            {groups.flatMap(({ specs, tracks }) =>
              tracks.map(({ token, lane, actual }) => (
                <tr key={`${specs[0]?.id} ${token}`}>
                  <th scope="row">
                    {shown(token, 40)} of {shown(specs.map(({ id }) => id).join(', '), 300)}
                  </th>
                  <td>{eventsText(lane.events)}</td>
                  <td>{eventsText(actual)}</td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      </details>
    </>
  )
}

function Lanes({ group, at }: { group: Group; at: Scale }) {
  const [first, ...others] = group.specs
  return (
    <div class="lane">
      <div class="name">
        {first && <Links specs={[first]} />}
        {others.length > 0 && (
          <details>
            <summary>and {count(others.length, 'more spec')} with the same tokens</summary>
            <Links specs={others} />
          </details>
        )}
      </div>
      <div class="tracks">
        {group.tracks.map(track => (
          <TrackChart key={track.token} track={track} at={at} />
        ))}
      </div>
    </div>
  )
}

/** Draws the lane of a token, planned and actual. The table below the lanes says the same. */
function TrackChart({ track, at }: { track: Track; at: Scale }) {
  const { token, lane, planned, actual, due } = track
  const [start, end] = [actual[0], actual.at(-1)]
  return (
    <svg class="track" width="100%" height={HEIGHT} aria-hidden="true">
      <use href="#grid" />
      <Windows due={due.planned} at={at} y={1} />
      <Windows due={due.actual} at={at} y={HEIGHT / 2} />
      <line class="planned" x1={at(lane.fromMs)} x2={at(lane.toMs)} y1={PLANNED_Y} y2={PLANNED_Y} />
      {start && end && <line class="actual" x1={at(start.atMs)} x2={at(end.atMs)} y1={ACTUAL_Y} y2={ACTUAL_Y} />}
      <Marks events={planned} y={PLANNED_Y} at={at} kind="planned" />
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
  const drawn = [...places.values()].map(here => ({
    ...here[0],
    isMiss: here.some(({ isMiss }) => isMiss),
    isLate: here.some(({ isLate }) => isLate),
  }))
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

function eventsText(events: { atMs: number; kind: string; isMiss?: boolean; isLate?: boolean }[]): string {
  const texts = events.map(
    ({ atMs, kind, isMiss, isLate }) =>
      `${kind} at ${duration(atMs)}${isMiss ? ' (not as expected)' : ''}${isLate ? ' (outside its window)' : ''}`,
  )
  return texts.join(', ') || 'nothing'
}
