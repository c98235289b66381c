/**
 * Renders the JUnit report, in the dialect that Jenkins, GitLab, GitHub Actions, Azure DevOps and CircleCI all show correctly:
 * one flat level of suites, unique names, at most one outcome a case with its summary in attribute and body, plain decimal
 * times.
 */
import { accused } from '../result/accused.js'
import type { RunResult, SpecRecord } from '../result.js'
import { type Cause, sameCause } from './causes.js'
import { grouped } from './grouped.js'
import {
  needsRunCase,
  RUN_CASE,
  type RunSource,
  runBody,
  runSummary,
  type SpecSource,
  specBody,
  specSummary,
} from './junit-text.js'
import { propertiesOf } from './properties.js'
import { ownPlace } from './words.js'
import { attributeText, renderXml, type XmlElement } from './xml.js'

/** First part of every classname. Readers of JUnit make a tree of the dots. */
const PACKAGE = 'core-conformance'

/** The parts of a result that a JUnit report is made from. */
export type JunitSource = RunSource &
  SpecSource &
  Pick<RunResult, 'specs' | 'startedAt' | 'durationMs' | 'requirements'>

/** One `testcase`, before it is written. */
interface Case {
  suite: string
  name: string
  ms: number
  kind: 'failure' | 'error' | 'skipped' | 'none'
  file?: string
  line?: string
  children: XmlElement
}

/** Limits a time to between zero and some decades. With a single bad time, readers refuse the whole file. */
function sane(ms: number): number {
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), 1e12) : 0
}

/** Writes milliseconds as seconds with three decimals. */
function seconds(ms: number): string {
  return (sane(ms) / 1000).toFixed(3)
}

/** Writes a time as `2025-03-01T14:05:09`: UTC, without a zone. */
function timestamp(iso: string): string {
  const time = Date.parse(iso)
  return new Date(Number.isNaN(time) ? 0 : time).toISOString().slice(0, 19)
}

function hostOf(url: string): string {
  return attributeText(URL.canParse(url) ? new URL(url).hostname : url) || 'unknown'
}

/** Makes the child element for the outcome of a spec. */
function outcomeOf(spec: SpecRecord, cause: Cause | undefined, source: SpecSource): Pick<Case, 'kind' | 'children'> {
  const message = specSummary(spec)
  switch (spec.outcome) {
    case 'passed':
      return { kind: 'none', children: {} }
    case 'observed':
      return { kind: 'none', children: { 'system-out': { '#text': specBody(spec) } } }
    case 'pending': {
      const pending = `pending: ${message}`
      return { kind: 'skipped', children: { skipped: { '@message': pending, '#text': pending } } }
    }
    case 'skipped':
      return { kind: 'skipped', children: { skipped: { '@message': message, '#text': message } } }
    case 'known failure':
      return { kind: 'skipped', children: { skipped: { '@message': message, '#text': specBody(spec) } } }
    case 'failed':
    case 'unexpected pass': {
      const ids =
        spec.outcome === 'failed'
          ? attributeText(
              accused(spec)
                .map(({ id }) => id)
                .join(' '),
            )
          : ''
      const type = ids || spec.outcome
      const text = specBody(spec, cause, source)
      return { kind: 'failure', children: { failure: { '@message': message, '@type': type, '#text': text } } }
    }
    case 'blocked':
    case 'inconclusive': {
      const error = { '@message': message, '@type': spec.outcome, '#text': specBody(spec) }
      return { kind: 'error', children: { error } }
    }
  }
}

function specCase(spec: SpecRecord, cause: Cause | undefined, source: SpecSource): Case {
  // Readers link the file in the user's repository, which does not contain the suite's own specs.
  const { file, line } = ownPlace(spec) ?? {}
  return {
    suite: attributeText(spec.area) || 'specs',
    // Azure DevOps drops cases without a name.
    name: attributeText(spec.title) || attributeText(spec.id) || 'unnamed',
    ms: spec.durationMs,
    ...(file !== undefined && { file: attributeText(file) }),
    ...(line !== undefined && { line: String(line) }),
    ...outcomeOf(spec, cause, source),
  }
}

/** Makes a case of the run itself, for a verdict that no failed spec shows. */
function runCases(result: JunitSource): Case[] {
  if (!needsRunCase(result)) return []
  const isGreen = result.verdict === 'conformant' || result.verdict === 'pending'
  const type = isGreen ? 'nothing tested' : result.verdict
  const error = { '@message': runSummary(result), '@type': type, '#text': runBody(result) }
  return [{ suite: 'run', name: RUN_CASE, ms: result.durationMs, kind: 'error', children: { error } }]
}

/** Makes names unique within a suite, since readers drop duplicates: the second `x` becomes `x (2)`. */
function withUniqueNames(cases: Case[]): Case[] {
  const taken = new Set<string>()
  return cases.map(each => {
    let name = each.name
    for (let n = 2; taken.has(`${each.suite}\n${name}`); n += 1) name = `${each.name} (${n})`
    taken.add(`${each.suite}\n${name}`)
    return { ...each, name }
  })
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

/** Makes the properties of a suite. Each suite has all of them, since readers ignore properties of the root. */
function propertyElements(properties: [string, string][]): XmlElement {
  if (properties.length === 0) return {}
  const property = properties.map(([name, value]) => ({ '@name': name, '@value': attributeText(value) }))
  return { properties: { property } }
}

function testcase({ suite, name, ms, file, line, children }: Case): XmlElement {
  // The schema does not allow an empty attribute.
  const where = { '@file': file || undefined, '@line': line }
  return { '@name': name, '@classname': `${PACKAGE}.${suite}`, ...where, '@time': seconds(ms), ...children }
}

/**
 * Renders the run result as a JUnit XML document. A result without specs, or with a verdict that no spec shows, gets a test
 * case `The run tested the Core` with an error. The properties of each suite name the Core and the configuration. Times of
 * specs and suites are on the clock of the run; the total is wall time.
 */
export function renderJunit(result: RunResult): string {
  return renderJunitOf(result, propertiesOf(result))
}

/**
 * Renders a JUnit XML document of something other than a run, such as the verification of contracts.
 * @param properties the properties of all its suites
 */
export function renderJunitOf(result: JunitSource, properties: [name: string, value: string][] = []): string {
  return renderJunitDocument([junitPart(result, properties)], result.durationMs)
}

/** The suites of one result, and the kinds of all its cases, for the totals of a document. */
export interface JunitPart {
  suites: XmlElement[]
  kinds: Case['kind'][]
}

/**
 * Makes the suites of one result, for a document of several results.
 * @param prefix goes before the names of the suites, with a dot, so that readers keep the cases of two results apart
 */
export function junitPart(
  result: JunitSource,
  properties: [name: string, value: string][] = [],
  prefix?: string,
): JunitPart {
  const causes = sameCause(result)
  const specCases = result.specs.map(spec => specCase(spec, causes.get(spec), result))
  const before = prefix === undefined ? '' : `${prefix}.`
  const cases = withUniqueNames(
    [...specCases, ...runCases(result)].map(each => ({ ...each, suite: `${before}${each.suite}` })),
  )
  const suites = [...grouped(cases, ({ suite }) => suite)].map(([suite, members]) => ({
    '@name': suite,
    ...totals(kindsOf(members)),
    '@time': seconds(members.reduce((sum, { ms }) => sum + sane(ms), 0)),
    '@timestamp': timestamp(result.startedAt),
    '@hostname': hostOf(result.target.url),
    ...propertyElements(properties),
    testcase: members.map(testcase),
  }))
  return { suites, kinds: kindsOf(cases) }
}

/**
 * Renders a document of the suites of one or more results.
 * @param durationMs wall time of the whole
 */
export function renderJunitDocument(parts: readonly JunitPart[], durationMs: number): string {
  const testsuite = parts.flatMap(({ suites }) => suites)
  const kinds = parts.flatMap(part => part.kinds)
  return renderXml({ testsuites: { '@name': PACKAGE, ...totals(kinds), '@time': seconds(durationMs), testsuite } })
}

function kindsOf(cases: readonly Case[]): Case['kind'][] {
  return cases.map(({ kind }) => kind)
}
