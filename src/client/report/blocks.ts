/** Says how a client was judged, as blocks. */
import { duration } from '../../duration.js'
import { type Block, list, type Report, row, section } from '../../report/blocks.js'
import { MARKS } from '../../result/outcomes.js'
import { isSameQuestion } from '../judge-client.js'
import type { ClientResult, ScenarioResult } from '../result.js'
import { around, BEYOND, changes, HEADLINES, leftOpen, missingPaths, seen, where } from './text.js'

/** Makes the report of `client`: each scenario with its failed rules, what was not judged, what to change, and the verdict. */
export function clientReport(result: ClientResult): Report {
  const { text, tone } = HEADLINES[result.verdict]
  const open = leftOpen(result).map(({ rules, why }) => `${rules.join(', ')}: ${why}`)
  const paths = missingPaths(result)
  const missing = `${paths.join(', ')}: the mock Core has no such path; give it one by --routes, or what the client does there is not tested`
  return {
    kicker: 'How a client uses a Core’s authentication API',
    verdict: { mark: MARKS[tone], tone, text },
    head: [
      { text: result.reason },
      { rows: [...row('command', result.command.join(' ')), ...row('time', duration(result.durationMs))] },
    ],
    sections: [
      ...section('Scenarios', folded(result.scenarios).map(scenarioItem)),
      ...section('Not judged', [...list(open), { text: BEYOND, tone: 'muted' }]),
      ...section('Not there', paths.length > 0 ? [{ text: missing }] : []),
      ...section('What to change', changes(result).map(changeItem)),
    ],
  }
}

/** Puts scenarios together in which the client was not judged for one reason, so that this reason is told once. */
function folded(scenarios: readonly ScenarioResult[]): [ScenarioResult, ...ScenarioResult[]][] {
  const groups: [ScenarioResult, ...ScenarioResult[]][] = []
  for (const scenario of scenarios) {
    const alike = groups.find(([first]) => isSameQuestion(first, scenario))
    if (alike) alike.push(scenario)
    else groups.push([scenario])
  }
  return groups
}

/** Shows a scenario with its failed rules, and the others of which the same is to be told by their names. */
function scenarioItem([scenario, ...others]: [ScenarioResult, ...ScenarioResult[]]): Block {
  const { scenario: name, title, outcome, judgements, message, advice } = scenario
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
      { text: seen(scenario), tone: 'muted' },
      { rows: [...rules.flat(), ...unsure, ...row('why', message), ...row('next', advice)] },
    ],
  }
}

/** Shows what to change, with the requests around the finding. */
function changeItem({ judgement, scenario, also }: ReturnType<typeof changes>[number]): Block {
  const { rule, fix, why } = judgement
  return {
    item: `${rule}: ${fix}`,
    tone: 'failed',
    blocks: [
      { rows: [...row('why', why), ...row('seen in', [scenario.scenario, ...also].join(', '))] },
      {
        list: around(judgement, scenario).map(line => ({ text: line.slice(2), tone: 'muted', mark: line.slice(0, 1) })),
      },
    ],
  }
}
