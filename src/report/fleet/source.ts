/** What the reports of a fleet are made from. */
import type { Fleet, FleetCore } from '../../fleet/types.js'
import type { RunResult } from '../../result.js'
import type { JunitSource } from '../junit.js'

/** A fleet, and the results of its Cores, of which one at a time is in memory. */
export interface FleetSource {
  fleet: Fleet
  /**
   * The result of a Core; undefined where there is none.
   * @throws Error where it cannot be read
   */
  resultOf(core: FleetCore): Promise<RunResult | undefined>
  /** How messages call what continues the fleet: `core-conformance resume --out reports`. */
  resumeCommand?: string
}

/** What formats of test cases say of a Core: its result, or that there is none. */
export function casesOf(core: FleetCore, result: RunResult | undefined): JunitSource {
  if (result) return result
  const { verdict, reason, advice, url, startedAt, durationMs } = core
  return {
    verdict,
    reason,
    ...(advice !== undefined && { advice }),
    notices: [],
    target: { url },
    specs: [],
    startedAt,
    durationMs,
  }
}
