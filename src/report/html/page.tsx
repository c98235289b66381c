import { VERDICTS } from '../../result/outcomes.js'
import { scopeOf, withLimits } from '../../result/scope.js'
import type { RunResult } from '../../result.js'
import { standings as standingsOf } from '../requirements.js'
import { Anchors, anchors, requirementAnchor, Stated } from './anchors.js'
import { ASSETS } from './assets.js'
import { Coverage } from './coverage.js'
import { Configuration, Dialect, Explored, Facts, Survey } from './findings.js'
import { documentOf, Head } from './head.js'
import { Matrix } from './matrix.js'
import { Rooms, roomFor } from './room.js'
import { Specs } from './specs.js'
import { Summary } from './summary.js'
import { shown } from './text.js'
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
          </Rooms.Provider>
        </Anchors.Provider>
        <script dangerouslySetInnerHTML={{ __html: script }} />
      </body>
    </html>
  )
}
