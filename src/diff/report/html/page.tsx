import { count } from '../../../ground/count.js'
import { ASSETS as OF_RUN } from '../../../report/html/assets.js'
import { documentOf, Head } from '../../../report/html/head.js'
import { Section, Sign } from '../../../report/html/parts.js'
import { sentence, shown } from '../../../report/html/text.js'
import { VERDICTS } from '../../../result/outcomes.js'
import type { Comparison, Diff } from '../../types.js'
import { countsText, HEADLINES, leftOpen, shownChanges, worstOf } from '../words.js'
import { ASSETS } from './assets.js'
import { Changes, Names } from './changes.js'
import { Versions } from './versions.js'

/** The style: that of the page of a run, and the additions for a diff. */
const STYLE = `${OF_RUN['page.css']}\n${ASSETS['diff.css']}`

/** The colour class of each headline. */
const TONES: Record<ReturnType<typeof worstOf>, string> = {
  breaking: 'failed',
  risky: 'warned',
  harmless: 'passed',
  same: 'passed',
  'not compared': 'blocked',
  unfinished: 'blocked',
}

/** Renders a diff as an HTML page that loads nothing and has no script, with the table of firmware by requirement. */
export function renderDiffHtml(diff: Diff): string {
  return documentOf(<DiffPage diff={diff} />)
}

function DiffPage({ diff }: { diff: Diff }) {
  const names = diff.runs.map(({ name }) => name).join(' → ')
  const { text } = HEADLINES[worstOf(diff)]
  return (
    <html lang="en">
      <Head title={shown(`${text}: ${names}`, 65)} style={STYLE} />
      <body>
        <a class="skip" href="#main">
          Skip to the differences
        </a>
        <DiffSummary diff={diff} />
        <nav aria-label="Sections">
          <ul>
            {diff.comparisons.map(comparison => (
              <li key={comparison.to}>
                <a href={`#${anchorOf(comparison)}`}>{titleOf(diff, comparison, 40)}</a>
              </li>
            ))}
            <li>
              <a href="#requirements">Requirements</a>
            </li>
          </ul>
        </nav>
        <main id="main">
          {diff.comparisons.map(comparison => (
            <ComparisonSection key={comparison.to} diff={diff} comparison={comparison} />
          ))}
          <Versions diff={diff} />
        </main>
        <footer>
          <p>
            Made from the results of {count(diff.runs.length, 'run')}. diff.json holds every difference in full, with
            the rule that says what it means for clients.
          </p>
        </footer>
      </body>
    </html>
  )
}

function anchorOf({ to }: Comparison): string {
  return `changes-${to}`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function titleOf({ runs }: Diff, { from, to }: Comparison, length: number): string {
  return [from, to].map(index => shown(runs[index]?.name ?? '', length)).join(' → ')
}

/** Shows the first screen: the worst consequence, and the runs that were compared. */
function DiffSummary({ diff }: { diff: Diff }) {
  const worst = worstOf(diff)
  const { mark, text } = HEADLINES[worst]
  const { comparisons } = diff
  return (
    <header class={`summary ${TONES[worst]}`}>
      <p class="kicker">What changed between runs of a Core’s authentication API</p>
      <h1>
        <span class="verdict">
          <span aria-hidden="true">{mark}</span> {text}
        </span>
      </h1>
      {comparisons.map(comparison => (
        <p class="reason" key={comparison.to}>
          {comparisons.length > 1 && <>{titleOf(diff, comparison, 80)}: </>}
          {capital(countsText(comparison))}.
        </p>
      ))}
      <ol class="runs">
        {diff.runs.map(({ name, file, url, startedAt, verdict, verdictText, reason }, index) => {
          const { mark: verdictMark, tone } = VERDICTS[verdict]
          return (
            <li key={index}>
              <span class="number">{index + 1}</span>
              <span>
                <b>{shown(name, 200)}</b> <Sign tone={tone} mark={verdictMark} /> {shown(verdictText, 300)}:{' '}
                {shown(reason, 300)}
                <br />
                <span class="more">
                  {shown(url, 200)}, {startedAt.slice(0, 16).replace('T', ' ')} UTC
                  {name !== file && `, ${shown(file, 200)}`}
                </span>
              </span>
            </li>
          )
        })}
      </ol>
    </header>
  )
}

function ComparisonSection({ diff, comparison }: { diff: Diff; comparison: Comparison }) {
  const id = anchorOf(comparison)
  const changes = shownChanges(diff, comparison)
  return (
    <Section id={id} title={titleOf(diff, comparison, 120)}>
      <p>{capital(countsText(comparison))}.</p>
      <Changes changes={changes} matrix={diff.matrix} name={titleOf(diff, comparison, 60)} />
      <Notes comparison={comparison} />
    </Section>
  )
}

/** Shows what was not compared, and why the runs were not made under the same conditions. */
function Notes({ comparison: { notices, stillFailing, notCompared } }: { comparison: Comparison }) {
  const left = leftOpen(notCompared)
  if (!notices.length && !stillFailing.length && !left.length) return null
  return (
    <>
      <h3>To know</h3>
      <ul class="notes">
        {notices.map(notice => (
          <li key={notice}>{sentence(notice)}</li>
        ))}
        {stillFailing.length > 0 && (
          <li>
            Still failing: <Names names={stillFailing} />
          </li>
        )}
        {left.map(({ what, of, why }) => (
          <li key={`${what} ${why}`}>
            Not compared: {what}, {shown(why, 300)}: <Names names={of} />
          </li>
        ))}
      </ul>
    </>
  )
}
