import { grouped } from '../../../report/grouped.js'
import { Columns } from '../../../report/html/parts.js'
import { sentence, shown } from '../../../report/html/text.js'
import { CONSEQUENCES, type Consequence, type Row } from '../../types.js'
import type { ShownChange } from '../words.js'

/** The mark of each consequence. */
const MARKS: Record<Consequence, string> = { breaking: '✗', risky: '!', harmless: '✓' }

/** Most specs of one broken requirement that are shown unfolded. */
const MAX_SHOWN = 3

/** Shows the differences by their consequence for clients, worst first. */
export function Changes({ changes, matrix, name }: { changes: ShownChange[]; matrix: Row[]; name: string }) {
  return (
    <>
      {CONSEQUENCES.map(consequence => {
        const own = changes.filter(change => change.consequence === consequence)
        if (!own.length) return null
        const failures = own.filter(({ kind }) => kind === 'failure')
        const others = own.filter(({ kind }) => kind !== 'failure')
        return (
          <section key={consequence} aria-label={`${consequence}, ${name}`}>
            <h3 class={`consequence-of ${consequence}`}>
              <span aria-hidden="true">{MARKS[consequence]}</span> {consequence}
            </h3>
            {[...grouped(failures, ({ requirements }) => requirements[0] ?? '')].map(([requirement, specs]) => (
              <Failure key={requirement} row={matrix.find(row => row.requirement === requirement)} specs={specs} />
            ))}
            {others.length > 0 && <Table changes={others} />}
          </section>
        )
      })}
    </>
  )
}

/** Shows a requirement that is broken now, with the consequence for clients and the specs that saw it. */
function Failure({ row, specs }: { row: Row | undefined; specs: ShownChange[] }) {
  const more = specs.slice(MAX_SHOWN)
  return (
    <article class="failure">
      <div>
        <h4>
          Fails now: <span class="id">{shown(row?.requirement ?? '', 40)}</span> {sentence(row?.text ?? '')}
        </h4>
        <p class="consequence">
          <b>For clients:</b> {sentence(specs[0]?.why ?? '')}
        </p>
      </div>
      <div class="evidence">
        <FailedSpecs specs={specs.slice(0, MAX_SHOWN)} />
        {more.length > 0 && (
          <details>
            <summary>{more.length} more of its specs fail now</summary>
            <FailedSpecs specs={more} />
          </details>
        )}
      </div>
    </article>
  )
}

function FailedSpecs({ specs }: { specs: ShownChange[] }) {
  return (
    <ul class="judged-specs">
      {specs.map(({ what, of, seen = '' }) => (
        <li key={of[0]}>
          <b>{sentence(what)}</b> <span class="muted">({shown(of.join(', '), 80)})</span>
          <p class="seen">{sentence(seen)}</p>
        </li>
      ))}
    </ul>
  )
}

function Table({ changes }: { changes: ShownChange[] }) {
  return (
    <table class="stack changes">
      <Columns names={['Change', 'Where', 'For clients']} />
      <tbody>
        {changes.map(({ kind, what, of, seen, requirements, why }) => (
          <tr key={`${kind} ${what} ${of[0]} ${seen}`}>
            <th scope="row">
              {kind === 'fixed' && 'Fixed: '}
              <span class="what">{kind === 'fixed' ? sentence(what) : shown(what, 300)}</span>
              {seen !== undefined && <p class="seen">{sentence(seen)}</p>}
            </th>
            <td>
              <Names names={of.length ? [...of, ...requirements] : ['the whole Core']} />
            </td>
            <td>{sentence(why)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Longest list that is shown unfolded. */
const MAX_UNFOLDED = 8

/** Shows a list of names. A long list shows its first names, and folds the rest. */
export function Names({ names }: { names: string[] }) {
  const text = (some: string[]) => some.map(name => shown(name, 80)).join(', ')
  if (names.length <= MAX_UNFOLDED) return <span>{text(names)}</span>
  return (
    <details>
      <summary>
        {text(names.slice(0, 3))} and {names.length - 3} more
      </summary>
      {text(names.slice(3))}
    </details>
  )
}
