import { Section } from '../../../report/html/parts.js'
import { sentence, shown } from '../../../report/html/text.js'
import type { Cell, Diff, Row } from '../../types.js'
import { cellText } from '../words.js'

/** The colour class of each state. */
const TONES: Record<Cell['state'], string> = {
  failed: 'failed',
  'in doubt': 'doubt',
  'known failure': 'known',
  passed: 'passed',
  observed: 'observed',
  'not judged': 'none',
  none: 'none',
}

/** Shows every requirement in every run: firmware by requirement. */
export function Versions({ diff: { runs, matrix } }: { diff: Diff }) {
  return (
    <Section id="requirements" title="Requirements">
      <p class="muted">
        Each cell counts the specs of the requirement in that run: ✓ 4 of 5 passed, and the fifth was not judged. ~
        known failures, • observed. A cell that differs from the run before has another background.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be in reach of the keyboard */}
      <section class="scroll" aria-label="Requirements by run" tabIndex={0}>
        <table class="versions">
          <thead>
            <tr>
              <th scope="col">Requirement</th>
              {runs.map(({ name }, index) => (
                <th scope="col" key={index}>
                  {index + 1} {shown(name, 60)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {matrix.map(row => (
              <Requirement key={row.requirement} row={row} />
            ))}
          </tbody>
        </table>
      </section>
    </Section>
  )
}

function Requirement({ row: { requirement, text, cells } }: { row: Row }) {
  return (
    <tr>
      <th scope="row">
        <span class="id">{shown(requirement, 40)}</span> {sentence(text)}
      </th>
      {cells.map((cell, index) => {
        const before = cells[index - 1]
        const isChanged =
          before !== undefined && (before.state !== cell.state || before.failed.join() !== cell.failed.join())
        return (
          <td key={index} class={`${TONES[cell.state]}${isChanged ? ' changed' : ''}`}>
            <span class="run" aria-hidden="true">
              {index + 1}:{' '}
            </span>
            <State cell={cell} />
          </td>
        )
      })}
    </tr>
  )
}

/** Shows the mark and the numbers of a cell. The failed specs are folded. */
function State({ cell }: { cell: Cell }) {
  const text = (
    <>
      <span aria-hidden="true">{cellText(cell)}</span>
      <span class="unseen">{spoken(cell)}</span>
    </>
  )
  if (!cell.failed.length) return text
  return (
    <details>
      <summary>{text}</summary>
      <ul>
        {cell.failed.map(id => (
          <li key={id}>{shown(id, 80)}</li>
        ))}
      </ul>
    </details>
  )
}

/** Says a cell in words, for screen readers. */
function spoken({ state, judged, total, failed }: Cell): string {
  switch (state) {
    case 'none':
      return 'no such spec'
    case 'not judged':
      return 'not judged'
    case 'failed':
    case 'known failure':
      return `${state}, ${failed.length} of ${judged} judged`
    default:
      return `${state}, ${judged} of ${total} judged`
  }
}
