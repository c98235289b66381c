/** Judges what clients did, by the rules of `contracts/client-rules.yaml`. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { count } from '../ground/count.js'
import type { ClientRecord, ClientResult, Judgement, RuleText, ScenarioResult } from './result.js'
import type { Judges } from './rule.js'
import { SESSION_JUDGES } from './rules-session.js'
import { atMissingPaths, TROUBLE_JUDGES } from './rules-trouble.js'
import { WIRE_JUDGES } from './rules-wire.js'
import { lackOf, type Scenario } from './scenarios.js'

const JUDGES: Judges = { ...WIRE_JUDGES, ...SESSION_JUDGES, ...TROUBLE_JUDGES }

/** One rule for clients; the head of the file explains its fields. */
interface Rule extends RuleText {
  id: string
  scenarios?: readonly string[]
  silent?: true
  unless?: readonly string[]
}

const FILE = new URL('../../contracts/client-rules.yaml', import.meta.url)

/** The rules that clients are judged by, in the order in which reports show them. */
export const RULES = parse(readFileSync(FILE, 'utf8')) as readonly Rule[]

/**
 * Judges what a client did in one scenario. A failed rule counts, even if the client did too little for the other rules.
 * @param ignored the ids of the rules that are left out
 */
export function judge(scenario: Scenario, record: ClientRecord, ignored: readonly string[]): ScenarioResult {
  const rules = RULES.filter(({ scenarios }) => scenarios === undefined || scenarios.includes(scenario.name))
  const found = rules.map(({ id, level, title, why, fix, silent }): Judgement => {
    const told = { rule: id, level, title, why, fix, requests: [] }
    if (ignored.includes(id)) return { ...told, outcome: 'ignored' }
    const finding = silent || record.requests.length > 0 ? JUDGES[id]?.(record) : 'skipped'
    if (finding === 'skipped') return { ...told, outcome: 'skipped' }
    if (finding === undefined) return { ...told, outcome: 'passed' }
    const { got, requests, open } = finding
    return { ...told, outcome: open ? 'open' : 'failed', got, requests }
  })
  const failed = new Set(found.filter(({ outcome }) => outcome === 'failed').map(({ rule }) => rule))
  const judgements = found.map((judgement, index) => {
    // Report one cause once.
    const isConsequence = judgement.outcome === 'failed' && rules[index]?.unless?.some(id => failed.has(id))
    return isConsequence ? { ...judgement, outcome: 'skipped' as const } : judgement
  })
  const told = { scenario: scenario.name, title: scenario.title, judgements, record }
  if (failed.size > 0) return { ...told, outcome: 'failed' }
  const open = openQuestion(scenario, record)
  return open ? { ...told, outcome: 'inconclusive', ...open } : { ...told, outcome: 'passed' }
}

/** Returns why a record allows no conclusion, and what to do; undefined where it allows one. */
function openQuestion(scenario: Scenario, record: ClientRecord): { message: string; advice: string } | undefined {
  const { end, requests, unused } = record
  const open = (message: string, advice: string) => ({ message, advice })
  const seconds = Math.round(record.durationMs / 1000)
  if (end.kind === 'not started')
    return open(`the command could not be started: ${end.message}`, 'name the command after --')
  if (end.kind === 'interrupted') return open('it was interrupted', 'run it again')
  if (requests.length === 0 && unused.trusted > 0)
    return open(
      `it made ${count(unused.trusted, 'connection')} and sent nothing: it does not trust the Core`,
      'let it trust the certificate in the file that CORE_CA_FILE names',
    )
  if (end.kind === 'flood')
    return open(
      `it went on and on, and was ended after ${count(requests.length, 'request')}`,
      'let it do one piece of work and end',
    )
  if (end.kind === 'hang')
    return open(`it still waited after ${seconds} s, and was killed`, 'give every request a timeout')
  if (end.kind === 'timeout')
    return open(
      `it had not ended after ${seconds} s, and was killed`,
      'let it do one piece of work and end, or raise --timeout',
    )
  const how = end.kind === 'exit' && end.code !== 0 ? ` (it ended with exit code ${end.code})` : ''
  if (requests.length === 0 && unused.untrusted === 0)
    return open(
      `it sent nothing${how}`,
      'let it take the address from CORE_URL, and the user from CORE_USERNAME and CORE_PASSWORD',
    )
  if (atMissingPaths(record).length > 0 && how !== '')
    return open(`it asked for what the mock Core does not have${how}`, 'give the mock Core those paths by --routes')
  const lack = lackOf(scenario, record)
  const more = 'let the command make at least 3 authenticated requests, one after the other, and end'
  return lack === undefined ? undefined : open(`${lack}${how}`, more)
}

/** Returns the verdict on a client, with its reason. */
export function verdictOf(scenarios: readonly ScenarioResult[]): { verdict: ClientResult['verdict']; reason: string } {
  const named = (outcome: ScenarioResult['outcome']) =>
    scenarios.filter(result => result.outcome === outcome).map(({ scenario }) => scenario)
  const [failed, open] = [named('failed'), named('inconclusive')]
  if (failed.length > 0) return { verdict: 'nonconformant', reason: `it failed in ${failed.join(', ')}` }
  const [first] = scenarios
  // One cause is told once.
  if (first && open.length > 1 && new Set(scenarios.map(questionOf)).size === 1)
    return { verdict: 'incomplete', reason: `it could not be judged in any scenario: ${first.message}` }
  if (open.length > 0) return { verdict: 'incomplete', reason: `it could not be judged in ${open.join(', ')}` }
  if (scenarios.length === 0) return { verdict: 'incomplete', reason: 'no scenario was run' }
  return { verdict: 'conformant', reason: `it passed in ${scenarios.map(({ scenario }) => scenario).join(', ')}` }
}

/** Names what scenarios have in common that are inconclusive for the same reason, with nothing else to tell; else the scenario. */
export function questionOf({ scenario, outcome, record, judgements, message, advice }: ScenarioResult): string {
  const isBare = !record.requests.length && judgements.every(each => each.outcome !== 'open')
  return outcome === 'inconclusive' && isBare ? JSON.stringify([message, advice]) : scenario
}
