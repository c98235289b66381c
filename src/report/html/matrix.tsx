import { outcomeWord } from '../../result/outcomes.js'
import type { SpecRecord } from '../../result.js'
import { grouped } from '../grouped.js'
import { Mark, tone } from './outcome.js'
import { shown } from './text.js'
import { tally, WORST_FIRST } from './words.js'

/** Shows how many specs of each area had each outcome. */
export function Matrix({ specs }: { specs: SpecRecord[] }) {
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
    <section aria-labelledby="areas">
      <h2 id="areas">Areas</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be in reach of the keyboard */}
      <section class="scroll" aria-label="Areas by outcome" tabIndex={0}>
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
      </section>
    </section>
  )
}
