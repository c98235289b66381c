import { duration } from '../../duration.js'
import { count } from '../../ground/count.js'
import type { RunResult } from '../../result.js'
import { type ActualKind, type Group, lanesOf } from './lanes.js'
import { Columns, Section } from './parts.js'
import { Links } from './specs.js'
import { shown } from './text.js'
import { Grid, list, type Scale, SHAPES, TrackChart, ticks } from './track.js'

const LEGEND: [kind: ActualKind, text: string][] = [
  ['issued', 'issued'],
  ['touched', 'used: accepted'],
  ['expired', 'expired: rejected after waiting'],
  ['rejected', 'rejected'],
  ['revoked', 'revoked'],
  ['other', 'another request'],
]

/** Shows the tokens of the specs that wait as lanes, planned events above actual ones. */
export function Timeline({ result }: { result: RunResult }) {
  const groups = lanesOf(result)
  const events = groups.flatMap(({ tracks }) => tracks.flatMap(({ actual }) => actual.map(({ atMs }) => atMs)))
  const endMs = Math.max(1, ...result.plan.lanes.map(({ toMs }) => toMs), ...events)
  const at = (ms: number) => `${Math.min(100, Math.max(0, (ms / endMs) * 100)).toFixed(2)}%`
  return (
    <Section id="timeline" title="Timeline of the idle specs" class="timeline">
      <p class="lead">
        {count(result.plan.lanes.length, 'token')} of the specs that wait. In each lane the thin line above is what was
        planned, the thick one below what came, each with the time in which the token was due to expire. One after
        another the waits would take {duration(result.plan.oneByOneMs)}.
      </p>
      <Legend />
      <div class="chart">
        <Axis endMs={endMs} at={at} />
        {groups.map((group, index) => (
          <Lanes key={index} group={group} at={at} />
        ))}
      </div>
      <AsText groups={groups} />
    </Section>
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
      {(['miss', 'late'] as const).map(kind => (
        <li key={kind}>
          <svg width="18" height="18" viewBox="-9 -9 18 18" aria-hidden="true">
            <circle class={kind} r="7.5" />
          </svg>
          {kind === 'miss' ? 'not as expected' : 'outside its window: nobody can tell'}
        </li>
      ))}
      {(['due', 'due averted'] as const).map(kind => (
        <li key={kind}>
          <svg width="22" height="14" aria-hidden="true">
            <rect class={kind} x="1" y="1" width="20" height="12" />
          </svg>
          {kind === 'due'
            ? 'due to expire: lifetime, less and more the tolerance'
            : 'would have been due, but for a later use'}
        </li>
      ))}
    </ul>
  )
}

function Axis({ endMs, at }: { endMs: number; at: Scale }) {
  return (
    <div class="lane axis" aria-hidden="true">
      <svg width="100%" height="22" aria-hidden="true">
        <Grid endMs={endMs} at={at} />
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

/** Shows the timeline as a table, for screen readers and for people who prefer text. */
function AsText({ groups }: { groups: Group[] }) {
  return (
    <details class="as-text">
      <summary>The timeline as a table</summary>
      <table class="stack">
        <Columns names={['Token', 'Planned', 'Actual']} />
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
