/** Shows what the run found out about the Core, and the configuration of the run. */

import { type ComponentChildren, Fragment } from 'preact'
import { useContext } from 'preact/hooks'
import { count } from '../../ground/count.js'
import type { Dialect as DialectRecord, Exploration, Fact, Facts as FactRecords, RunResult } from '../../result.js'
import { RECORDED, recordedValue } from '../../settings/record.js'
import { signsInWords } from '../../settings/refused.js'
import { grouped } from '../grouped.js'
import { agesText, exploredText, findingText, measured, walkedRows } from '../words.js'
import { Exchange } from './exchanges.js'
import { Section } from './parts.js'
import { MAX_EXCHANGES, Rooms } from './room.js'
import { shown } from './text.js'

/** The columns for answers: the last part of the facts' names, and the heading. */
const COLUMNS: [name: string, title: string][] = [
  ['status', 'Status'],
  ['content-type', 'Content type'],
  ['body', 'Body'],
  ['headers', 'Headers'],
]

/** The facts of one situation, by the last part of their names. */
type Situation = [name: string, seen: Map<string, Fact>]

function situationsOf(facts: FactRecords): Situation[] {
  const situation = (name: string) => name.slice(0, Math.max(0, name.lastIndexOf('.'))) || name
  return [...grouped(Object.keys(facts), situation)].map(([name, own]) => [
    name,
    new Map(own.map(fact => [fact === name ? 'value' : fact.slice(name.length + 1), facts[fact] ?? ''])),
  ])
}

/** Shows the facts: a table of answers with a row for each situation, then all other facts. */
export function Facts({ facts }: { facts: FactRecords }) {
  const situations = situationsOf(facts)
  const isAnswer = ([, seen]: Situation) => seen.has('status') && [...seen.keys()].every(isColumn)
  const [answers, others] = [situations.filter(isAnswer), situations.filter(each => !isAnswer(each))]
  return (
    <Section id="facts" title="Facts observed">
      <p class="lead">What the reference leaves open and this Core was seen to do. None of it fails a Core.</p>
      {situations.length === 0 && <p>Nothing was observed.</p>}
      {answers.length > 0 && <Answers answers={answers} />}
      {others.length > 0 && <Pairs pairs={others.flatMap(otherPairs)} />}
    </Section>
  )
}

const isColumn = (name: string) => COLUMNS.some(([column]) => column === name)

function Answers({ answers }: { answers: Situation[] }) {
  const used = COLUMNS.filter(([column]) => answers.some(([, seen]) => seen.has(column)))
  return (
    <table class="stack">
      <thead>
        <tr>
          <th scope="col">Situation</th>
          {used.map(([column, title]) => (
            <th scope="col" key={column}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {answers.map(([situation, seen]) => (
          <tr key={situation}>
            <th scope="row">{shown(situation, 120)}</th>
            {used.map(([column]) => (
              <td key={column} class={seen.has(column) ? undefined : 'none'}>
                {seen.has(column) && (
                  <>
                    <span class="cell-label">{column}</span> <code>{shown(String(seen.get(column)))}</code>
                  </>
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function otherPairs([situation, seen]: Situation): Pair[] {
  return [...seen].map(([name, value]) => [
    name === 'value' ? situation : `${situation}.${name}`,
    <code key={name}>{shown(String(value))}</code>,
  ])
}

type Pair = [name: string, value: ComponentChildren]

function Pairs({ pairs }: { pairs: Pair[] }) {
  return (
    <dl class="rows">
      {pairs.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{shown(name, 80)}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  )
}

const SESSIONS: Record<NonNullable<DialectRecord['sessions']>, string> = {
  many: 'a user may hold several tokens',
  newest: 'a logon ends the tokens before it',
  same: 'every logon gives the same token',
}

/** Shows how this Core does what the reference leaves open. */
export function Dialect({ dialect }: { dialect: DialectRecord }) {
  const { token, sessions, lifetime, http10 } = dialect
  const status = (value: number | null) => (value === null ? <Unknown /> : <code>{value}</code>)
  const pairs: Pair[] = [
    [
      'token',
      token ? (
        <>
          at <code>{shown(token.pointer, 200)}</code> of the logon response, {count(token.length, 'character')},{' '}
          {shown(token.alphabet, 80)}
        </>
      ) : (
        <Unknown />
      ),
    ],
    ['a logon is answered', status(dialect.logonStatus)],
    ['a valid token is answered', status(dialect.acceptedStatus)],
    ['no token is answered', status(dialect.rejectedStatus)],
    ['a token never issued is answered', status(dialect.unknownTokenStatus)],
    ['refusals', dialect.refused?.length ? shown(signsInWords(dialect.refused), 200) : <Unknown />],
    ['HTTP/1.0 with Host', http10 === null ? <Unknown /> : http10 ? 'answered as HTTP/1.1' : 'answered otherwise'],
    ['sessions', sessions === null ? <Unknown /> : SESSIONS[sessions]],
    ['idle lifetime', lifetime === null ? <Unknown text="not measured" /> : measured(lifetime)],
  ]
  return (
    <Section id="dialect" title="Dialect">
      <p class="lead">How this Core says what the reference leaves open, as the survey before the specs found it.</p>
      <Pairs pairs={pairs} />
    </Section>
  )
}

function Unknown({ text = 'not known' }: { text?: string }) {
  return <span class="muted">{text}</span>
}

/** Makes the row of a setting; none for a setting without a row, or one that is missing in an old result. */
function configured({ row, shown: text, takes }: (typeof RECORDED)[number], value: unknown): Pair[] {
  if (row === undefined || value === undefined) return []
  const words = shown(text ? text(value) : takes.words(value))
  return [[row, takes.isVerbatim ? <code key={row}>{words}</code> : words]]
}

/** Shows the configuration of the run. */
export function Configuration({ result }: { result: RunResult }) {
  const { configuration: how, target, suite, tokens, refusedLogons, plan } = result
  const pairs: Pair[] = [
    ['suite', `${suite.name} ${shown(suite.version, 40)}`],
    ['specs (SHA-256)', <code key="digest">{shown(suite.specsDigest, 64)}</code>],
    [
      'certificate (SHA-256)',
      target.certificateFingerprint ? <code>{target.certificateFingerprint}</code> : <Unknown />,
    ],
    ...RECORDED.flatMap(setting => configured(setting, recordedValue(how, setting))),
    [
      'tokens',
      `${tokens.issued} issued, ${tokens.left} of them may still be live; up to ${plan.tokens} planned at a time`,
    ],
    ['refused logons', `${refusedLogons} of at most ${how.maxRefusedLogons}`],
  ]
  return (
    <Section id="configuration" title="Configuration">
      <Pairs pairs={pairs} />
    </Section>
  )
}

/** Shows the result of exploring: the transitions of the model that were walked, and the findings. */
export function Explored({ exploration }: { exploration: Exploration }) {
  const { findings } = exploration
  const pairs: Pair[] = walkedRows(exploration).map(([state, by, times]) => [`${by} (token: ${state})`, times])
  return (
    <Section id="explored" title="Explored">
      <p class="lead">
        Sequences that no spec holds, against a model of the reference: {shown(exploredText(exploration))}.
      </p>
      {findings.length > 0 && (
        <ul>
          {findings.map(finding => (
            <li key={finding.id}>{shown(findingText(finding))}</li>
          ))}
        </ul>
      )}
      {pairs.length > 0 && <Pairs pairs={pairs} />}
      {pairs.length > 0 && <p>Valid tokens were used after so much of their lifetime: {agesText(exploration)}.</p>}
    </Section>
  )
}

/** Shows the exchanges before and after the specs. */
export function Survey({ result: { survey } }: { result: RunResult }) {
  const hasRoom = useContext(Rooms).of(undefined) > 0
  if (survey.length === 0 || !hasRoom) return null
  return (
    <Section id="survey" title="Survey and cleaning up" class="survey">
      {survey.slice(0, MAX_EXCHANGES).map((exchange, index) => (
        <Exchange key={index} exchange={exchange} />
      ))}
      {survey.length > MAX_EXCHANGES && <p class="muted">More of them are in the result file.</p>}
    </Section>
  )
}
