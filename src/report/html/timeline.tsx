import type { JSX } from 'preact'
import { duration } from '../../duration.js'
import type { Lane, RunResult } from '../../result.js'
import { count } from '../words.js'
import { Links } from './coverage.js'
import { type ActualKind, type Event, type Group, lanesOf, type Track } from './lanes.js'
import { shown } from './text.js'

/** Where things stand in a lane, from its top, in pixels. */
const PLANNED_Y = 10
const ACTUAL_Y = 28
const HEIGHT = 38

/** Planned and actual, by the shape: no meaning is in a colour alone. */
const SHAPES: Record<ActualKind, JSX.Element> = {
  issued: <path class="issued" d="M-1.5 -8 H1.5 V8 H-1.5 Z" />,
  touched: <circle class="touched" r="4.5" />,
  expired: <path class="expired" d="M-4.5 -4.5 L4.5 4.5 M-4.5 4.5 L4.5 -4.5" />,
  rejected: <path class="rejected" d="M-5 0 L0 -5 L5 0 L0 5 Z" />,
  revoked: <path class="revoked" d="M-4 -4 H4 V4 H-4 Z" />,
  other: <circle class="other" r="3" />,
}

const PLANNED: Record<Lane['events'][number]['kind'], ActualKind> = {
  issued: 'issued',
  used: 'touched',
  checked: 'expired',
  revoked: 'revoked',
}

/** A token that was revoked is rejected, and does not expire. */
function plannedEvents({ events }: Lane): Event[] {
  const isRevoked = events.some(({ kind }) => kind === 'revoked')
  return events.map(({ atMs, kind }) => ({
    atMs,
    kind: isRevoked && kind === 'checked' ? 'rejected' : PLANNED[kind],
    isMiss: false,
  }))
}

const LEGEND: [kind: ActualKind, text: string][] = [
  ['issued', 'issued'],
  ['touched', 'used: accepted'],
  ['expired', 'expired: rejected after waiting'],
  ['rejected', 'rejected'],
  ['revoked', 'revoked'],
  ['other', 'another request'],
]

/** The tokens of the specs that wait as lanes, planned above actual. */
export function Timeline({ result }: { result: RunResult }) {
  const groups = lanesOf(result)
  const events = groups.flatMap(({ tracks }) => tracks.flatMap(({ actual }) => actual.map(({ atMs }) => atMs)))
  const endMs = Math.max(1, ...result.plan.lanes.map(({ toMs }) => toMs), ...events)
  const at = (ms: number) => `${Math.min(100, Math.max(0, (ms / endMs) * 100)).toFixed(2)}%`
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">Timeline of the idle specs</h2>
      <p class="lead">
        {count(result.plan.lanes.length, 'token')} of the specs that wait: above what was planned, below what was done.
        One after another the waits would take {duration(result.plan.oneByOneMs)}.
      </p>
      <Legend />
      <div class="chart">
        <Axis endMs={endMs} at={at} />
        {groups.map((group, index) => (
          <Lanes key={index} group={group} at={at} endMs={endMs} />
        ))}
      </div>
      <AsText groups={groups} />
    </section>
  )
}

function Legend() {
  return (
    <ul class="legend">
      {LEGEND.map(([kind, text]) => (
        <li key={kind}>
          <svg width="16" height="18" viewBox="-8 -9 16 18" aria-hidden="true">
            {SHAPES[kind]}
          </svg>
          {text}
        </li>
      ))}
      <li>
        <svg width="18" height="18" viewBox="-9 -9 18 18" aria-hidden="true">
          <circle class="miss" r="7.5" />
        </svg>
        not as expected
      </li>
      <li>
        <svg width="22" height="14" aria-hidden="true">
          <rect class="due" x="1" y="1" width="20" height="12" />
        </svg>
        due to expire: lifetime, less and more the tolerance
      </li>
      <li>
        <svg width="22" height="14" aria-hidden="true">
          <rect class="due averted" x="1" y="1" width="20" height="12" />
        </svg>
        would have been due, but for a later use
      </li>
    </ul>
  )
}

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000]
const ROUND = [1, 5, 10, 30].map(count => count * SECOND)
ROUND.push(...[1, 2, 5, 10, 15, 30].map(count => count * MINUTE), ...[1, 2, 6, 12, 24, 48].map(count => count * HOUR))
const MAX_TICKS = 5

/** Round times from the start of the run to its end, a handful. */
function ticks(endMs: number): number[] {
  const step = ROUND.find(ms => endMs / ms <= MAX_TICKS) ?? endMs / MAX_TICKS
  return Array.from({ length: Math.floor(endMs / step) + 1 }, (_, index) => index * step)
}

function Axis({ endMs, at }: { endMs: number; at: Scale }) {
  return (
    <div class="lane axis" aria-hidden="true">
      <svg width="100%" height="22" aria-hidden="true">
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
  )
}

type Scale = (ms: number) => string

function Lanes({ group, at, endMs }: { group: Group; at: Scale; endMs: number }) {
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
          <TrackChart key={track.token} track={track} at={at} endMs={endMs} />
        ))}
      </div>
    </div>
  )
}

function TrackChart({ track, at, endMs }: { track: Track; at: Scale; endMs: number }) {
  const { token, planned, actual, due } = track
  const [start, end] = [actual[0], actual.at(-1)]
  return (
    <svg class="track" width="100%" height={HEIGHT} role="img" aria-label={trackText(track)}>
      {ticks(endMs).map(ms => (
        <line key={ms} class="grid" x1={at(ms)} x2={at(ms)} y1="0" y2={HEIGHT} />
      ))}
      {due.map(({ fromMs, untilMs, averted }) => (
        <rect
          key={fromMs}
          class={averted ? 'due averted' : 'due'}
          x={at(fromMs)}
          width={`${(Number.parseFloat(at(untilMs)) - Number.parseFloat(at(fromMs))).toFixed(2)}%`}
          y="2"
          height={HEIGHT - 4}
        />
      ))}
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

/** Events that would stand on each other are drawn once for each kind, the most telling on top. */
const ON_TOP: ActualKind[] = ['other', 'issued', 'touched', 'revoked', 'rejected', 'expired']

function Marks({ events, y, at, kind }: { events: Event[]; y: number; at: Scale; kind: 'planned' | 'actual' }) {
  const places = new Map(events.map(event => [`${event.kind} ${Math.round(Number.parseFloat(at(event.atMs)))}`, event]))
  const sorted = [...places.values()].sort((a, b) => ON_TOP.indexOf(a.kind) - ON_TOP.indexOf(b.kind))
  return (
    <g class={`marks ${kind}`}>
      {sorted.map(event => (
        <svg key={`${event.kind} ${event.atMs}`} x={at(event.atMs)} y={y} overflow="visible" aria-hidden="true">
          {event.isMiss && <circle class="miss" r="7.5" />}
          {SHAPES[event.kind]}
        </svg>
      ))}
    </g>
  )
}

function list(events: { atMs: number; kind: string; isMiss?: boolean }[]): string {
  const texts = events.map(
    ({ atMs, kind, isMiss }) => `${kind} at ${duration(atMs)}${isMiss ? ' (not as expected)' : ''}`,
  )
  return texts.join(', ') || 'nothing'
}

function trackText({ token, planned, actual }: Track): string {
  return `Token ${shown(token, 40)}. Planned: ${list(planned.events)}. Actual: ${list(actual)}.`
}

/** The same for whoever reads rather than looks. */
function AsText({ groups }: { groups: Group[] }) {
  return (
    <details class="as-text">
      <summary>The timeline as a table</summary>
      <table class="stack">
        <thead>
          <tr>
            <th scope="col">Token</th>
            <th scope="col">Planned</th>
            <th scope="col">Actual</th>
          </tr>
        </thead>
        <tbody>
          {groups.flatMap(({ specs, tracks }) =>
            tracks.map(({ token, planned, actual }) => (
              <tr key={`${specs[0]?.id} ${token}`}>
                <th scope="row">
                  {shown(token, 40)} of {shown(specs.map(({ id }) => id).join(', '), 300)}
                </th>
                <td>{list(planned.events)}</td>
                <td>{list(actual)}</td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </details>
  )
}
