import { useContext } from 'preact/hooks'
import { countedAs } from '../../result/outcomes.js'
import type { Outcome, SpecRecord } from '../../result.js'
import { grouped } from '../grouped.js'
import { coverageText, type Standing } from '../requirements.js'
import { requirementAnchor } from '../words.js'
import { Anchors } from './anchors.js'
import { Mark, STATES, tally } from './outcome.js'
import { Columns, Section } from './parts.js'
import { Prose } from './prose.js'
import { sentence, shown } from './text.js'

interface CoverageProps {
  standings: Standing[]
  /** Whether these are all requirements of the suite. False: only those that specs of the run name. */
  isWhole: boolean
}

/** Shows every requirement with its state, by section of the reference. */
export function Coverage({ standings, isWhole }: CoverageProps) {
  const sections = [...grouped(standings, ({ requirement }) => requirement.section)]
  return (
    <Section id="requirements" title="Requirements">
      <p class="lead">
        {sentence(coverageText(standings))}.{' '}
        {isWhole
          ? 'Everything that the reference states, by its sections, also what this run did not test.'
          : 'This result is of an older version, and tells only of requirements that its specs name.'}
        {standings.some(({ state }) => state === 'in doubt') &&
          ' In doubt: there is evidence against it, too weak for a verdict.'}
      </p>
      <table class="stack">
        <Columns names={['Requirement', 'Standing', 'Specs']} />
        {sections.map(([section, own]) => (
          <tbody key={section}>
            <tr class="section">
              <th class="section-name" scope="rowgroup" colSpan={3}>
                {shown(section, 80)}
              </th>
            </tr>
            {own.map(standing => (
              <Row key={standing.requirement.id} standing={standing} />
            ))}
          </tbody>
        ))}
      </table>
    </Section>
  )
}

function Row({ standing: { requirement, state, specs, reasons, unselected } }: { standing: Standing }) {
  const { id, text, reason } = requirement
  const tone = STATES[state]
  const isUntested = state === 'not tested'
  return (
    <tr id={requirementAnchor(id)}>
      <th scope="row">
        <b>{shown(id, 40)}</b> <Prose text={sentence(text)} />
      </th>
      <td>
        <span class={`standing ${tone.replace(' ', '-')}`}>
          <Mark outcome={tone} worded /> {state}
        </span>
      </td>
      <td>
        {reason !== undefined && <p class="why">{sentence(reason)}</p>}
        {(isUntested ? reasons : unselected > 0 ? reasons.slice(-1) : []).map(each => (
          <p class="why" key={each}>
            {shown(each)}
          </p>
        ))}
        {specs.length === 1 ? (
          <Links specs={specs} />
        ) : (
          tally(specs).map(([outcome]) => (
            <Some
              key={outcome}
              outcome={outcome}
              specs={specs.filter(spec => spec.outcome === outcome)}
              isFolded={isUntested}
            />
          ))
        )}
      </td>
    </tr>
  )
}

/** Shows the specs of one outcome. A short list of failures is unfolded. */
function Some({ outcome, specs, isFolded }: { outcome: Outcome; specs: SpecRecord[]; isFolded: boolean }) {
  const isFine = outcome === 'passed' || outcome === 'observed'
  return (
    <details class="some" open={!isFine && !isFolded && specs.length <= MAX_UNFOLDED}>
      <summary>
        <Mark outcome={outcome} worded /> {countedAs(specs.length, outcome)}
      </summary>
      <Links specs={specs} />
    </details>
  )
}

const MAX_UNFOLDED = 3

/** Shows links to specs, each with its outcome. */
export function Links({ specs }: { specs: SpecRecord[] }) {
  const anchors = useContext(Anchors)
  if (specs.length === 0) return null
  return (
    <ul class="marked">
      {specs.map(spec => (
        <li key={anchors.get(spec)}>
          <Mark outcome={spec.outcome} /> <a href={`#${anchors.get(spec)}`}>{shown(spec.id, 80)}</a>
        </li>
      ))}
    </ul>
  )
}
