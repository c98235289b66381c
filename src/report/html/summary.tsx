import { useContext } from 'preact/hooks'
import type { RunResult, SpecRecord } from '../../result.js'
import { grouped } from '../grouped.js'
import { count, deciding, targetText, timeTaken, why } from '../words.js'
import { Anchors } from './anchors.js'
import { Links, type Tested, testedRequirements } from './coverage.js'
import { Mark, Tally } from './outcome.js'
import { sentence, shown } from './text.js'
import { tally, VERDICTS, WORST_FIRST } from './words.js'

/** The first screen: the verdict, of which Core, and what failed with what that means. */
export function Summary({ result }: { result: RunResult }) {
  const { verdict, reason, advice, target, notices, specs } = result
  const { word, mark, tone } = VERDICTS[verdict]
  return (
    <header class={`summary ${tone}`}>
      <p class="kicker">Conformance of a Core’s authentication API</p>
      <h1>
        <span class="verdict">
          <span aria-hidden="true">{mark}</span> {word}
        </span>
      </h1>
      <p class="reason">{sentence(reason)}</p>
      {advice !== undefined && (
        <p class="advice">
          <b>Next:</b> {shown(advice)}
        </p>
      )}
      <dl class="facts">
        <dt>Firmware</dt>
        <dd>{target.firmware === undefined ? <span class="muted">not told</span> : shown(target.firmware)}</dd>
        <dt>Core</dt>
        <dd>{shown(targetText(target))}</dd>
        <dt>Run</dt>
        <dd>{when(result)}</dd>
      </dl>
      <Tally counts={tally(specs)} />
      <Failures specs={specs} />
      <Visits result={result} />
      <Untold specs={specs} />
      {notices.length > 0 && (
        <section aria-labelledby="notices">
          <h2 id="notices">To know</h2>
          <ul>
            {notices.map(notice => (
              <li key={notice}>{sentence(notice)}</li>
            ))}
          </ul>
        </section>
      )}
    </header>
  )
}

/** `2026-11-21 14:05 UTC, full profile, 1 h 4 min`. */
function when(result: RunResult): string {
  const start = result.startedAt.slice(0, 16).replace('T', ' ')
  return `${start} UTC, ${result.configuration.profile} profile, ${timeTaken(result)}`
}

/** What is shown at once of the specs that broke one requirement. */
const MAX_SHOWN = 3

/** Each requirement that was broken, with what that means for clients and which specs saw it. */
function Failures({ specs }: { specs: SpecRecord[] }) {
  const failed = specs.filter(({ outcome }) => outcome === 'failed' || outcome === 'unexpected pass')
  if (failed.length === 0) return null
  return (
    <section aria-labelledby="failed">
      <h2 id="failed">What failed</h2>
      {testedRequirements(failed).map(tested => (
        <Failure key={tested.requirement.id} {...tested} />
      ))}
    </section>
  )
}

function Failure({ requirement: { id, text, consequence }, specs }: Tested) {
  const more = specs.slice(MAX_SHOWN)
  return (
    <article class="failure">
      <h3>
        <span class="id">{shown(id, 40)}</span> {sentence(text)}
      </h3>
      {consequence !== undefined && (
        <p class="consequence">
          <b>For clients:</b> {sentence(consequence)}
        </p>
      )}
      <FailedSpecs specs={specs.slice(0, MAX_SHOWN)} />
      {more.length > 0 && (
        <details>
          <summary>{count(more.length, 'more spec')} failed here</summary>
          <FailedSpecs specs={more} />
        </details>
      )}
    </article>
  )
}

function FailedSpecs({ specs }: { specs: SpecRecord[] }) {
  const anchors = useContext(Anchors)
  return (
    <ul class="failed-specs">
      {specs.map(spec => {
        const step = deciding(spec)[0]
        return (
          <li key={spec.id}>
            <Mark outcome="failed" /> <a href={`#${anchors.get(spec)}`}>{sentence(spec.title)}</a>
            {step?.expected === undefined ? (
              <p>{sentence(why(spec))}</p>
            ) : (
              <dl class="judged">
                <dt>did</dt>
                <dd>{sentence(step.text)}</dd>
                <dt>expected</dt>
                <dd>{shown(step.expected, 300)}</dd>
                <dt>got</dt>
                <dd>{shown(step.got ?? 'nothing', 300)}</dd>
              </dl>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** When somebody has to come back to a run that waits. */
function Visits({ result: { visits = [] } }: { result: RunResult }) {
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
            <code>core-conformance resume{index < visits.length - 1 && ' --detach'}</code>
          </li>
        ))}
      </ul>
    </section>
  )
}

const UNTOLD: ReadonlySet<SpecRecord['outcome']> = new Set(['inconclusive', 'blocked', 'pending', 'skipped'])

/** What the run says nothing of, by the reason. */
function Untold({ specs }: { specs: SpecRecord[] }) {
  const untold = WORST_FIRST.flatMap(outcome =>
    UNTOLD.has(outcome) ? specs.filter(spec => spec.outcome === outcome) : [],
  )
  if (untold.length === 0) return null
  const reasons = [...grouped(untold, spec => `${spec.outcome}: ${why(spec)}`).values()]
  return (
    <section aria-labelledby="untold">
      <h2 id="untold">What this run does not tell</h2>
      <ul class="untold">
        {reasons.map(own => (
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
          <a href={`#${anchors.get(first)}`}>{shown(first.id, 80)}</a> {outcome}: {text}
        </>
      ) : (
        <>
          <b>{count(specs.length, 'spec')}</b> {outcome}: {text}
          <details>
            <summary>which</summary>
            <Links specs={specs} />
          </details>
        </>
      )}
    </li>
  )
}
