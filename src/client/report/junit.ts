/** Renders the JUnit report of `client`: a suite for each scenario, a case for each rule. */
import type { Case } from '../../report/cases.js'
import { junitPart, renderJunitDocument } from '../../report/junit.js'
import type { ClientResult, Judgement, ScenarioResult } from '../result.js'
import { around, notJudged, where } from './blocks.js'

const DOCUMENT = 'core-conformance-client'
/** Why a rule that the user left out was not judged. */
const IGNORED = 'left out by --ignore or --allow-any-certificate'

/** Renders the result of `client` as a JUnit XML document. An inconclusive scenario has a case with an error. */
export function renderClientJunit({ scenarios, startedAt, durationMs, reason }: ClientResult): string {
  const ofRun = { suite: ['run'], id: 'run', name: 'the client was run', durationMs: 0, body: '' }
  const error: Case = { ...ofRun, kind: 'error', outcome: 'incomplete', type: 'incomplete', summary: reason }
  const parts = scenarios.map(scenario => ({ cases: casesOf(scenario), durationMs: scenario.record.durationMs }))
  if (parts.length === 0) parts.push({ cases: [error], durationMs })
  const made = parts.map(part => junitPart({ startedAt, durationMs: part.durationMs }, part.cases, [], DOCUMENT))
  return renderJunitDocument(made, durationMs, DOCUMENT)
}

function casesOf(scenario: ScenarioResult): Case[] {
  const { scenario: id, judgements, outcome, message: summary = 'it could not be judged', advice = '' } = scenario
  const cases = judgements.map(judgement => ruleCase(judgement, scenario))
  if (outcome !== 'inconclusive') return cases
  const told = { kind: 'error' as const, outcome, type: outcome, summary, body: `${summary}\n\nNext: ${advice}` }
  return [...cases, { suite: [id], id, name: 'the client did enough to be judged', durationMs: 0, ...told }]
}

function ruleCase(judgement: Judgement, scenario: ScenarioResult): Case {
  const { rule, level, title, why, fix, outcome, got = '' } = judgement
  const about = { suite: [scenario.scenario], id: rule, name: `${rule}: ${title}`, durationMs: 0 }
  if (outcome === 'passed') return { ...about, kind: 'passed', outcome, type: outcome, summary: '', body: '' }
  if (outcome !== 'failed') {
    const summary = outcome === 'ignored' ? IGNORED : notJudged(judgement)
    return { ...about, kind: 'skipped', outcome: 'skipped', type: 'skipped', summary, body: summary }
  }
  const lines = [`Rule: ${rule} (${level})`, `  expected: ${title}`, `  got:      ${got}`]
  const shown = around(judgement, scenario).map(({ mark, text }) => `${mark} ${text}`)
  const next = [`Why: ${why}.`, `Change: ${fix}.`, ...shown]
  const body = [...lines, `  where:    ${where(judgement, scenario)}`, '', ...next].join('\n')
  return { ...about, kind: 'failure', outcome, type: level, summary: `expected: ${title}; got: ${got}`, body }
}
