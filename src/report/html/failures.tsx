/** Shows on the first screen what fails a run, and the known failures. */

import { type ComponentChildren, Fragment } from 'preact'
import { useContext } from 'preact/hooks'
import { count } from '../../ground/count.js'
import { isSpec } from '../../result/outcomes.js'
import type { RunResult, SpecRecord } from '../../result.js'
import { alikeIn, type Cause, failuresOf, seenBy } from '../causes.js'
import { isRepeatable } from '../reproduce.js'
import type { Standing } from '../requirements.js'
import { deciding, requirementAnchor, why } from '../words.js'
import { Anchors } from './anchors.js'
import { Again } from './exchanges.js'
import { Mark } from './outcome.js'
import { Columns, Section } from './parts.js'
import { Prose } from './prose.js'
import { sentence, shown } from './text.js'

/** Most specs of one cause that are shown unfolded; only one spec if more than `FEW` requirements are broken. */
const [MAX_SHOWN, FEW] = [3, 1]

/** Shows each broken requirement, with each cause, its consequence for clients, and the specs that saw it. */
export function Failures({ result }: { result: RunResult }) {
  const specs = result.specs.filter(isSpec)
  const failures = failuresOf({ ...result, specs })
  if (failures.length === 0) return null
  const most = failures.length > FEW ? 1 : MAX_SHOWN
  return (
    <Section id="failed" title="What failed">
      {failures.map(({ requirement, causes }) => {
        const [first, ...others] = causes
        return (
          <article class="item failed" key={requirement?.id ?? ''}>
            <div>
              {requirement !== undefined && (
                <h3>
                  {shown(requirement.id, 40)} <Prose text={sentence(requirement.text)} />
                </h3>
              )}
              {first && <Consequence cause={first} />}
            </div>
            {first && <Failed result={result} cause={first} most={first.advice === undefined ? most : 1} />}
            {others.map((cause, index) => (
              <Fragment key={index}>
                <div class="another">
                  <Consequence cause={cause} />
                </div>
                <Failed result={result} cause={cause} most={1} />
              </Fragment>
            ))}
          </article>
        )
      })}
    </Section>
  )
}

function Consequence({ cause: { consequence } }: { cause: Cause }) {
  if (consequence === undefined) return null
  return (
    <p class="consequence">
      <b>For clients:</b> {sentence(consequence)}
    </p>
  )
}

/** Shows the requirements in doubt, with the evidence against them. */
export function Doubted({ standings }: { standings: Standing[] }) {
  const doubted = standings.filter(({ state }) => state === 'in doubt')
  if (doubted.length === 0) return null
  return (
    <Section id="doubted" title="In doubt">
      <ul class="marked">
        {doubted.map(standing => (
          <li key={standing.requirement.id}>
            <RequirementLink id={standing.requirement.id} /> {whyDoubted(standing)}
          </li>
        ))}
      </ul>
    </Section>
  )
}

function RequirementLink({ id }: { id: string }) {
  const anchor = requirementAnchor(id)
  return anchor === undefined ? <b>{shown(id, 40)}</b> : <a href={`#${anchor}`}>{shown(id, 40)}</a>
}

function whyDoubted({ doubts, requirement, specs }: Standing): string {
  const showing = new Set(requirement.evidence.map(({ spec }) => spec))
  const seen = specs.filter(({ id }) => showing.has(id)).map(spec => `${seenBy(spec)} (${spec.id})`)
  const told = [...doubts, ...seen]
  return sentence(
    told.length > 0 ? told.join('; ') : 'specs that also need it failed, but they test another requirement',
  )
}

function Failed({ result, cause: { specs }, most }: { result: RunResult; cause: Cause; most: number }) {
  const more = specs.slice(most)
  return (
    <div class="evidence">
      <FailedSpecs result={result} specs={specs.slice(0, most)} />
      {more.length > 0 && (
        <details>
          <summary>{count(more.length, 'more spec')} failed here</summary>
          <FailedSpecs result={result} specs={more} />
        </details>
      )}
    </div>
  )
}

function FailedSpecs({ result, specs }: { result: RunResult; specs: SpecRecord[] }) {
  return (
    <ul class="marked">
      {specs.map(spec => {
        const step = deciding(spec)[0]
        return (
          <li key={spec.id}>
            <Mark outcome="failed" /> <SpecLink spec={spec} />
            {step?.expected === undefined ? (
              <p>{sentence(why(spec))}</p>
            ) : (
              <dl class="rows">
                {step.seen !== undefined && (
                  <>
                    <dt>seen</dt>
                    <dd>{sentence(step.seen)}</dd>
                  </>
                )}
                <dt>did</dt>
                <dd>{sentence(step.text)}</dd>
                <dt>expected</dt>
                <dd>{shown(step.expected, 300)}</dd>
                <dt>got</dt>
                <dd>{shown(step.got ?? 'nothing', 300)}</dd>
              </dl>
            )}
            {spec.known?.expires !== undefined && (
              <p>The baseline accepted this until {shown(spec.known.expires, 20)}.</p>
            )}
            {isRepeatable(spec) && <Again result={result} spec={spec} />}
          </li>
        )
      })}
    </ul>
  )
}

function SpecLink({ spec }: { spec: SpecRecord }) {
  return <a href={`#${useContext(Anchors).get(spec)}`}>{sentence(spec.title)}</a>
}

/** Shows the pinned facts that changed. */
export function Drifts({ specs }: { specs: SpecRecord[] }) {
  const drifted = specs.filter(({ pin, outcome }) => pin !== undefined && outcome === 'failed')
  if (drifted.length === 0) return null
  return (
    <Section id="drifted" title="Pinned facts that drifted">
      <table class="stack">
        <Columns names={['Fact', 'Was', 'Is']} />
        <tbody>
          {drifted.map(({ id, pin }) => (
            <tr key={id}>
              <th scope="row">{shown(pin?.fact ?? id, 120)}</th>
              <td>
                <span class="cell-label">was</span> <code>{shown(String(pin?.was), 300)}</code>
              </td>
              <td>
                <span class="cell-label">is</span> <code>{shown(String(pin?.is), 300)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  )
}

/** Shows the baseline entries that are out of date. They fail the run, and accuse no requirement. */
export function Stale({ specs }: { specs: SpecRecord[] }) {
  const stale = specs.filter(
    ({ outcome, area }) => outcome === 'unexpected pass' || (area === 'baseline' && outcome === 'failed'),
  )
  return <SpecList id="stale" title="The baseline is out of date" specs={stale} text={spec => sentence(why(spec))} />
}

/** Shows the failures that the baseline accepts. */
export function KnownFailures({ specs }: { specs: SpecRecord[] }) {
  const known = specs.filter(({ outcome }) => outcome === 'known failure')
  const text = ({ requirements, known: entry, ...spec }: SpecRecord) => {
    const until = entry?.expires === undefined ? '' : `, accepted until ${shown(entry.expires, 20)}`
    const issue = entry?.issue === undefined ? '' : `, ${shown(entry.issue, 200)}`
    const ids = requirements.map(({ id }) => shown(id, 40)).join(', ')
    return `${ids}: ${shown(entry?.reason ?? spec.message ?? 'no reason was recorded', 300)}${issue}${until}`
  }
  return <SpecList id="known" title="Known failures" specs={known} text={text} />
}

interface SpecListProps {
  id: string
  title: string
  specs: SpecRecord[]
  text: (spec: SpecRecord) => ComponentChildren
}

/** Shows a list of specs, each cause once: one of its specs, and the others folded. */
function SpecList({ id, title, specs, text }: SpecListProps) {
  if (specs.length === 0) return null
  return (
    <Section id={id} title={title}>
      <ul class="marked">
        {alikeIn(specs).map(([first, ...others]) => {
          if (first === undefined) return null
          return (
            <li key={first.id}>
              <Mark outcome={first.outcome} /> <SpecLink spec={first} />
              <p>{text(first)}</p>
              {others.length > 0 && (
                <details>
                  <summary>{count(others.length, 'more spec')} for the same cause</summary>
                  <ul class="marked">
                    {others.map(spec => (
                      <li key={spec.id}>
                        <SpecLink spec={spec} />
                      </li>
                    ))}
                  </ul>
                </details>
              )}
            </li>
          )
        })}
      </ul>
    </Section>
  )
}
