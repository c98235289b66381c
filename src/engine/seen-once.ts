/** What was let in once, on a Core whose API is open for moments: its table of tokens is full, say, or it lets every twentieth request in. */
import { accused, isMiss } from '../accused.js'
import type { SpecRecord } from '../result.js'
import { allSteps, type Spec } from '../suite/spec.js'

/** The requirement that nothing gets in without a token that was issued; while it is broken, nothing is shown of revoked or misplaced ones. */
const NEEDS_TOKEN = 'ACCESS-1'

/** What a step expects whose request is to be refused. */
const REFUSED = ['rejected', 'expired', 'not accepted']

/** Whether a spec failed since a request was let in that was to be refused. */
export function isLetIn(spec: Spec, { outcome, steps }: SpecRecord): boolean {
  const at = steps.findIndex(isMiss)
  const step = allSteps(spec)[at]
  return outcome === 'failed' && step?.action === 'send' && step.expect.some(each => REFUSED.includes(String(each)))
}

/**
 * Specs that saw a request let in once only are inconclusive where others show that the API lets in what holds no token that was issued: that
 * is enough of a cause, and a second one would be a guess. The others are as they were.
 */
export function withOpenMoments(specs: readonly SpecRecord[]): SpecRecord[] {
  const [cause] = specs.filter(spec => breaksAccess(spec) && !breaksOther(spec))
  if (!cause) return [...specs]
  const because = `the API is open at moments (${NEEDS_TOKEN}, ${cause.id}), so nothing is shown of this token`
  return specs.map(spec =>
    spec.seenOnce && breaksOther(spec)
      ? { ...spec, outcome: 'inconclusive', message: `${spec.message ?? 'failed'}; ${because}` }
      : spec,
  )
}

const breaksAccess = (spec: SpecRecord) => accused(spec).some(({ id }) => id === NEEDS_TOKEN)

const breaksOther = (spec: SpecRecord) => accused(spec).some(({ id }) => id !== NEEDS_TOKEN)
