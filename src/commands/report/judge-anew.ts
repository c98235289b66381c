/** Judges the history that a result keeps anew, since this version of the suite may see more in it than the one that ran. */
import { doubtText } from '../../report/words.js'
import type { Doubt, RequirementRecord, RunResult } from '../../result.js'
import { doubtsFrom, judgeHistory } from '../../run/judge/judge.js'
import { packageVersion } from '../../version.js'

/** States of a requirement that nothing speaks against. */
const UNTROUBLED: readonly RequirementRecord['state'][] = ['met', 'met so far', 'observed', 'not tested']

/**
 * Returns the result as this version judges its history: a requirement that is in doubt by now is, and so the run is not
 * conformant. A note says what is seen otherwise. Without a history, or without a difference, the result stays as it is.
 */
export function judgedAnew(result: RunResult): RunResult {
  const { history, configuration, specs, verdict } = result
  // After a failure, all of that could be its consequences; the run left it out for the same reason.
  if (!history || specs.some(({ outcome }) => outcome === 'failed')) return result
  const { idleLifetimeMs: lifetimeMs, idleTolerance: tolerance } = configuration
  const now = doubtsFrom(judgeHistory(history.entries, { lifetimeMs, tolerance }, history.known))
  const isIn = (doubts: readonly Doubt[], id: string) => doubts.some(({ requirement }) => requirement === id)
  const added = now.filter(({ requirement }) => !isIn(history.doubts, requirement))
  const gone = history.doubts.filter(({ requirement }) => !isIn(now, requirement))
  if (!added.length && !gone.length) return result
  const [first] = added
  const by = `judged anew by core-conformance ${packageVersion()} (the run was by ${result.suite.version})`
  return {
    ...result,
    ...(first &&
      verdict === 'conformant' && {
        verdict: 'incomplete' as const,
        reason: doubtText(first),
      }),
    notices: [
      ...result.notices,
      ...added.map(({ requirement, text }) => `${by}: ${requirement} is in doubt, which the run did not see: ${text}`),
      ...gone.map(
        ({ requirement, text }) =>
          `${by}: what left ${requirement} in doubt is explained by now; the run told: ${text}`,
      ),
    ],
    doubts: [...(result.doubts ?? []), ...added],
    ...(result.requirements && {
      requirements: result.requirements.map(each =>
        isIn(added, each.id) && UNTROUBLED.includes(each.state ?? 'met')
          ? { ...each, state: 'in doubt' as const }
          : each,
      ),
    }),
  }
}
