import { duration } from '../duration.js'
import { count } from '../ground/count.js'
import type { ConfigurationRecord, RunResult } from '../result.js'
import { specsOf } from './specs.js'

/** Why two runs are not quite alike, in sentences. */
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
  for (const key of Object.keys(WORDS) as (keyof typeof WORDS)[]) {
    const [before, now] = [was, is].map(({ configuration }) => WORDS[key](configuration))
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

/** What is configured, in words that tell the value; undefined where a result does not say. Where the lifetime was set makes no difference, nor does what was explored: it tells nothing of specs. */
const WORDS: {
  [K in keyof Omit<ConfigurationRecord, 'idleLifetimeFrom' | 'explore' | 'seed'>]-?: (
    configuration: ConfigurationRecord,
  ) => string | undefined
} = {
  accessControl: ({ accessControl }) => `access control ${accessControl}`,
  idleLifetimeMs: ({ idleLifetimeMs }) => `an idle lifetime of ${duration(idleLifetimeMs)}`,
  idleTolerance: ({ idleTolerance }) => `a tolerance of ${Number((idleTolerance * 100).toFixed(2))} %`,
  probePath: ({ probePath }) => `the probe ${probePath}`,
  profile: ({ profile }) => `the ${profile} profile`,
  only: ({ only }) => (only.length ? `only ${only.join(', ')}` : 'all specs'),
  concurrency: ({ concurrency }) => `${count(concurrency, 'connection')} at a time`,
  maxRefusedLogons: ({ maxRefusedLogons }) => `at most ${count(maxRefusedLogons, 'refused logon')}`,
  deadlineMs: ({ deadlineMs }) => `a deadline of ${duration(deadlineMs)}`,
  patienceMs: ({ patienceMs }) => (patienceMs === undefined ? undefined : `a patience of ${duration(patienceMs)}`),
  maxTokens: ({ maxTokens }) => (maxTokens === null ? 'any number of tokens' : `at most ${count(maxTokens, 'token')}`),
  measureLifetime: ({ measureLifetime }) => (measureLifetime ? 'the lifetime measured' : 'the lifetime not measured'),
}
