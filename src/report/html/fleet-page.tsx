import type { CoreChange, Fleet, Since } from '../../fleet/types.js'
import { count } from '../../ground/count.js'
import { VERDICTS } from '../../result/outcomes.js'
import { limitsText, withLimits } from '../../result/scope.js'
import { changeText, limitsOf, toKnow } from '../fleet/words.js'
import { grouped } from '../grouped.js'
import { ASSETS } from './assets.js'
import { FleetFailures, FleetOpen } from './fleet-failures.js'
import { FleetMatrix } from './fleet-matrix.js'
import { documentOf, Head } from './head.js'
import { Section, Sign } from './parts.js'
import { sentence, shown } from './text.js'

/** The style: that of the page of a run, and the additions for a fleet. */
const STYLE = `${ASSETS['page.css']}\n${ASSETS['fleet.css']}`
const SCRIPT = ASSETS['fleet-filter.js']

/** Renders a fleet as an HTML page that loads nothing, with links to the pages of its Cores in the folders beside it. */
export function renderFleetHtml(fleet: Fleet): string {
  return documentOf(<FleetPage fleet={fleet} />)
}

function FleetPage({ fleet }: { fleet: Fleet }) {
  const { verdict, counts, suite, startedAt } = fleet
  return (
    <html lang="en">
      <Head
        title={shown(`${withLimits(VERDICTS[verdict].word, limitsOf(fleet))}: ${count(counts.cores, 'Core')}`, 200)}
        style={STYLE}
        script={SCRIPT}
      />
      <body class="fleet">
        <a class="skip" href="#main">
          Skip to the report
        </a>
        <FleetSummary fleet={fleet} />
        <main id="main">
          <FleetFailures fleet={fleet} />
          <FleetOpen fleet={fleet} />
          {fleet.since && <FleetChanges since={fleet.since} />}
          <FleetMatrix fleet={fleet} />
          <FleetNotices fleet={fleet} />
        </main>
        <footer>
          <p>
            Made from the results of {count(counts.cores, 'Core')}, begun {startedAt.slice(0, 16).replace('T', ' ')}{' '}
            UTC, by {suite.name} {shown(suite.version, 40)}. The page of each Core stands in its folder beside this
            file.
          </p>
        </footer>
        <script dangerouslySetInnerHTML={{ __html: SCRIPT }} />
      </body>
    </html>
  )
}

/** Shows the first screen: the verdict, its limits, and how many Cores have each verdict. */
function FleetSummary({ fleet }: { fleet: Fleet }) {
  const { verdict, reason, counts, suite } = fleet
  const { word, mark, tone } = VERDICTS[verdict]
  const limits = limitsText(limitsOf(fleet))
  const present = (Object.keys(VERDICTS) as (keyof typeof VERDICTS)[]).filter(each => (counts[each] ?? 0) > 0)
  return (
    <header class={`summary ${tone}`}>
      <p class="kicker">Conformance of the authentication API of many Cores</p>
      <h1>
        <span class="verdict">
          <span aria-hidden="true">{mark}</span> {word}
        </span>
        {limits !== '' && <span class="scope">{shown(limits, 300)}</span>}
      </h1>
      <p class="reason">{sentence(reason)}</p>
      <ul class="tally">
        {present.map(each => (
          <li key={each}>
            <Sign tone={VERDICTS[each].tone} mark={VERDICTS[each].mark} /> <b>{counts[each]}</b>{' '}
            {VERDICTS[each].word.toLowerCase()}
          </li>
        ))}
      </ul>
      <p class="muted">
        {suite.name} {shown(suite.version, 40)}
      </p>
    </header>
  )
}

function FleetNotices({ fleet }: { fleet: Fleet }) {
  const told = toKnow(fleet)
  const left = fleet.cores.filter(({ tokens, verdict }) => tokens.left > 0 && verdict !== 'pending')
  if (!told.length && !left.length) return null
  return (
    <Section id="notices" title="To know">
      <ul>
        {left.map(({ name, tokens }) => (
          <li key={name}>
            {tokens.left} of {count(tokens.issued, 'token')} may still be live on {shown(name, 80)}
          </li>
        ))}
        {told.map(text => (
          <li key={text}>{sentence(text)}</li>
        ))}
      </ul>
    </Section>
  )
}

/** The colour class of each kind of change. */
const TONES: Record<CoreChange['kind'], string> = {
  'fails now': 'failed',
  opened: 'failed',
  'in doubt': 'inconclusive',
  gone: 'blocked',
  verdict: 'inconclusive',
  fixed: 'passed',
  added: 'observed',
  firmware: 'skipped',
}

const MARKS: Record<CoreChange['kind'], string> = {
  'fails now': '✗',
  opened: '✗',
  'in doubt': '?',
  gone: '–',
  verdict: '!',
  fixed: '✓',
  added: '+',
  firmware: '•',
}

/** Shows the changes since an earlier fleet, by Core. */
function FleetChanges({ since }: { since: Since }) {
  const { startedAt, compared, changes, notices, file } = since
  return (
    <section aria-labelledby="since">
      <h2 id="since">What changed since {startedAt.slice(0, 16).replace('T', ' ')} UTC</h2>
      <p class="lead">
        {count(compared, 'Core')} compared with {shown(file, 200)}
        {changes.length === 0 && '; nothing changed'}.
      </p>
      {notices.length > 0 && (
        <ul>
          {notices.map(notice => (
            <li key={notice}>{sentence(notice)}</li>
          ))}
        </ul>
      )}
      {changes.length > 0 && (
        <ul class="left-open">
          {[...grouped(changes, ({ core }) => core)].map(([core, own]) => (
            <li key={core}>
              <b>{shown(core, 80)}</b>
              <ul class="links">
                {own.map((change, index) => (
                  <li key={index}>
                    <Sign tone={TONES[change.kind]} mark={MARKS[change.kind]} /> {shown(changeText(change))}
                  </li>
                ))}
              </ul>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
