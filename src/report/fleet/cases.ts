/** Renders the reports of a fleet that consist of test cases: JUnit and CTRF. */
import { verdictWith } from '../../result/scope.js'
import { casesOf, runCase } from '../cases.js'
import { type CtrfTest, ctrfDocument, ctrfTests, line } from '../ctrf.js'
import { type JunitPart, junitPart, renderJunitDocument } from '../junit.js'
import { propertiesOf } from '../properties.js'
import type { FleetSource } from './blocks.js'
import { limitsOf, toKnow } from './words.js'

/** Reads each Core with its cases. One without a result has the case that says why. Only one result at a time is in memory. */
async function* coresOf({ fleet, resultOf }: FleetSource) {
  for (const core of fleet.cores) {
    const { name, url, verdict, reason, advice, durationMs } = core
    const result = await resultOf(core)
    const known = { target: { url }, verdict, reason, ...(advice !== undefined && { advice }), notices: [], durationMs }
    yield { core, result, cases: result ? casesOf(result, [name]) : [runCase(known, [name])] }
  }
}

/** Renders all Cores as one JUnit document. Suites are named `NAME.AREA`, classes `core-conformance.NAME.AREA`. */
export async function renderFleetJunit(source: FleetSource): Promise<string> {
  const parts: JunitPart[] = []
  for await (const { core, result, cases } of coresOf(source)) {
    const { name, labels = {} } = core
    const { startedAt, target } = result ?? { ...core, target: core }
    const labelled = Object.entries(labels).map(([label, value]): [string, string] => [`label.${label}`, value])
    const properties: [string, string][] = [['core', name], ...(result ? propertiesOf(result) : []), ...labelled]
    parts.push(junitPart({ startedAt, target }, cases, properties))
  }
  return renderJunitDocument(parts, source.fleet.durationMs)
}

/** Renders all Cores as one CTRF report. The first part of each test's suite is the name of its Core. */
export async function renderFleetCtrfOf(source: FleetSource): Promise<string> {
  const { fleet } = source
  const tests: CtrfTest[] = []
  for await (const { core, result, cases } of coresOf(source)) tests.push(...ctrfTests(cases, result ?? core))
  const why = { 'verdict.text': line(verdictWith(fleet.verdict, limitsOf(fleet))), reason: line(fleet.reason) }
  return ctrfDocument({ ...fleet, notices: toKnow(fleet) }, tests, why)
}
