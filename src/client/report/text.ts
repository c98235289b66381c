/** Makes the texts that the reports of `client` share. Of the client's requests they show only method, path and status. */

import { count } from '../../ground/count.js'
import { grouped } from '../../ground/grouped.js'
import type { RecordedRequest } from '../../mock/index.js'
import type { Outcome } from '../../result.js'
import { passwordPlaces, tokenPlaces, tokensOf } from '../printed.js'
import type { ClientResult, Judgement, ScenarioResult } from '../result.js'
import { RULES } from '../rules.js'

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

/** Lists the request that shows a finding and those around it, one a line. Marks the evidence. Empty when there is none. */
export function around({ requests }: Judgement, { record }: ScenarioResult): string[] {
  const [shown] = requests
  const at = record.requests.findIndex(({ number }) => number === shown)
  if (at < 0) return []
  return record.requests.slice(Math.max(0, at - AROUND), at + AROUND + 1).map(request => {
    const { number, atMs, token } = request
    const mark = requests.includes(number) ? '>' : ' '
    const held = token === null ? 'no token' : `token ${token.number ?? '?'}, ${token.state}`
    return `${mark} ${number}. ${line(request, record)}, ${held}, at ${(atMs / 1000).toFixed(2)} s`
  })
}

function line(request: RecordedRequest, record: ScenarioResult['record']): string {
  const places = [...passwordPlaces(request, record.credentials.password), ...tokenPlaces(request, tokensOf(record))]
  const path = places.includes('the path') ? '<concealed>' : request.path
  return `${request.method} ${path} → ${request.status ?? 'no answer'}`
}

/** Says how many rules a scenario judged, by how many requests. */
export function seen({ record, judgements }: ScenarioResult): string {
  const judged = judgements.filter(({ outcome }) => outcome === 'passed' || outcome === 'failed').length
  return `${count(judged, 'rule')} judged by ${count(record.requests.length, 'request')}`
}

/** Lists each failed rule once, with the first scenario it failed in. `also` names the other scenarios. */
export function changes({
  scenarios,
}: ClientResult): { judgement: Judgement; scenario: ScenarioResult; also: string[] }[] {
  const failed = scenarios.flatMap(scenario =>
    scenario.judgements.filter(({ outcome }) => outcome === 'failed').map(judgement => ({ judgement, scenario })),
  )
  return [...grouped(failed, ({ judgement }) => judgement.rule).values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, also: others.map(({ scenario }) => scenario.scenario) }] : [],
  )
}

/** Lists the rules that no scenario judged, grouped by reason. */
export function leftOpen({ scenarios, ignored }: ClientResult): { rules: string[]; why: string }[] {
  const all = scenarios.flatMap(({ judgements }) => judgements)
  const each = RULES.flatMap(({ id }) => {
    if (ignored.includes(id)) return [{ rule: id, why: 'left out by name' }]
    const judged = all.filter(({ rule }) => rule === id)
    if (judged.some(({ outcome }) => outcome === 'passed' || outcome === 'failed')) return []
    const open = judged.find(({ outcome }) => outcome === 'open')
    if (open) return [{ rule: id, why: `cannot be decided: ${open.got ?? ''}` }]
    if (judged.length > 0) return [{ rule: id, why: 'the client did nothing that the rule is about' }]
    return [{ rule: id, why: 'no scenario that could show it was run' }]
  })
  return [...grouped(each, ({ why }) => why)].map(([why, own]) => ({ rules: own.map(({ rule }) => rule), why }))
}

/** Lists what the client asked for and the mock Core does not have, each once: `GET /api/v0/streams`. */
export function missingPaths({ scenarios }: ClientResult): string[] {
  const missing = scenarios.flatMap(({ record }) =>
    record.requests
      .filter(({ status, token }) => status === 404 && token?.state === 'valid')
      .map(request => line(request, record).replace(/ → .*/, '')),
  )
  return [...new Set(missing)].sort()
}

/** What no scenario can find out about a client. */
export const BEYOND =
  'No scenario tells how a client keeps its password and token, what it writes to files, or what it does after days of work.'

/** The headline of each verdict, and the outcome whose mark and colour it has. */
export const HEADLINES: Record<ClientResult['verdict'], { tone: Outcome; text: string }> = {
  conformant: { tone: 'passed', text: 'The client conforms' },
  nonconformant: { tone: 'failed', text: 'The client does not conform' },
  incomplete: { tone: 'inconclusive', text: 'The client could not be judged' },
}
