/**
 * Excuses failures of a Core whose API is open at moments: its table of tokens is full, say, or it lets every twentieth
 * request in.
 */
import { accused, isMiss } from '../result/accused.js'
import type { SpecRecord } from '../result.js'
import { allSteps, type Spec } from '../suite/spec.js'

/**
 * The requirement that nothing gets in without an issued token. While it is broken, requests that get in show nothing
 * about revoked or misplaced tokens.
 */
const NEEDS_TOKEN = 'ACCESS-1'

/** Expectations of a step whose request should be refused. */
const REFUSED = ['rejected', 'expired', 'not accepted']

/** Whether a spec failed because the Core let a request in that it should refuse. */
export function isLetIn(spec: Spec, { outcome, steps }: SpecRecord): boolean {
  const at = steps.findIndex(isMiss)
  const step = allSteps(spec)[at]
  return outcome === 'failed' && step?.action === 'send' && step.expect.some(each => REFUSED.includes(String(each)))
}

/**
 * Makes specs inconclusive that saw a request let in only once, where another spec shows that the Core lets in requests
 * without an issued token. That one cause is enough; a second one would be a guess. Returns all other specs unchanged.
 */
export function withOpenMoments(specs: readonly SpecRecord[]): SpecRecord[] {
  const [cause] = specs.filter(spec => breaksAccess(spec) && !breaksOther(spec))
  if (!cause) return [...specs]
  const because = `the API is open at moments (${NEEDS_TOKEN}, ${cause.id}), so this shows nothing about the token`
  return specs.map(spec =>
    spec.seenOnce && breaksOther(spec)
      ? { ...spec, outcome: 'inconclusive', message: `${spec.message ?? 'failed'}; ${because}` }
      : spec,
  )
}

const breaksAccess = (spec: SpecRecord) => accused(spec).some(({ id }) => id === NEEDS_TOKEN)

const breaksOther = (spec: SpecRecord) => accused(spec).some(({ id }) => id !== NEEDS_TOKEN)
