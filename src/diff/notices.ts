import { count } from '../ground/count.js'
import type { RunResult } from '../result.js'
import { RECORDED, recordedValue } from '../settings/record.js'
import { specsOf } from './compare-specs.js'

/** Lists, in sentences, why two runs were not made under the same conditions. */
export function notices(was: RunResult, is: RunResult): string[] {
  const told: string[] = []
  if (was.suite.specsDigest !== is.suite.specsDigest || was.suite.version !== is.suite.version) {
    const [before, now] = [specsOf(was), specsOf(is)]
    const only = (some: typeof before, others: typeof before) => [...some.keys()].filter(id => !others.has(id)).length
    told.push(
      `the runs are of different spec sets (${was.suite.version}, ${is.suite.version}): ${count(only(before, now), 'spec is', 'specs are')} in the earlier run only, ${only(now, before)} in the later one only, and the others may have changed`,
    )
  }
  if (was.target.kind !== is.target.kind) told.push('one of the runs is of the embedded mock Core')
  for (const setting of RECORDED) {
    const [before, now] = [was, is].map(({ configuration }) => {
      const value = recordedValue(configuration, setting)
      return value === undefined ? undefined : setting.differs?.(value)
    })
    if (before !== undefined && now !== undefined && before !== now)
      told.push(`the runs were configured differently: ${before} in the earlier one, ${now} in the later one`)
  }
  for (const [name, run] of [
    ['earlier', was],
    ['later', is],
  ] as const) {
    if (['incomplete', 'untestable', 'pending'].includes(run.verdict)) {
      told.push(`the ${name} run is ${run.verdict}: ${run.reason}`)
    }
  }
  if ((was.dialect.lifetime === null) !== (is.dialect.lifetime === null)) {
    told.push('the idle lifetime was measured in one of the runs only')
  }
  return told
}
