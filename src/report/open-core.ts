/** A Core that demands no token, tested as one that does: one thing to say, and not a failure for each spec. */
import { isMiss } from '../accused.js'
import type { RunResult, SpecRecord } from '../result.js'

/** What is to be done about it, in one sentence. */
export const OPEN_CORE =
  'This Core lets in whoever asks, with any token or none: if access control is meant to be off, test it with core-conformance run --access-control off; else switch access control on'

/** The parts of a result that tell; what is no run has only the first. */
export type OpenCoreSource = Pick<RunResult, 'specs'> & Partial<Pick<RunResult, 'configuration' | 'dialect'>>

/** How the engine says that what should be refused was not. */
const LET_IN = /as a fresh token gets|got through/

/** One spec may fail so for a reason of its own. */
const LEAST = 2

/**
 * The specs that failed only because the Core refuses nobody: the survey found that it answers a request without a token and one with
 * a made-up token as one with a valid token, though the run was told of access control. Empty where that is not so.
 */
export function failedSinceOpen({ specs, configuration, dialect }: OpenCoreSource): SpecRecord[] {
  const { acceptedStatus, rejectedStatus, unknownTokenStatus } = dialect ?? {}
  const isOpen =
    configuration?.accessControl === 'on' &&
    typeof acceptedStatus === 'number' &&
    acceptedStatus < 400 &&
    rejectedStatus === acceptedStatus &&
    unknownTokenStatus === acceptedStatus
  const own = isOpen ? specs.filter(isLetIn) : []
  return own.length < LEAST ? [] : own
}

/** The specs that were blocked because the Core is open, as {@link failedSinceOpen}. */
export function blockedSinceOpen(result: OpenCoreSource): SpecRecord[] {
  if (failedSinceOpen(result).length === 0) return []
  return result.specs.filter(({ outcome, message = '' }) => outcome === 'blocked' && LET_IN.test(message))
}

/** What to do next: what the run says, or what an open Core is to be told. */
export function adviceOf(result: RunResult): string | undefined {
  return result.advice ?? (failedSinceOpen(result).length > 0 ? OPEN_CORE : undefined)
}

/** Whether a spec expected a refusal, and was let in as a valid token is. */
function isLetIn(spec: SpecRecord): boolean {
  const step = spec.outcome === 'failed' ? spec.steps.find(isMiss) : undefined
  if (step?.got === undefined) return false
  return LET_IN.test(step.got) && /rejected|anything but/.test(step.expected ?? '')
}
