/** Says how a client was judged, as blocks. Of the client's requests they show only method, path and status. */
import { duration } from '../../duration.js'
import { count } from '../../ground/count.js'
import { grouped, type Some } from '../../ground/grouped.js'
import type { RecordedRequest } from '../../mock/index.js'
import { type Block, list, type Report, row, section } from '../../report/blocks.js'
import { MARKS } from '../../result/outcomes.js'
import type { Outcome } from '../../result.js'
import { questionOf, RULES } from '../judge-client.js'
import { passwordPlaces, tokenPlaces, tokensOf } from '../printed.js'
import type { ClientResult, Judgement, ScenarioResult } from '../result.js'
import { atMissingPaths } from '../rules-trouble.js'

/** Makes the report of `client`: each scenario with its failed rules, what was not judged, what to change, and the verdict. */
export function clientReport(result: ClientResult): Report {
  const { text, tone } = HEADLINES[result.verdict]
  const missed = result.scenarios.flatMap(({ record }) =>
    atMissingPaths(record).map(request => line(request, record).replace(/ → .*/, '')),
  )
  const paths = [...new Set(missed)].sort()
  const missing = `${paths.join(', ')}: the mock Core has no such path; give it one by --routes, or what the client does there is not tested`
  return {
    kicker: 'How a client uses a Core’s authentication API',
    verdict: { mark: MARKS[tone], tone, text },
    head: [
      { text: result.reason },
      { rows: [...row('command', result.command.join(' ')), ...row('time', duration(result.durationMs))] },
    ],
    sections: [
      // Where the client was not judged for one reason in several scenarios, this reason is told once.
      ...section('Scenarios', [...grouped(result.scenarios, questionOf).values()].map(scenarioItem)),
      ...section('Not judged', [...list(leftOpen(result)), { text: BEYOND, tone: 'muted' }]),
      ...section('Not there', paths.length > 0 ? [{ text: missing }] : []),
      ...section('What to change', changes(result).map(changeItem)),
    ],
  }
}

/** Shows a scenario with its failed rules, and the others of which the same is to be told by their names. */
function scenarioItem([scenario, ...others]: Some<ScenarioResult>): Block {
  const { scenario: name, title, outcome, judgements, message, advice, record } = scenario
  const judged = judgements.filter(each => each.outcome === 'passed' || each.outcome === 'failed').length
  const failed = judgements.filter(judgement => judgement.outcome === 'failed')
  const open = judgements.filter(judgement => judgement.outcome === 'open')
  const rules = failed.map(judgement => [
    ...row('rule', `${judgement.rule} (${judgement.level})`),
    ...row('expected', judgement.title),
    ...row('got', judgement.got),
    ...row('where', where(judgement, scenario)),
  ])
  const unsure = open.flatMap(({ rule, got = '' }) => row('open', `${rule}: ${got}`))
  return {
    item: others.length ? [scenario, ...others].map(each => each.scenario).join(', ') : `${name}: ${title}`,
    tone: outcome,
    blocks: [
      { text: `${count(judged, 'rule')} judged by ${count(record.requests.length, 'request')}`, tone: 'muted' },
      { rows: [...rules.flat(), ...unsure, ...row('why', message), ...row('next', advice)] },
    ],
  }
}

function changeItem({ judgement, scenario, also }: ReturnType<typeof changes>[number]): Block {
  const { rule, fix, why } = judgement
  return {
    item: `${rule}: ${fix}`,
    tone: 'failed',
    blocks: [
      { rows: [...row('why', why), ...row('seen in', [scenario.scenario, ...also].join(', '))] },
      { list: around(judgement, scenario).map(each => ({ ...each, tone: 'muted' })) },
    ],
  }
}

const TOLD_REQUESTS = 3

/** Number of requests that are shown before and after the evidence. */
const AROUND = 2

/** Names the requests that show a finding: `request 3 (GET /api/v0/cores/self/users → 401)`; empty when none does. */
export function where({ requests }: Judgement, { record }: ScenarioResult): string {
  const told = requests.slice(0, TOLD_REQUESTS).map(number => {
    const request = record.requests.find(candidate => candidate.number === number)
    return request === undefined ? `request ${number}` : `request ${number} (${line(request, record)})`
  })
  const more = requests.length - told.length
  return [...told, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

/** Lists the request that shows a finding and those around it. Marks the evidence. Empty when there is none. */
export function around({ requests }: Judgement, { record }: ScenarioResult): { mark: string; text: string }[] {
  const [shown] = requests
  const at = record.requests.findIndex(({ number }) => number === shown)
  if (at < 0) return []
  return record.requests.slice(Math.max(0, at - AROUND), at + AROUND + 1).map(request => {
    const { number, atMs, token } = request
    const held = token === null ? 'no token' : `token ${token.number ?? '?'}, ${token.state}`
    const text = `${number}. ${line(request, record)}, ${held}, at ${(atMs / 1000).toFixed(2)} s`
    return { mark: requests.includes(number) ? '>' : ' ', text }
  })
}

function line(request: RecordedRequest, record: ScenarioResult['record']): string {
  const places = [...passwordPlaces(request, record.credentials.password), ...tokenPlaces(request, tokensOf(record))]
  const path = places.includes('the path') ? '<concealed>' : request.path
  return `${request.method} ${path} → ${request.status ?? 'no answer'}`
}

/** Lists each failed rule once, with the first scenario it failed in. `also` names the other scenarios. */
function changes({ scenarios }: ClientResult): { judgement: Judgement; scenario: ScenarioResult; also: string[] }[] {
  const failed = scenarios.flatMap(scenario =>
    scenario.judgements.filter(({ outcome }) => outcome === 'failed').map(judgement => ({ judgement, scenario })),
  )
  return [...grouped(failed, ({ judgement }) => judgement.rule).values()].map(([first, ...others]) => ({
    ...first,
    also: others.map(({ scenario }) => scenario.scenario),
  }))
}

/** Lists the rules that no scenario judged, each reason once: `RULE, RULE: why`. */
function leftOpen({ scenarios, ignored }: ClientResult): string[] {
  const all = scenarios.flatMap(({ judgements }) => judgements)
  const each = RULES.flatMap(({ id }) => {
    if (ignored.includes(id)) return [{ rule: id, why: 'left out by name' }]
    const judged = all.filter(({ rule }) => rule === id)
    if (judged.some(({ outcome }) => outcome === 'passed' || outcome === 'failed')) return []
    const open = judged.find(({ outcome }) => outcome === 'open') ?? judged[0]
    return [{ rule: id, why: open ? notJudged(open) : 'no scenario that could show it was run' }]
  })
  return [...grouped(each, ({ why }) => why)].map(([why, own]) => `${own.map(({ rule }) => rule).join(', ')}: ${why}`)
}

/** Says why a scenario did not judge a rule. */
export function notJudged({ outcome, got = '' }: Judgement): string {
  return outcome === 'open' ? `cannot be decided: ${got}` : 'the client did nothing that the rule is about'
}

/** What no scenario can find out about a client. */
const BEYOND =
  'No scenario tells how a client keeps its password and token, what it writes to files, or what it does after days of work.'

/** The headline of each verdict, and the outcome whose mark and colour it has. */
const HEADLINES: Record<ClientResult['verdict'], { tone: Outcome; text: string }> = {
  conformant: { tone: 'passed', text: 'The client conforms' },
  nonconformant: { tone: 'failed', text: 'The client does not conform' },
  incomplete: { tone: 'inconclusive', text: 'The client could not be judged' },
}
