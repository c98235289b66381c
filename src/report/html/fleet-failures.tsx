import { type Pattern, patternsOf } from '../../fleet/patterns.js'
import type { Fleet, FleetCore } from '../../fleet/types.js'
import { count } from '../../ground/count.js'
import { isFailing, VERDICTS } from '../../result/outcomes.js'
import { coreVerdict, namesText } from '../fleet/words.js'
import { grouped } from '../grouped.js'
import { requirementAnchor } from './anchors.js'
import { Section, Sign } from './parts.js'
import { Prose } from './prose.js'
import { sentence, shown } from './text.js'

/** The sections of failures, by how many Cores fail. */
const PARTS: { spread: Pattern['spread']; title: string }[] = [
  { spread: 'everywhere', title: 'What fails everywhere' },
  { spread: 'some', title: 'What fails on some' },
  { spread: 'one', title: 'What fails on a single Core' },
]

/** Most Cores of a failure that are shown unfolded. */
const MAX_SHOWN = 8

/** Shows the failed requirements with the Cores that fail them. */
export function FleetFailures({ fleet }: { fleet: Fleet }) {
  const patterns = patternsOf(fleet)
  return (
    <>
      {PARTS.map(({ spread, title }) => {
        const own = patterns.filter(pattern => pattern.spread === spread)
        if (!own.length) return null
        return (
          <section aria-labelledby={spread} key={spread}>
            <h2 id={spread}>{title}</h2>
            {own.map(pattern => (
              <Failure key={pattern.requirement.id} pattern={pattern} />
            ))}
          </section>
        )
      })}
    </>
  )
}

function Failure({ pattern }: { pattern: Pattern }) {
  const { requirement, cores, judged, shared, specs, consequence } = pattern
  const { id, text } = requirement
  const [first, rest] = [cores.slice(0, MAX_SHOWN), cores.slice(MAX_SHOWN)]
  return (
    <article class="failure">
      <div>
        <h3>
          <span class="id">{shown(id, 40)}</span> <Prose text={sentence(text)} />
        </h3>
        {consequence !== undefined && (
          <p class="consequence">
            <b>For clients:</b> {sentence(consequence)}
          </p>
        )}
        <p class="muted">{shown(`Specs: ${namesText(specs, 4)}`, 300)}</p>
      </div>
      <div>
        <p>
          <b>
            {cores.length} of {count(judged, 'Core')}
          </b>
          {shared.length > 0 && <> — exactly those of {shown(shared.join(' and '), 120)}</>}
        </p>
        <Cores cores={first} requirement={id} />
        {rest.length > 0 && (
          <details>
            <summary>{count(rest.length, 'more Core')}</summary>
            <Cores cores={rest} requirement={id} />
          </details>
        )}
      </div>
    </article>
  )
}

/** Shows each Core with what was seen on it. */
function Cores({ cores, requirement }: { cores: FleetCore[]; requirement: string }) {
  return (
    <ul class="seen">
      {cores.map(core => {
        const { seen } = core.against.find(({ requirements }) => requirements.includes(requirement)) ?? {}
        return (
          <li key={core.name}>
            <CoreLink core={core} requirement={requirement} />
            {seen !== undefined && <>: {shown(seen, 160)}</>}
          </li>
        )
      })}
    </ul>
  )
}

/** Shows the Cores that drifted, that have a stale baseline, or that could not be tested to the end. */
export function FleetOpen({ fleet }: { fleet: Fleet }) {
  const untested = fleet.cores.filter(({ verdict }) => verdict !== 'conformant' && !isFailing(verdict))
  const [drifted, stale] = (['drifted', 'stale baseline'] as const).map(each =>
    fleet.cores.filter(({ verdict }) => verdict === each),
  )
  return (
    <>
      <Reasons id="drifted" title="What drifted from its pins" cores={drifted ?? []} />
      <Reasons id="stale" title="Where the list of known failures is out of date" cores={stale ?? []} />
      <Reasons id="open" title="What could not be tested to the end" cores={untested} />
    </>
  )
}

/** Shows Cores that no failed requirement explains, each reason once. */
function Reasons({ id, title, cores: open }: { id: string; title: string; cores: FleetCore[] }) {
  if (!open.length) return null
  const reasons = [...grouped(open, ({ verdict, reason, advice }) => JSON.stringify([verdict, reason, advice]))]
  return (
    <Section id={id} title={title}>
      <ul class="left-open">
        {reasons.map(([key, cores]) => {
          const [first] = cores
          if (!first) return null
          const { mark, tone } = VERDICTS[first.verdict]
          return (
            <li key={key}>
              <Sign tone={tone} mark={mark} />{' '}
              {cores.map((core, index) => (
                <>
                  {index > 0 && ', '}
                  <CoreLink core={core} />
                </>
              ))}{' '}
              {shown(coreVerdict(first))}: {shown(first.reason)}
              {first.advice !== undefined && (
                <>
                  <br />
                  <b>Next:</b> {shown(first.advice)}
                </>
              )}
            </li>
          )
        })}
      </ul>
    </Section>
  )
}

/** Returns the address of a Core's page, relative to the page of the fleet; undefined where there is none. */
export function pageOf(
  { name, hasResult }: Pick<FleetCore, 'name' | 'hasResult'>,
  requirement?: string,
): string | undefined {
  if (!hasResult) return undefined
  const anchor = requirement === undefined ? undefined : requirementAnchor(requirement)
  return `${encodeURIComponent(name)}/report.html${anchor === undefined ? '' : `#${anchor}`}`
}

/** Shows the name of a Core as a link to its page. */
export function CoreLink({ core, requirement }: { core: FleetCore; requirement?: string }) {
  const href = pageOf(core, requirement)
  const name = shown(core.name, 80)
  return href === undefined ? <span>{name}</span> : <a href={href}>{name}</a>
}
