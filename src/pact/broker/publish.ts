/** Makes the result of a verification for a broker. */
import { count } from '../../ground/count.js'
import type { SpecRecord } from '../../result.js'
import { packageVersion } from '../../version.js'
import type { Contract } from '../read/contract-file.js'
import { PENDING } from '../verify/outcome.js'

/**
 * Makes the result of one contract: whether it holds. With unjudged interactions a contract is not published as one that
 * holds, and as broken only if another interaction is.
 * @param specs the outcomes of its interactions, in order
 * @returns the result in the form of a broker, or the reason why there is none
 */
export function publishedResult(
  { interactions, pending: isPending = false }: Contract,
  specs: readonly SpecRecord[],
  version: string,
) {
  const isBroken = ({ outcome, message }: SpecRecord) =>
    outcome === 'failed' || (isPending && outcome === 'skipped' && (message ?? '').startsWith(PENDING))
  const isOpen = (spec: SpecRecord) =>
    spec.outcome !== 'passed' && !isBroken(spec) && !(spec.message ?? '').startsWith(PENDING)
  const open = specs.filter(isOpen).length
  if (open && !specs.some(isBroken)) return `${count(open, 'interaction')} of it could not be judged`
  return {
    success: !specs.some(isBroken),
    providerApplicationVersion: version,
    verifiedBy: { implementation: 'core-conformance', version: packageVersion() },
    testResults: specs.map((spec, index) => {
      const { id } = interactions[index] ?? {}
      return {
        ...(id !== undefined && { interactionId: id }),
        interactionDescription: spec.title,
        success: spec.outcome === 'passed',
        mismatches: spec.outcome === 'passed' ? [] : [{ attribute: 'interaction', description: spec.message ?? '' }],
      }
    }),
  }
}
