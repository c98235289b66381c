import { useContext } from 'preact/hooks'
import type { Outcome, RequirementRef, SpecRecord } from '../../result.js'
import { Anchors } from './anchors.js'
import { Mark } from './outcome.js'
import { sentence, shown } from './text.js'
import { tally } from './words.js'

/** A requirement with the specs that test it. */
export interface Tested {
  requirement: RequirementRef
  specs: SpecRecord[]
}

/** Every requirement that the specs of a result name, by its id. */
export function testedRequirements(specs: readonly SpecRecord[]): Tested[] {
  const tested = new Map<string, Tested>()
  for (const spec of specs) {
    for (const requirement of spec.requirements) {
      const known = tested.get(requirement.id)
      if (!known) tested.set(requirement.id, { requirement, specs: [spec] })
      else if (!known.specs.includes(spec)) known.specs.push(spec)
    }
  }
  const isOpen = ({ specs: own }: Tested) => Number(own.every(({ level }) => level === 'observe'))
  // What the reference leaves open comes last.
  return [...tested.values()].sort((a, b) => isOpen(a) - isOpen(b) || byId(a.requirement.id, b.requirement.id))
}

function byId(a: string, b: string): number {
  const order = (id: string): [string, number] => [id.replace(/-?\d+$/, ''), Number(/\d+$/.exec(id)?.[0] ?? 0)]
  const [[nameA, numberA], [nameB, numberB]] = [order(a), order(b)]
  if (nameA !== nameB) return nameA < nameB ? -1 : 1
  return numberA - numberB
}

/** What the specs say of their requirement, in a word or two. */
function standing(specs: readonly SpecRecord[]): string {
  const has = (outcome: SpecRecord['outcome']) => specs.some(spec => spec.outcome === outcome)
  if (has('failed') || has('known failure')) return 'broken'
  const musts = specs.filter(({ level }) => level === 'must')
  if (musts.length === 0) return has('observed') ? 'recorded' : 'not looked at'
  if (musts.every(({ outcome }) => outcome !== 'passed')) return 'not tested'
  return has('inconclusive') || has('blocked') || has('pending') ? 'met so far' : 'met'
}

const TONES: Record<string, SpecRecord['outcome']> = {
  broken: 'failed',
  met: 'passed',
  recorded: 'observed',
  'met so far': 'pending',
}

/** Each requirement with what its specs say of it. */
export function Coverage({ specs }: { specs: SpecRecord[] }) {
  return (
    <section aria-labelledby="requirements">
      <h2 id="requirements">Requirements</h2>
      <table class="stack coverage">
        <thead>
          <tr>
            <th scope="col">Requirement</th>
            <th scope="col">Standing</th>
            <th scope="col">Specs</th>
          </tr>
        </thead>
        <tbody>
          {testedRequirements(specs).map(({ requirement, specs: own }) => (
            <Row key={requirement.id} requirement={requirement} specs={own} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Row({ requirement: { id, text, section }, specs }: Tested) {
  const word = standing(specs)
  const tone = TONES[word] ?? 'skipped'
  return (
    <tr>
      <th scope="row">
        <span class="id">{shown(id, 40)}</span> {sentence(text)} <span class="muted">({shown(section, 80)})</span>
      </th>
      <td>
        <span class={`standing ${tone}`}>
          <Mark outcome={tone} worded /> {word}
        </span>
      </td>
      <td>
        {specs.length === 1 ? (
          <Links specs={specs} />
        ) : (
          tally(specs).map(([outcome]) => (
            <Some key={outcome} outcome={outcome} specs={specs.filter(spec => spec.outcome === outcome)} />
          ))
        )}
      </td>
    </tr>
  )
}

/** The specs of one outcome; what went wrong is unfolded while it is not too long. */
function Some({ outcome, specs }: { outcome: Outcome; specs: SpecRecord[] }) {
  const isFine = outcome === 'passed' || outcome === 'observed'
  return (
    <details class="some" open={!isFine && specs.length <= MAX_UNFOLDED}>
      <summary>
        <Mark outcome={outcome} worded /> {specs.length} {outcome}
      </summary>
      <Links specs={specs} />
    </details>
  )
}

const MAX_UNFOLDED = 3

/** Links to specs, each with its outcome. */
export function Links({ specs }: { specs: SpecRecord[] }) {
  const anchors = useContext(Anchors)
  if (specs.length === 0) return null
  return (
    <ul class="links">
      {specs.map(spec => (
        <li key={anchors.get(spec)}>
          <Mark outcome={spec.outcome} /> <a href={`#${anchors.get(spec)}`}>{shown(spec.id, 80)}</a>
        </li>
      ))}
    </ul>
  )
}
