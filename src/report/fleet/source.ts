/** Defines what the reports of a fleet are made from. */

import type { Pattern } from '../../fleet/patterns.js'
import type { Fleet, FleetCore } from '../../fleet/types.js'
import { grouped } from '../../ground/grouped.js'
import { accused } from '../../result/accused.js'
import type { RunResult, SpecRecord, StepRecord } from '../../result.js'
import { failuresOf } from '../causes.js'
import { isRepeatable, rerunLine, rerunNeeds } from '../reproduce.js'
import { deciding } from '../words.js'

/** A fleet with the results of its Cores. Only one result at a time is in memory. */
export interface FleetSource {
  fleet: Fleet
  /** Reads the result of a Core; undefined where there is none. @throws Error if the result cannot be read */
  resultOf(core: FleetCore): Promise<RunResult | undefined>
  /** The command that continues the fleet, as messages name it: `core-conformance resume --out reports`. */
  resumeCommand?: string
}

/** One failure of a requirement, on one Core. */
export interface Example extends Pick<StepRecord, 'expected' | 'got'> {
  /** The name of the Core. */
  core: string
  /** The command that repeats the failure; absent for a failure that is no spec. */
  rerun?: string
  /** What the command takes from the environment; absent where it needs nothing, or there is no command. */
  needs?: string
}

/** The examples by the id of their requirement. A requirement without a readable failure has none. */
export type Examples = ReadonlyMap<string, Example>

/**
 * Finds an example for each pattern, on the first of its Cores that left a result. Each result is read once, and only one is in
 * memory at a time.
 * @throws Error if a result cannot be read
 */
export async function examplesOf(resultOf: FleetSource['resultOf'], patterns: readonly Pattern[]): Promise<Examples> {
  const examples = new Map<string, Example>()
  const chosen = patterns.flatMap(({ requirement, cores }) => {
    const core = cores.find(({ hasResult }) => hasResult)
    return core ? [{ id: requirement.id, core }] : []
  })
  for (const own of grouped(chosen, ({ core }) => core.name).values()) {
    const result = await resultOf(own[0].core)
    if (!result) continue
    for (const { id, core } of own) {
      const spec = specFor(result, id)
      if (spec) examples.set(id, exampleOf(core, result, spec))
    }
  }
  return examples
}

/** Returns the failed spec that shows best what is wrong with the requirement, as the reports of one Core choose it. */
function specFor(result: RunResult, id: string): SpecRecord | undefined {
  const failure = failuresOf(result).find(({ requirement }) => requirement?.id === id)
  const accusing = (spec: SpecRecord) => spec.outcome === 'failed' && accused(spec).some(known => known.id === id)
  return failure?.causes[0]?.specs[0] ?? result.specs.find(accusing)
}

function exampleOf({ name }: FleetCore, result: RunResult, spec: SpecRecord): Example {
  const { expected, got } = deciding(spec)[0] ?? {}
  const needs = rerunNeeds(result)
  return {
    core: name,
    ...(expected !== undefined && { expected }),
    ...(got !== undefined && { got }),
    ...(isRepeatable(spec) && { rerun: rerunLine(result, spec, false), ...(needs !== undefined && { needs }) }),
  }
}

/** Lists what the commands of the examples take from the environment, each once. */
export function needsOf(examples: Examples): string[] {
  return [...new Set([...examples.values()].flatMap(({ needs }) => needs ?? []))].sort()
}
