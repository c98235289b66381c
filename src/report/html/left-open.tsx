/** Shows on the first screen what a run leaves open. */

import { useContext } from 'preact/hooks'
import { count } from '../../ground/count.js'
import { resumeCommand } from '../../ground/own-command.js'
import { isJudged, outcomeWord } from '../../result/outcomes.js'
import type { RunResult, SpecRecord } from '../../result.js'
import { grouped } from '../grouped.js'
import { eventText, why } from '../words.js'
import { Anchors } from './anchors.js'
import { Links } from './coverage.js'
import { Mark, WORST_FIRST } from './outcome.js'
import { Section } from './parts.js'
import { sentence, shown } from './text.js'

/** Shows when to come back to a run that waits. */
export function Visits({ result: { visits = [], out, target } }: { result: RunResult }) {
  if (visits.length === 0) return null
  const day = (iso: string) => iso.slice(0, 10)
  const clock = (iso: string) => iso.slice(11, 19)
  const until = (from: string, iso: string) => (day(from) === day(iso) ? clock(iso) : `${day(iso)} ${clock(iso)}`)
  return (
    <Section id="visits" title="When to come back">
      <ul>
        {visits.map(({ fromAt, untilAt }, index) => (
          <li key={fromAt}>
            <time dateTime={fromAt}>{`${day(fromAt)} ${clock(fromAt)}`}</time>
            {untilAt === null ? ' UTC or later' : ` to ${until(fromAt, untilAt)} UTC`}:{' '}
            <code>
              {resumeCommand(out, target.flags?.config, index < visits.length - 1 ? 'resume --detach' : 'resume')}
            </code>
          </li>
        ))}
      </ul>
    </Section>
  )
}

/**
 * Shows the specs without a judgement by reason. Within an outcome, the reason of most specs comes first. Where nothing could be
 * tested, the reason stands above with the verdict, and is not told again.
 */
export function LeftOpen({ result: { verdict, reason, specs } }: { result: RunResult }) {
  if (verdict === 'untestable' && specs.every(spec => spec.outcome === 'skipped' || why(spec) === reason)) {
    if (specs.some(spec => why(spec) === reason)) return null
  }
  const leftOpen = WORST_FIRST.filter(outcome => !isJudged({ outcome })).flatMap(outcome => {
    const reasons = grouped(
      specs.filter(spec => spec.outcome === outcome),
      why,
    )
    return [...reasons.values()].sort((a, b) => b.length - a.length)
  })
  if (leftOpen.length === 0) return null
  return (
    <Section id="left-open" title="What this run does not tell">
      <ul class="marked">
        {leftOpen.map(own => (
          <Reason key={own[0]?.id} specs={own} />
        ))}
      </ul>
    </Section>
  )
}

function Reason({ specs }: { specs: SpecRecord[] }) {
  const anchors = useContext(Anchors)
  const [first] = specs
  if (!first) return null
  const { outcome } = first
  const text = shown(why(first), 300)
  return (
    <li>
      <Mark outcome={outcome} worded />{' '}
      {specs.length === 1 ? (
        <>
          <a href={`#${anchors.get(first)}`}>{shown(first.id, 80)}</a> {outcomeWord(outcome)}: {text}
        </>
      ) : (
        <>
          <b>{count(specs.length, 'spec')}</b> {outcomeWord(outcome)}: {text}
          <details>
            <summary>which</summary>
            <Links specs={specs} />
          </details>
        </>
      )}
    </li>
  )
}

/** Shows the events of a run, with links to the specs that they spoiled. */
export function Events({ result: { events = [], specs } }: { result: RunResult }) {
  const anchors = useContext(Anchors)
  if (events.length === 0) return null
  return (
    <Section id="events" title="What happened">
      <ul class="marked">
        {events.map((event, index) => {
          const spoiled = specs.filter(spec => event.specs.includes(spec.id) && anchors.has(spec))
          return (
            <li key={index}>
              {sentence(eventText(event))}
              {spoiled.length > 0 && (
                <details>
                  <summary>{count(spoiled.length, 'spec')}</summary>
                  <Links specs={spoiled} />
                </details>
              )}
            </li>
          )
        })}
      </ul>
    </Section>
  )
}
