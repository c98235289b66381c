import type { ComponentChildren } from 'preact'
import { withLimits } from '../../result/scope.js'
import type { RunResult } from '../../result.js'
import { runReport } from '../run/blocks.js'
import { minuteOf, requirementAnchor, specAnchors } from '../words.js'
import { Exchange } from './exchanges.js'
import { renderPage } from './frame.js'
import { MAX_EXCHANGES, Page, roomFor } from './room.js'
import { Specs } from './specs.js'
import { Timeline } from './timeline.js'

/**
 * Renders the run result as an HTML page: one self-contained file that loads nothing, readable without its script. Exchanges
 * are inert text. Bodies are shortened, so that the page stays below a few megabytes.
 */
export function renderHtml(result: RunResult): string {
  const { target, suite, startedAt, plan, survey, specs } = result
  const report = runReport(result, { isFile: true })
  const { text, limits = [] } = report.verdict
  const name = [target.label ?? target.url, target.firmware].filter(part => part !== undefined).join(' ')
  const stated = new Set(result.requirements.flatMap(({ id }) => requirementAnchor(id) ?? []))
  const page = { anchors: specAnchors(specs), room: roomFor(result), stated, before: new Map<string, string>() }
  const within = (children: ComponentChildren) => <Page.Provider value={page}>{children}</Page.Provider>
  const hasSurvey = survey.length > 0 && page.room() > 0
  // Those before and after the specs.
  const exchanges = (
    <>
      {survey.slice(0, MAX_EXCHANGES).map((exchange, index) => (
        <Exchange key={index} exchange={exchange} />
      ))}
      {survey.length > MAX_EXCHANGES && <p class="muted">More of them are in the result file.</p>}
    </>
  )
  return renderPage(report, {
    title: `${withLimits(text, limits)}: ${name}`,
    hasScript: true,
    more: [
      ...(plan.lanes.length > 0 ? [{ ...TIMELINE, shown: within(<Timeline result={result} />) }] : []),
      { id: 'specs', title: 'Specs', shown: within(<Specs specs={specs} />) },
      ...(hasSurvey ? [{ ...SURVEY, shown: within(exchanges) }] : []),
    ],
    footer: `Made from the run result of ${minuteOf(startedAt)} by ${suite.name} ${suite.version}. Passwords and tokens are hidden. The result file holds every exchange in full. Print leaves out the timeline and what is folded: the page shows it on a screen.`,
  })
}

const TIMELINE = { id: 'timeline', title: 'Timeline', heading: 'Timeline of the idle specs', class: 'timeline' }
const SURVEY = { id: 'survey', title: 'Survey', heading: 'Survey and cleaning up', class: 'survey' }
