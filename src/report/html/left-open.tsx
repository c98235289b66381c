/** Shows on the first screen what a run leaves open. */

import { useContext } from 'preact/hooks'
import { count } from '../../ground/count.js'
import { resumeCommand } from '../../ground/own-command.js'
import { isJudged, outcomeWord } from '../../result/outcomes.js'
import type { RunResult, SpecRecord } from '../../result.js'
import { grouped } from '../grouped.js'
import { why } from '../words.js'
import { Anchors } from './anchors.js'
import { Links } from './coverage.js'
import { Mark } from './outcome.js'
import { shown } from './text.js'
import { WORST_FIRST } from './words.js'

/** Shows when to come back to a run that waits. */
export function Visits({ result: { visits = [], out, target } }: { result: RunResult }) {
  if (visits.length === 0) return null
  const day = (iso: string) => iso.slice(0, 10)
  const clock = (iso: string) => iso.slice(11, 19)
  const until = (from: string, iso: string) => (day(from) === day(iso) ? clock(iso) : `${day(iso)} ${clock(iso)}`)
  return (
    <section aria-labelledby="visits">
      <h2 id="visits">When to come back</h2>
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
    </section>
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
    <section aria-labelledby="left-open">
      <h2 id="left-open">What this run does not tell</h2>
      <ul class="left-open">
        {leftOpen.map(own => (
          <Reason key={own[0]?.id} specs={own} />
        ))}
      </ul>
    </section>
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
