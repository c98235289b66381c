/** What a broker is told of a verification. */
import { count } from '../../ground/count.js'
import type { SpecRecord } from '../../result.js'
import { packageVersion } from '../../version.js'
import type { Contract } from '../read/contract-file.js'
import { PENDING } from '../verify/verify-one.js'

/** A result, as a broker takes it. */
export interface PublishedResult {
  success: boolean
  providerApplicationVersion: string
  verifiedBy: { implementation: string; version: string }
  testResults: { interactionId?: string; interactionDescription: string; success: boolean; mismatches: object[] }[]
}

/**
 * What is published of a contract: whether it holds. A contract of which something could not be judged is not published as
 * one that holds, and not as broken either, unless something else in it is.
 * @param specs what came of its interactions, in their order
 * @returns the result, or why there is none
 */
export function publishedResult(
  { interactions, pending: isPending = false }: Pick<Contract, 'interactions' | 'pending'>,
  specs: readonly SpecRecord[],
  version: string,
): PublishedResult | string {
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
