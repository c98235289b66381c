/** Defines what the reports of a fleet are made from. */
import type { Fleet, FleetCore } from '../../fleet/types.js'
import type { RunResult } from '../../result.js'
import type { JunitSource } from '../junit.js'

/** A fleet with the results of its Cores. Only one result at a time is in memory. */
export interface FleetSource {
  fleet: Fleet
  /**
   * Reads the result of a Core; undefined where there is none.
   * @throws Error if the result cannot be read
   */
  resultOf(core: FleetCore): Promise<RunResult | undefined>
  /** The command that continues the fleet, as messages name it: `core-conformance resume --out reports`. */
  resumeCommand?: string
}

/** Returns the result of a Core, or a substitute without specs that says why there is none. */
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
