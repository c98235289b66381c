/**
 * The JUnit report, in the dialect that Jenkins, GitLab, GitHub actions, Azure DevOps and CircleCI all show rightly: one flat
 * level of suites, unique names, at most one outcome a case with its summary in attribute and body, plain decimal times.
 */
import { accused } from '../accused.js'
import type { RunResult, SpecRecord } from '../result.js'
import { type Cause, sameCause } from './causes.js'
import { grouped } from './grouped.js'
import { type RunSource, runBody, runSummary, type SpecSource, specBody, specSummary } from './junit-text.js'
import { propertiesOf } from './properties.js'
import { needsRunCase, RUN_CASE } from './run-case.js'
import { ownPlace } from './words.js'
import { attributeText, renderXml, type XmlElement } from './xml.js'

/** Before every classname; readers make a tree of the dots. */
const PACKAGE = 'core-conformance'

/** What a JUnit report is made of. */
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

/** What is no time counts as none, and none is longer than decades: one bad time makes readers refuse the whole file. */
function sane(ms: number): number {
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), 1e12) : 0
}

/** Milliseconds as seconds with three decimals. */
function seconds(ms: number): string {
  return (sane(ms) / 1000).toFixed(3)
}

/** `2025-03-01T14:05:09`, UTC without a zone. */
function timestamp(iso: string): string {
  const time = Date.parse(iso)
  return new Date(Number.isNaN(time) ? 0 : time).toISOString().slice(0, 19)
}

function hostOf(url: string): string {
  return attributeText(URL.canParse(url) ? new URL(url).hostname : url) || 'unknown'
}

/** The child that says the outcome of a spec. */
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
  // Readers link it in the user's repository, where the specs of the suite are not.
  const { file, line } = ownPlace(spec) ?? {}
  return {
    suite: attributeText(spec.area) || 'specs',
    // Unnamed cases are dropped by Azure DevOps.
    name: attributeText(spec.title) || attributeText(spec.id) || 'unnamed',
    ms: spec.durationMs,
    ...(file !== undefined && { file: attributeText(file) }),
    ...(line !== undefined && { line: String(line) }),
    ...outcomeOf(spec, cause, source),
  }
}

/** A case for the run itself, when no spec says in red what its verdict says. */
function runCases(result: JunitSource): Case[] {
  if (!needsRunCase(result)) return []
  const isGreen = result.verdict === 'conformant' || result.verdict === 'pending'
  const type = isGreen ? 'nothing tested' : result.verdict
  const error = { '@message': runSummary(result), '@type': type, '#text': runBody(result) }
  return [{ suite: 'run', name: RUN_CASE, ms: result.durationMs, kind: 'error', children: { error } }]
}

/** Gives every case a name of its own within its suite, since duplicates are dropped: the second `x` becomes `x (2)`. */
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

/** Readers take the properties of a suite and not those of the root, so each suite has them all. */
function propertyElements(properties: [string, string][]): XmlElement {
  if (properties.length === 0) return {}
  const property = properties.map(([name, value]) => ({ '@name': name, '@value': attributeText(value) }))
  return { properties: { property } }
}

function testcase({ suite, name, ms, file, line, children }: Case): XmlElement {
  // An empty attribute is none that the schema takes.
  const where = { '@file': file || undefined, '@line': line }
  return { '@name': name, '@classname': `${PACKAGE}.${suite}`, ...where, '@time': seconds(ms), ...children }
}

/**
 * The run result as a JUnit XML document. A result without specs, or with a verdict that no spec shows, gets a test case
 * `The run tested the Core` in error. Each suite tells what was tested with what. The times of specs and suites are on the clock of the run, that of the whole is wall time.
 */
export function renderJunit(result: RunResult): string {
  return renderJunitOf(result, propertiesOf(result))
}

/** The same of what is no run, such as the verification of contracts. @param properties of all its suites */
export function renderJunitOf(result: JunitSource, properties: [name: string, value: string][] = []): string {
  return renderJunitDocument([junitPart(result, properties)], result.durationMs)
}

/** The suites of one result, with what a document says of all its cases. */
export interface JunitPart {
  suites: XmlElement[]
  kinds: Case['kind'][]
}

/**
 * The suites of a result as parts of a document of several.
 * @param prefix stands before the names of the suites, with a dot: no reader then takes a case for that of another result
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

/** A document of the suites of one result or more. @param durationMs wall time of all of it */
export function renderJunitDocument(parts: readonly JunitPart[], durationMs: number): string {
  const testsuite = parts.flatMap(({ suites }) => suites)
  const kinds = parts.flatMap(part => part.kinds)
  return renderXml({ testsuites: { '@name': PACKAGE, ...totals(kinds), '@time': seconds(durationMs), testsuite } })
}

function kindsOf(cases: readonly Case[]): Case['kind'][] {
  return cases.map(({ kind }) => kind)
}
