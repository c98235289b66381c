import { traitsOf } from '../../fleet/patterns.js'
import type { Fleet, FleetCore, FleetRequirement } from '../../fleet/types.js'
import { count } from '../../ground/count.js'
import { MARKS, VERDICTS } from '../../result/outcomes.js'
import { withLimits } from '../../result/scope.js'
import { fleetReport } from '../fleet/blocks.js'
import { coreVerdict, countsText, limitsOf, pageOf } from '../fleet/words.js'
import { grouped } from '../grouped.js'
import { STATES } from '../requirements.js'
import { ASSETS } from './assets.js'
import { renderPage } from './frame.js'
import { Scroll, Section, Sign } from './parts.js'
import { shown } from './text.js'

/** Renders a fleet as an HTML page that loads nothing, with links to the pages of its Cores in the folders beside it. */
export function renderFleetHtml(fleet: Fleet): string {
  const { verdict, counts, suite, startedAt } = fleet
  const number = count(counts.cores, 'Core')
  const begun = startedAt.slice(0, 16).replace('T', ' ')
  return renderPage(fleetReport({ fleet }), {
    title: `${withLimits(VERDICTS[verdict].word, limitsOf(fleet))}: ${number}`,
    script: ASSETS['fleet-filter.js'] ?? '',
    class: 'fleet',
    more: [{ id: 'cores', title: 'Cores', shown: <FleetMatrix fleet={fleet} /> }],
    footer: `Made from the results of ${number}, begun ${begun} UTC, by ${suite.name} ${suite.version}. The page of each Core stands in its folder beside this file.`,
  })
}

/** Shows each Core by each requirement, grouped by model and firmware. Each cell is a link to the page of its Core. */
function FleetMatrix({ fleet: { cores, requirements } }: { fleet: Fleet }) {
  // Requirements of other levels have the same mark for every Core.
  const columns = requirements.filter(({ level }) => level === 'must')
  const groups = [...grouped(cores, groupOf)].sort(([a], [b]) => (a < b ? -1 : 1))
  return (
    <Section id="cores" title="Cores">
      <Filter cores={cores} />
      <p class="muted legend">
        ✓ met, ✗ not met, ~ known failure, ? in doubt, … met so far, – not tested. Each mark leads into the page of its
        Core.
      </p>
      <Scroll label="Cores by requirement">
        <table class="matrix cores">
          <thead>
            <tr>
              <th scope="col">Core</th>
              <th scope="col">Verdict</th>
              {columns.map(({ id, text }) => (
                <th scope="col" key={id} class="turned" title={shown(text, 200)}>
                  <span>{shown(id, 30)}</span>
                </th>
              ))}
            </tr>
          </thead>
          {groups.map(([name, own]) => (
            <tbody key={name}>
              {(groups.length > 1 || name !== '') && (
                <tr class="section">
                  <th scope="rowgroup" class="section-name" colSpan={columns.length + 2}>
                    <span>
                      {name === '' ? 'No firmware and no labels told' : shown(name, 160)}, {count(own.length, 'Core')}
                    </span>
                  </th>
                </tr>
              )}
              {own.map(core => (
                <Row key={core.name} core={core} columns={columns} />
              ))}
            </tbody>
          ))}
        </table>
      </Scroll>
    </Section>
  )
}

/** Returns the group of a Core: its model, if it has that label, and its firmware. */
function groupOf({ firmware, labels = {} }: FleetCore): string {
  const { model } = labels
  return [model, firmware === undefined ? undefined : `firmware ${firmware}`]
    .filter(part => part !== undefined)
    .join(', ')
}

/** The filter. It needs the script, so the script shows it. */
function Filter({ cores }: { cores: FleetCore[] }) {
  const present = (Object.keys(VERDICTS) as (keyof typeof VERDICTS)[]).flatMap(verdict => {
    const { length } = cores.filter(core => core.verdict === verdict)
    return length ? [[verdict, length] as const] : []
  })
  return (
    <search id="filter" hidden aria-label="Filter the Cores">
      <fieldset>
        <legend class="unseen">Verdicts</legend>
        {present.map(([verdict, number]) => (
          <label key={verdict}>
            <input type="checkbox" name="verdict" value={verdict} checked />
            <Sign tone={VERDICTS[verdict].tone} mark={VERDICTS[verdict].mark} /> {verdict}{' '}
            <span class="muted">{number}</span>
          </label>
        ))}
      </fieldset>
      <label class="search">
        <span>Words</span>
        <input id="filter-text" type="search" autocomplete="off" placeholder="name, firmware, label" />
      </label>
      <p role="status" id="filter-status"></p>
    </search>
  )
}

function Row({ core, columns }: { core: FleetCore; columns: FleetRequirement[] }) {
  const { verdict } = core
  const { mark, tone } = VERDICTS[verdict]
  const href = pageOf(core)
  const traits = traitsOf(core).filter(([name]) => name !== 'firmware' && name !== 'model')
  const words = [core.name, core.label ?? '', core.url, ...traitsOf(core).flat()].join(' ').toLowerCase()
  return (
    <tr class="core" data-verdict={verdict} data-words={shown(words, 600)}>
      <th scope="row">
        {href === undefined ? shown(core.name, 80) : <a href={href}>{shown(core.name, 80)}</a>}
        {traits.length > 0 && <span class="traits">{shown(traits.map(([, value]) => value).join(', '), 80)}</span>}
      </th>
      <td class="core-verdict">
        <Sign tone={tone} mark={mark} /> {shown(coreVerdict(core), 200)}
        <span class="traits">{countsText(core)}</span>
      </td>
      {columns.map(({ id }) => (
        <Cell key={id} core={core} requirement={id} />
      ))}
    </tr>
  )
}

function Cell({ core, requirement }: { core: FleetCore; requirement: string }) {
  const state = core.states[requirement] ?? 'not tested'
  const tone = STATES[state]
  const href = pageOf(core, requirement)
  const inside = (
    <>
      <span aria-hidden="true">{MARKS[tone]}</span>
      <span class="unseen">{state}</span>
    </>
  )
  return <td class={`cell ${tone.replace(' ', '-')}`}>{href === undefined ? inside : <a href={href}>{inside}</a>}</td>
}
