/**
 * Renders the JUnit report, in the dialect that Jenkins, GitLab, GitHub Actions, Azure DevOps and CircleCI all show correctly:
 * one flat level of suites, unique names, at most one outcome a case with its summary in attribute and body, plain decimal
 * times.
 */

import { grouped } from '../ground/grouped.js'
import type { RunResult } from '../result.js'
import { type Case, casesOf } from './cases.js'
import { propertiesOf } from './properties.js'
import { ownPlace } from './words.js'
import { attributeText, renderXml, type XmlElement } from './xml.js'

/** The name of a document, which is the first part of every classname. Readers of JUnit make a tree of the dots. */
const PACKAGE = 'core-conformance'

/** Limits a time to between zero and some decades. With a single bad time, readers refuse the whole file. */
function sane(ms: number): number {
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), 1e12) : 0
}

function seconds(ms: number): string {
  return (sane(ms) / 1000).toFixed(3)
}

function outcomeOf({ kind, outcome, type, summary, body }: Case): XmlElement {
  const [message, text] = [attributeText(summary), body]
  if (outcome === 'passed') return {}
  if (outcome === 'observed') return { 'system-out': { '#text': text } }
  if (outcome === 'known failure') return { skipped: { '@message': message, '#text': text } }
  if (kind === 'skipped') {
    const reason = outcome === 'pending' ? `pending: ${message}` : message
    return { skipped: { '@message': reason, '#text': reason } }
  }
  return { [kind]: { '@message': message, '@type': attributeText(type), '#text': text } }
}

/** Makes names unique within a suite, since readers drop duplicates: the second `x` becomes `x (2)`. */
function withUniqueNames(cases: readonly Case[]): Case[] {
  const taken = new Set<string>()
  return cases.map(each => {
    const own = attributeText(each.name)
    let name = own
    for (let n = 2; taken.has(`${suiteOf(each)}\n${name}`); n += 1) name = `${own} (${n})`
    taken.add(`${suiteOf(each)}\n${name}`)
    return { ...each, name }
  })
}

function suiteOf({ suite }: Case): string {
  return suite.map(attributeText).join('.')
}

function totals(kinds: readonly Case['kind'][]): XmlElement {
  const those = (kind: Case['kind']) => String(kinds.filter(each => each === kind).length)
  return {
    '@tests': String(kinds.length),
    '@failures': those('failure'),
    '@errors': those('error'),
    '@skipped': those('skipped'),
  }
}

function testcase(each: Case, document: string): XmlElement {
  // Readers link the file in the user's repository, which does not contain the suite's own specs.
  const { file, line } = (each.spec && ownPlace(each.spec)) ?? {}
  return {
    '@name': each.name,
    '@classname': `${document}.${suiteOf(each)}`,
    // The schema does not allow an empty attribute.
    '@file': (file && attributeText(file)) || undefined,
    '@line': line === undefined ? undefined : String(line),
    '@time': seconds(each.durationMs),
    ...outcomeOf(each),
  }
}

/**
 * Renders the run result as a JUnit XML document. A result without specs, or with a verdict that no spec shows, gets a test
 * case `The run tested the Core` with an error. Times of specs and suites are on the clock of the run; the total is wall time.
 * @param properties those of each suite; by default they name the Core and the configuration
 */
export function renderJunit(result: RunResult, properties = propertiesOf(result)): string {
  const { startedAt, target, durationMs } = result
  return renderJunitDocument([junitPart({ startedAt, target }, casesOf(result), properties)], durationMs)
}

/** The suites of one result, and the kinds of all its cases, for the totals of a document. */
export type JunitPart = ReturnType<typeof junitPart>

/**
 * Makes the suites of one result, for a document of several results.
 * @param of where the cases come from; `durationMs`: of each suite, where that is not the sum of its cases
 * @param document its name
 */
export function junitPart(
  { startedAt, target, durationMs }: { startedAt: string; target?: { url: string }; durationMs?: number },
  cases: readonly Case[],
  properties: [name: string, value: string][] = [],
  document = PACKAGE,
) {
  const { url = '' } = target ?? {}
  const property = properties.map(([name, value]) => ({ '@name': name, '@value': attributeText(value) }))
  const suites = [...grouped(withUniqueNames(cases), suiteOf)].map(
    ([suite, members]): XmlElement => ({
      '@name': suite,
      ...totals(members.map(({ kind }) => kind)),
      '@time': seconds(durationMs ?? members.reduce((sum, each) => sum + sane(each.durationMs), 0)),
      // As `2025-03-01T14:05:09`: UTC, without a zone.
      '@timestamp': new Date(Date.parse(startedAt) || 0).toISOString().slice(0, 19),
      '@hostname': target && (attributeText(URL.canParse(url) ? new URL(url).hostname : url) || 'unknown'),
      // Each suite has all of them, since readers ignore properties of the root.
      ...(property.length > 0 && { properties: { property } }),
      testcase: members.map(each => testcase(each, document)),
    }),
  )
  return { suites, kinds: cases.map(({ kind }) => kind) }
}

/** Renders a document of the suites of one or more results. @param durationMs wall time of the whole */
export function renderJunitDocument(parts: readonly JunitPart[], durationMs: number, document = PACKAGE): string {
  const testsuite = parts.flatMap(({ suites }) => suites)
  const kinds = parts.flatMap(part => part.kinds)
  return renderXml({ testsuites: { '@name': document, ...totals(kinds), '@time': seconds(durationMs), testsuite } })
}
