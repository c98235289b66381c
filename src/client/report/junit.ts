/** Renders the JUnit report of `client`: a suite for each scenario, a case for each rule. */

import { attributeText, renderXml, type XmlElement } from '../../report/xml.js'
import type { ClientResult, Judgement, ScenarioResult } from '../result.js'
import { around, where } from './text.js'

/** First part of every classname. Readers of JUnit make a tree of the dots. */
const PACKAGE = 'core-conformance-client'

interface Case {
  kind: 'failure' | 'error' | 'skipped' | 'none'
  element: XmlElement
}

/** Renders the result of `client` as a JUnit XML document. An inconclusive scenario has a case with an error. */
export function renderClientJunit(result: ClientResult): string {
  const suites = result.scenarios.map(scenario => ({ scenario, cases: casesOf(scenario) }))
  const stray = suites.length === 0 ? [runCase(result)] : []
  const all = [...stray, ...suites.flatMap(({ cases }) => cases)]
  const testsuite = suites.map(({ scenario, cases }) =>
    suite(scenario.scenario, cases, scenario.record.durationMs, result.startedAt),
  )
  if (stray.length > 0) testsuite.push(suite('run', stray, result.durationMs, result.startedAt))
  return renderXml({
    testsuites: { '@name': PACKAGE, ...totals(all), '@time': seconds(result.durationMs), testsuite },
  })
}

function suite(name: string, cases: Case[], durationMs: number, startedAt: string): XmlElement {
  return {
    '@name': name,
    ...totals(cases),
    '@time': seconds(durationMs),
    '@timestamp': startedAt.slice(0, 19),
    testcase: cases.map(({ element }) => element),
  }
}

function casesOf(scenario: ScenarioResult): Case[] {
  const cases = scenario.judgements.map(judgement => ruleCase(judgement, scenario))
  if (scenario.outcome !== 'inconclusive') return cases
  const message = attributeText(scenario.message ?? 'it could not be judged')
  const text = `${message}\n\nNext: ${scenario.advice ?? ''}`
  const error = { '@message': message, '@type': 'inconclusive', '#text': text }
  return [...cases, made(scenario.scenario, 'the client did enough to be judged', 'error', { error })]
}

function ruleCase(judgement: Judgement, scenario: ScenarioResult): Case {
  const { rule, level, title, why, fix, outcome, got = '' } = judgement
  const name = `${rule}: ${title}`
  if (outcome === 'passed') return made(scenario.scenario, name, 'none', {})
  if (outcome !== 'failed') {
    const skipped = { '@message': attributeText(notJudged(judgement)) }
    return made(scenario.scenario, name, 'skipped', { skipped })
  }
  const place = where(judgement, scenario)
  const lines = [`Rule: ${rule} (${level})`, `  expected: ${title}`, `  got:      ${got}`, `  where:    ${place}`]
  const next = ['', `Why: ${why}.`, `Change: ${fix}.`, ...around(judgement, scenario)]
  const failure = {
    '@message': attributeText(`expected: ${title}; got: ${got}`),
    '@type': level,
    '#text': [...lines, ...next].join('\n'),
  }
  return made(scenario.scenario, name, 'failure', { failure })
}

function notJudged({ outcome, got = '' }: Judgement): string {
  if (outcome === 'ignored') return 'left out by --ignore or --allow-any-certificate'
  return outcome === 'open' ? `cannot be decided: ${got}` : 'the client did nothing that the rule is about'
}

function runCase({ reason }: ClientResult): Case {
  const error = { '@message': attributeText(reason), '@type': 'incomplete' }
  return made('run', 'the client was run', 'error', { error })
}

function made(scenario: string, name: string, kind: Case['kind'], children: XmlElement): Case {
  const named = { '@name': attributeText(name), '@classname': `${PACKAGE}.${scenario}`, '@time': '0.000' }
  return { kind, element: { ...named, ...children } }
}

function totals(cases: readonly Case[]): XmlElement {
  const those = (kind: Case['kind']) => String(cases.filter(each => each.kind === kind).length)
  return {
    '@tests': String(cases.length),
    '@failures': those('failure'),
    '@errors': those('error'),
    '@skipped': those('skipped'),
  }
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}
