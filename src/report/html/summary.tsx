import { isSpec, VERDICTS } from '../../result/outcomes.js'
import { limitsText, scopeOf } from '../../result/scope.js'
import type { RunResult } from '../../result.js'
import { adviceOf } from '../open-core.js'
import { coverageText, type Standing } from '../requirements.js'
import { pinsText, specsText } from '../tally.js'
import { targetText, timeTaken } from '../words.js'
import { Events } from './events.js'
import { Doubted, Drifts, Failures, KnownFailures, Stale } from './failures.js'
import { LeftOpen, Visits } from './left-open.js'
import { Tally } from './outcome.js'
import { sentence, shown, unbroken } from './text.js'
import { tally } from './words.js'

/** Shows the first screen: the verdict, the Core, and the failures with their consequences. */
export function Summary({ result, standings }: { result: RunResult; standings: Standing[] }) {
  const { verdict, reason, target, notices, specs } = result
  const advice = adviceOf(result)
  const pins = pinsText(result)
  const { word, mark, tone } = VERDICTS[verdict]
  const scope = limitsText(scopeOf(result))
  return (
    <header class={`summary ${tone}`}>
      <p class="kicker">Conformance of a Core’s authentication API</p>
      <h1>
        <span class="verdict">
          <span aria-hidden="true">{mark}</span> {word}
        </span>
        {scope !== '' && <span class="scope">{unbroken(shown(scope, 300))}</span>}
      </h1>
      <p class="reason">{sentence(reason)}</p>
      {advice !== undefined && (
        <p class="advice">
          <b>Next:</b> {shown(advice)}
        </p>
      )}
      <dl class="facts">
        <dt>Firmware</dt>
        <dd>{target.firmware === undefined ? <span class="muted">not told</span> : <b>{shown(target.firmware)}</b>}</dd>
        <dt>Core</dt>
        <dd>{shown(targetText(target))}</dd>
        <dt>Run</dt>
        <dd>{unbroken(when(result))}</dd>
        <dt>
          <a href="#requirements">Requirements</a>
        </dt>
        <dd>{coverageText(standings)}</dd>
        <dt>Specs</dt>
        <dd>{specsText(result)}</dd>
        {pins !== undefined && (
          <>
            <dt>Pins</dt>
            <dd>{pins}</dd>
          </>
        )}
      </dl>
      <Tally counts={tally(specs.filter(isSpec))} />
      <Events result={result} />
      <Failures result={result} />
      <Doubted standings={standings} />
      <Drifts specs={specs} />
      <Stale specs={specs} />
      <KnownFailures specs={specs} />
      <Visits result={result} />
      <LeftOpen result={result} />
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

/** Says when and how the run was made: `2026-11-21 14:05 UTC, full profile, 1 h 4 min`. */
function when(result: RunResult): string {
  const start = result.startedAt.slice(0, 16).replace('T', ' ')
  return `${start} UTC, ${result.configuration.profile} profile, ${timeTaken(result)}`
}
