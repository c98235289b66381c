import { traitsOf } from '../../fleet/patterns.js'
import type { Fleet, FleetCore } from '../../fleet/types.js'
import { count } from '../../ground/count.js'
import { grouped } from '../../ground/grouped.js'
import { MARKS, VERDICTS } from '../../result/outcomes.js'
import { withLimits } from '../../result/scope.js'
import type { Verdict } from '../../result.js'
import type { Block, Piece, TableRow } from '../blocks.js'
import { fleetReport } from '../fleet/blocks.js'
import { coreVerdict, countsText, limitsOf, pageOf } from '../fleet/words.js'
import { STATES } from '../requirements.js'
import { minuteOf } from '../words.js'
import { Blocks } from './blocks.js'
import { renderPage } from './frame.js'
import { Filter } from './parts.js'

/** Renders a fleet as an HTML page that loads nothing, with links to the pages of its Cores in the folders beside it. */
export function renderFleetHtml(fleet: Fleet): string {
  const { verdict, counts, suite, startedAt } = fleet
  const number = count(counts.cores, 'Core')
  const choices = (Object.keys(VERDICTS) as Verdict[]).map(value => {
    const { mark, tone } = VERDICTS[value]
    return { value, mark, tone, number: counts[value] ?? 0 }
  })
  const shown = (
    <>
      <Filter of="Cores" hint="name, firmware, label" choices={choices} />
      <Blocks blocks={coreTable(fleet)} />
    </>
  )
  return renderPage(fleetReport({ fleet }), {
    title: `${withLimits(VERDICTS[verdict].word, limitsOf(fleet))}: ${number}`,
    hasScript: true,
    class: 'fleet',
    more: [{ id: 'cores', title: 'Cores', shown }],
    footer: `Made from the results of ${number}, begun ${minuteOf(startedAt)}, by ${suite.name} ${suite.version}. The page of each Core stands in its folder beside this file.`,
  })
}

/** Shows each Core by each requirement, grouped by model and firmware. Each cell is a link to the page of its Core. */
function coreTable({ cores, requirements }: Fleet): Block[] {
  // Requirements of other levels have the same mark for every Core.
  const ids = requirements.flatMap(({ id, level }) => (level === 'must' ? [id] : []))
  const modelOf = ({ firmware, labels }: FleetCore) =>
    [labels?.model, firmware && `firmware ${firmware}`].filter(part => part !== undefined).join(', ')
  const groups = [...grouped(cores, modelOf)].sort(([a], [b]) => (a < b ? -1 : 1))
  const cells = groups.flatMap(([name, own]): TableRow[] => {
    const group = `${name === '' ? 'No firmware and no labels told' : name}, ${count(own.length, 'Core')}`
    return [...(groups.length > 1 || name !== '' ? [{ cells: [], group }] : []), ...own.map(core => coreRow(core, ids))]
  })
  return [
    {
      text: '✓ met, ✗ not met, ~ known failure, ? in doubt, … met so far, – not tested. Each mark leads into the page of its Core.',
      tone: 'muted',
    },
    { table: ['Core', 'Verdict', ...ids], cells, class: 'matrix' },
  ]
}

function coreRow(core: FleetCore, ids: readonly string[]): TableRow {
  const { verdict, name, label = '', url } = core
  const { mark, tone } = VERDICTS[verdict]
  const traits = traitsOf(core).flatMap(([trait, value]) => (/^(firmware|model)$/.test(trait) ? [] : [value]))
  const states = ids.map(id => {
    const state = core.states[id] ?? 'not tested'
    const tone = STATES[state]
    return [{ text: MARKS[tone], said: state, tone, href: pageOf(core, id) }]
  })
  const muted = (text: string): Piece => ({ text: ` ${text}`, tone: 'muted' })
  const whose: Piece[] = [{ text: name, as: 'name', href: pageOf(core) }, muted(traits.join(', '))]
  const told: Piece[] = [{ text: `${mark} ${coreVerdict(core)}`, tone }, muted(countsText(core))]
  return {
    words: [name, label, url, ...traitsOf(core).flat()].join(' '),
    outcome: verdict,
    cells: [whose, told, ...states],
  }
}
