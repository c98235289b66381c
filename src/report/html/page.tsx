import { isSpec, outcomeWord, VERDICTS } from '../../result/outcomes.js'
import { limitsText, scopeOf, withLimits } from '../../result/scope.js'
import type { RunResult, SpecRecord } from '../../result.js'
import { adviceOf } from '../causes.js'
import { grouped } from '../grouped.js'
import { coverageText, type Standing, standings as standingsOf } from '../requirements.js'
import { pinsText, requirementAnchor, specsText, targetText, timeTaken } from '../words.js'
import { Anchors, anchors, Stated } from './anchors.js'
import { ASSETS } from './assets.js'
import { Coverage } from './coverage.js'
import { Shown } from './exchanges.js'
import { Doubted, Drifts, Failures, KnownFailures, Stale } from './failures.js'
import { Configuration, Dialect, Explored, Facts, Survey } from './findings.js'
import { documentOf, Head } from './frame.js'
import { Events, LeftOpen, Visits } from './left-open.js'
import { Mark, Tally, tally, tone, WORST_FIRST } from './outcome.js'
import { Scroll, Section } from './parts.js'
import { Rooms, roomFor } from './room.js'
import { Specs } from './specs.js'
import { sentence, shown, unbroken } from './text.js'
import { Timeline } from './timeline.js'

/**
 * Renders the run result as an HTML page: one self-contained file that loads nothing, readable without its script. Exchanges
 * are inert text. Bodies are shortened, so that the page stays below a few megabytes.
 */
export function renderHtml(result: RunResult): string {
  return documentOf(<Page result={result} />)
}

function Page({ result }: { result: RunResult }) {
  const { 'page.css': style, 'filter.js': script } = ASSETS
  const { target, verdict, suite, startedAt, plan, exploration } = result
  const name = [target.label ?? target.url, target.firmware].filter(part => part !== undefined).join(' ')
  const standings = standingsOf(result)
  const stated = new Set(standings.flatMap(({ requirement: { id } }) => requirementAnchor(id) ?? []))
  const hasTimeline = plan.lanes.length > 0
  const sections: [id: string, name: string][] = [
    ['areas', 'Areas'],
    ['requirements', 'Requirements'],
    ...(hasTimeline ? [['timeline', 'Timeline'] as [string, string]] : []),
    ['specs', 'Specs'],
    ['facts', 'Facts'],
    ['dialect', 'Dialect'],
    ...(exploration ? [['explored', 'Explored'] as [string, string]] : []),
    ['configuration', 'Configuration'],
  ]
  return (
    <html lang="en">
      <Head
        title={shown(`${withLimits(VERDICTS[verdict].word, scopeOf(result))}: ${name}`, 200)}
        style={style}
        script={script}
      />
      <body>
        <Anchors.Provider value={anchors(result.specs)}>
          <Rooms.Provider value={roomFor(result)}>
            <Shown.Provider value={new Map()}>
              <Stated.Provider value={stated}>
                <a class="skip" href="#main">
                  Skip to the report
                </a>
                <Summary result={result} standings={standings} />
                <nav aria-label="Sections">
                  <ul>
                    {sections.map(([id, title]) => (
                      <li key={id}>
                        <a href={`#${id}`}>{title}</a>
                      </li>
                    ))}
                  </ul>
                </nav>
                <main id="main">
                  <Matrix specs={result.specs} />
                  <Coverage standings={standings} isWhole={result.requirements !== undefined} />
                  {hasTimeline && <Timeline result={result} />}
                  <Specs specs={result.specs} />
                  <Facts facts={result.facts} />
                  <Dialect dialect={result.dialect} />
                  {exploration && <Explored exploration={exploration} />}
                  <Configuration result={result} />
                  <Survey result={result} />
                </main>
                <footer>
                  <p>
                    Made from the run result of {startedAt.slice(0, 16).replace('T', ' ')} UTC by {suite.name}{' '}
                    {shown(suite.version, 40)}. Passwords and tokens are hidden. The result file holds every exchange in
                    full.
                  </p>
                  <p class="on-paper">
                    Print leaves out {hasTimeline && 'the timeline and '}what is folded: the page shows it on a screen.
                  </p>
                </footer>
              </Stated.Provider>
            </Shown.Provider>
          </Rooms.Provider>
        </Anchors.Provider>
        <script dangerouslySetInnerHTML={{ __html: script }} />
      </body>
    </html>
  )
}

/** Shows how many specs of each area had each outcome. */
function Matrix({ specs }: { specs: SpecRecord[] }) {
  const present = tally(specs).map(([outcome]) => outcome)
  const outcomes = WORST_FIRST.filter(outcome => present.includes(outcome))
  const areas = [...grouped(specs, ({ area }) => area)]
  const cells = (of: SpecRecord[]) =>
    outcomes.map(outcome => {
      const count = of.filter(spec => spec.outcome === outcome).length
      return (
        <td key={outcome} class={count > 0 ? tone(outcome) : 'none'}>
          {count}
        </td>
      )
    })
  return (
    <Section id="areas" title="Areas">
      <Scroll label="Areas by outcome">
        <table class="matrix">
          <thead>
            <tr>
              <th scope="col">Area</th>
              {outcomes.map(outcome => (
                <th scope="col" key={outcome}>
                  <Mark outcome={outcome} worded /> <span class="word">{outcomeWord(outcome)}</span>
                </th>
              ))}
              <th scope="col">in all</th>
            </tr>
          </thead>
          <tbody>
            {areas.map(([area, of], index) => (
              <tr key={area}>
                <th scope="row">
                  <a href={`#area-${index + 1}`}>{shown(area, 60)}</a>
                </th>
                {cells(of)}
                <td>{of.length}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">all</th>
              {cells(specs)}
              <td>{specs.length}</td>
            </tr>
          </tfoot>
        </table>
      </Scroll>
    </Section>
  )
}

/** Shows the first screen: the verdict, the Core, and the failures with their consequences. */
function Summary({ result, standings }: { result: RunResult; standings: Standing[] }) {
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
      <dl class="rows">
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
        <Section id="notices" title="To know">
          <ul>
            {notices.map(notice => (
              <li key={notice}>{sentence(notice)}</li>
            ))}
          </ul>
        </Section>
      )}
    </header>
  )
}

/** Says when and how the run was made: `2026-11-21 14:05 UTC, full profile, 1 h 4 min`. */
function when(result: RunResult): string {
  const start = result.startedAt.slice(0, 16).replace('T', ' ')
  return `${start} UTC, ${result.configuration.profile} profile, ${timeTaken(result)}`
}
