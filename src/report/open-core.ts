/**
 * Detects an open Core (it demands no token, though the run expects it), so that reports show one failure, not one for each
 * spec.
 */
import { isMiss } from '../result/accused.js'
import type { RunResult, SpecRecord } from '../result.js'

/** The advice for an open Core, in one sentence. */
export const OPEN_CORE =
  'This Core accepts every request, with any token or none: if access control is meant to be off, test it with run --access-control off; else switch access control on'

/** The parts of a result that show an open Core. Verified contracts have only the specs. */
export type OpenCoreSource = Pick<RunResult, 'specs'> & Partial<Pick<RunResult, 'configuration' | 'dialect'>>

/** The words by which the engine says that a request was accepted instead of refused. */
const LET_IN = /as a fresh token gets|got through/

/** Fewest failed specs of an open Core. A single spec may fail for a reason of its own. */
const LEAST = 2

/**
 * Returns the specs that failed only because the Core is open. The run expects access control, but the survey found that no
 * token and a made-up token get the same answer as a valid token. Empty for any other Core.
 */
export function failedSinceOpen({ specs, configuration, dialect }: OpenCoreSource): SpecRecord[] {
  const { acceptedStatus, rejectedStatus, unknownTokenStatus, refused } = dialect ?? {}
  const isOpen =
    configuration?.accessControl === 'on' &&
    typeof acceptedStatus === 'number' &&
    acceptedStatus < 400 &&
    rejectedStatus === acceptedStatus &&
    unknownTokenStatus === acceptedStatus &&
    !refused?.length
  const own = isOpen ? specs.filter(isLetIn) : []
  return own.length < LEAST ? [] : own
}

/** Returns the specs that were blocked because the Core is open; see {@link failedSinceOpen}. */
export function blockedSinceOpen(result: OpenCoreSource): SpecRecord[] {
  if (failedSinceOpen(result).length === 0) return []
  return result.specs.filter(({ outcome, message = '' }) => outcome === 'blocked' && LET_IN.test(message))
}

/** Returns what to do next: the advice of the run, or the one for an open Core. */
export function adviceOf(result: RunResult): string | undefined {
  return result.advice ?? (failedSinceOpen(result).length > 0 ? OPEN_CORE : undefined)
}

/** Whether a spec expected a refusal, and got the answer that a valid token gets. */
function isLetIn(spec: SpecRecord): boolean {
  const step = spec.outcome === 'failed' ? spec.steps.find(isMiss) : undefined
  if (step?.got === undefined) return false
  return LET_IN.test(step.got) && /rejected|anything but/.test(step.expected ?? '')
}
