/** Renders the reports of a fleet that consist of test cases: JUnit and CTRF. */
import { VERDICTS } from '../../result/outcomes.js'
import { withLimits } from '../../result/scope.js'
import { casesOf } from '../cases.js'
import { type CtrfTest, ctrfTests, renderFleetCtrf } from '../ctrf.js'
import { type JunitPart, junitPart, renderJunitDocument } from '../junit.js'
import { propertiesOf } from '../properties.js'
import { type FleetSource, resultOrNone } from './source.js'
import { limitsOf, toKnow } from './words.js'

/** Renders all Cores as one JUnit document. Suites are named `NAME.AREA`, classes `core-conformance.NAME.AREA`. */
export async function renderFleetJunit({ fleet, resultOf }: FleetSource): Promise<string> {
  const parts: JunitPart[] = []
  for (const core of fleet.cores) {
    const result = await resultOf(core)
    const labels = Object.entries(core.labels ?? {}).map(([name, value]): [string, string] => [`label.${name}`, value])
    const properties: [string, string][] = [['core', core.name], ...(result ? propertiesOf(result) : []), ...labels]
    const source = resultOrNone(core, result)
    parts.push(junitPart(source, casesOf(source, [core.name]), properties))
  }
  return renderJunitDocument(parts, fleet.durationMs)
}

/** Renders all Cores as one CTRF report. */
export async function renderFleetCtrfOf({ fleet, resultOf }: FleetSource): Promise<string> {
  const tests: CtrfTest[] = []
  for (const core of fleet.cores) {
    const source = resultOrNone(core, await resultOf(core))
    tests.push(...ctrfTests(casesOf(source, [core.name]), source))
  }
  return renderFleetCtrf(
    { ...fleet, notices: toKnow(fleet) },
    withLimits(VERDICTS[fleet.verdict].word.toLowerCase(), limitsOf(fleet)),
    tests,
  )
}
