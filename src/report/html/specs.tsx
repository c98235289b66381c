import { useContext } from 'preact/hooks'
import { duration } from '../../duration.js'
import { count } from '../../ground/count.js'
import { grouped } from '../../ground/grouped.js'
import { MARKS, WORST_FIRST } from '../../result/outcomes.js'
import type { ExchangeRecord, Outcome, SpecRecord, StepRecord } from '../../result.js'
import { type Row, row } from '../blocks.js'
import { deciding, place, requirementAnchor } from '../words.js'
import { Blocks } from './blocks.js'
import { Exchange, type Told, wentWell } from './exchanges.js'
import { classOf, Filter, Mark } from './parts.js'
import { MAX_EXCHANGES, Page } from './room.js'
import { sentence, shown } from './text.js'

/** Shows every spec with its steps, by area. */
export function Specs({ specs }: { specs: SpecRecord[] }) {
  const choices = WORST_FIRST.map(value => {
    const { length: number } = specs.filter(({ outcome }) => outcome === value)
    return { value, tone: value, mark: MARKS[value], number }
  })
  return (
    <>
      <Filter of="specs" hint="id, title, requirement" choices={choices} canUnfold />
      {[...grouped(specs, ({ area }) => area)].map(([area, own], index) => (
        <div class="area" key={area}>
          <h3 id={`area-${index + 1}`}>{sentence(area)}</h3>
          {own.map(spec => (
            <Spec key={spec.id} spec={spec} />
          ))}
        </div>
      ))}
    </>
  )
}

/** Shows links to specs, each with its outcome. */
export function Links({ specs }: { specs: SpecRecord[] }) {
  const { anchors } = useContext(Page)
  return (
    <ul class="marked">
      {specs.map(spec => (
        <li key={anchors.get(spec)}>
          <Mark tone={spec.outcome} mark={MARKS[spec.outcome]} said={spec.outcome} />{' '}
          <a href={`#${anchors.get(spec)}`}>{shown(spec.id, 80)}</a>
        </li>
      ))}
    </ul>
  )
}

const UNFOLDED: ReadonlySet<SpecRecord['outcome']> = new Set(['failed', 'inconclusive'])

function Spec({ spec }: { spec: SpecRecord }) {
  const { anchors, stated } = useContext(Page)
  const anchor = anchors.get(spec)
  const { id, title, outcome, requirements, message, firstTry, level, atMs, durationMs } = spec
  // The requirements that have a row on the page.
  const linked = requirements.flatMap(({ id }) => {
    const anchor = requirementAnchor(id)
    return anchor !== undefined && stated.has(anchor) ? [{ id, anchor }] : []
  })
  // The deciding step says the same as the message, in more words.
  const isTold = outcome === 'failed' && deciding(spec).some(({ expected }) => expected !== undefined)
  return (
    <details class={`spec ${classOf(outcome)}`} data-outcome={outcome} open={UNFOLDED.has(outcome)}>
      <summary>
        <Mark tone={outcome} mark={MARKS[outcome]} said={outcome} />
        <span class="title">{sentence(title)}</span>
        <span class="ids">{shown(requirements.map(requirement => requirement.id).join(' '), 120)}</span>
      </summary>
      {/* Inside, so that a link to it unfolds it. */}
      <div class="story" id={anchor}>
        {message !== undefined && outcome !== 'passed' && !isTold && (
          <p class={`message ${classOf(outcome)}`}>
            <b>{outcome}:</b> {sentence(message)}
          </p>
        )}
        {firstTry !== undefined && <p class="first-try">First try: {sentence(firstTry)}</p>}
        <Story spec={spec} />
        <p class="muted about">
          <code>{shown(id, 100)}</code>, level {level}, <code>{shown(place(spec), 200)}</code>
          {linked.length > 0 && ', tests '}
          {linked.map(({ id, anchor }, index) => (
            <span key={id}>
              {index > 0 && ' '}
              <a href={`#${anchor}`}>{shown(id, 40)}</a>
            </span>
          ))}
          {spec.exchanges.length > 0 && `, began ${duration(atMs)} after the start and took ${duration(durationMs)}`}
        </p>
      </div>
    </details>
  )
}

/** Shows the steps as sentences, each with its exchanges, then the exchanges of no step: the revocations at the end. */
function Story({ spec }: { spec: SpecRecord }) {
  const { steps, exchanges } = spec
  const most = useContext(Page).room(spec) > 0 ? MAX_EXCHANGES : 0
  const ofSteps = new Set(steps.flatMap(step => step.exchanges))
  const stories = steps.map(step => told(spec, step.exchanges))
  const others = [...exchanges.keys()].filter(index => !ofSteps.has(index))
  const rest = told(spec, others)
  const all = [...stories.flat(), ...rest]
  const kept = new Set(all.length > most ? all.filter((_, at) => at < most / 2 || at >= all.length - most / 2) : all)
  const surplus = all.filter(each => !kept.has(each)).reduce((sum, { alike = 0 }) => sum + 1 + alike, 0)
  const listed = (list: readonly Told[]) =>
    list.filter(each => kept.has(each)).map((each, at) => <Exchange key={at} {...each} spec={spec} />)
  return (
    <>
      {steps.length > 0 && (
        <ol class="steps">
          {steps.map((step, index) => (
            <li key={index} class={step.kind}>
              <Step step={step} />
              {listed(stories[index] ?? [])}
            </li>
          ))}
        </ol>
      )}
      {surplus > 0 && (
        <p class="muted">
          {most > 0 ? count(surplus, 'more exchange') : count(surplus, 'exchange')} in the result file.
        </p>
      )}
      {rest.some(each => kept.has(each)) && (
        <>
          <p class="label">{steps.length > 0 ? 'Afterwards' : 'Exchanges'}</p>
          {listed(rest)}
        </>
      )}
    </>
  )
}

/** Returns the exchanges to show. Where a spec went well, those of one method that got the same answer are shown once. */
function told(spec: SpecRecord, indexes: number[]): Told[] {
  const all = indexes.flatMap(index => spec.exchanges[index] ?? [])
  if (!wentWell(spec)) return all.map(exchange => ({ exchange }))
  const kind = ({ request, response, error }: ExchangeRecord) =>
    `${request.method} ${response?.status ?? error?.kind ?? 'nothing'}`
  return [...grouped(all, kind).values()].map(([exchange, ...others]) => ({ exchange, alike: others.length }))
}

/** The mark of each outcome of a step that is not as expected, and its words for screen readers. */
const STEPS: Record<Exclude<StepRecord['outcome'], 'ok'>, { tone: Outcome; mark: string; said: string }> = {
  miss: { tone: 'failed', mark: MARKS.failed, said: 'not as expected:' },
  'missed window': { tone: 'inconclusive', mark: MARKS.inconclusive, said: 'missed its window:' },
  'not run': { tone: 'skipped', mark: MARKS.skipped, said: 'not run:' },
}

function Step({ step }: { step: StepRecord }) {
  const isMiss = step.outcome === 'miss' || step.outcome === 'missed window'
  const { expected = 'something else', got = 'nothing' } = step
  const { shortestMs = 0, longestMs = 0 } = step.gap ?? {}
  // Both bounds stand there only where they look different.
  const bounds = new Set([duration(shortestMs), duration(longestMs)])
  const rows: Row[] = [...row('seen', step.seen), ['expected', expected], ['got', got]]
  return (
    <>
      <p>
        {step.outcome === 'ok' ? <b>{MARKS.passed}</b> : <Mark {...STEPS[step.outcome]} />} {sentence(step.text)}
        {step.kind === 'given' && <span class="tag">preparation</span>}
        {step.kind === 'control' && step.expected !== undefined && <span class="tag">control</span>}
      </p>
      {isMiss && <Blocks blocks={[{ rows }]} />}
      {!isMiss && step.got !== undefined && <p class="got">{shown(step.got)}</p>}
      {longestMs >= 1000 && <p class="got">the token had been unused for {[...bounds].join(' to ')}</p>}
    </>
  )
}
