/** Explores mock Cores in this process, in virtual time. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunOptions } from '../../dist/engine/options.js'
import { explorerFor } from '../../dist/explore/index.js'
import type { ConfigurationRecord, Exploration, FindingRecord, RunResult } from '../../dist/result.js'
import { loadSuite } from '../../dist/suite/load.js'
import type { Spec, Suite } from '../../dist/suite/spec.js'
import { type MemoryRun, runInMemory } from './memory-run.js'
import { CONFIGURATION, SUITE, specsOf } from './suite-run.js'

/** A few specs that every Core of these tests passes; one of them waits. */
export const FEW: Spec[] = specsOf('revocation-rejects', 'access-elsewhere-without-token', 'idle-expires')

/** What is explored, and what else differs from a default run. */
export interface Exploring extends Omit<MemoryRun, 'explorer' | 'before'> {
  specs?: Spec[]
  requests?: number
  seed?: number
  before?: Exploration
}

/** Runs once with exploration, on a mock Core of its own. */
export async function explored(options: Exploring = {}): Promise<RunResult> {
  const { specs = FEW, requests = 300, seed = 1, before, suite = SUITE, ...run } = options
  const explore = { requests, durationMs: null }
  const configuration: ConfigurationRecord = { ...CONFIGURATION, explore, seed, ...run.configuration }
  const resumed = before && { exploration: before }
  const explorer = await explorerFor({ suite, configuration, resumed } as RunOptions)
  return runInMemory(specs, { ...run, suite, configuration, explorer })
}

/** Returns the findings of a run. */
export function findingsOf({ exploration }: RunResult): FindingRecord[] {
  return exploration?.findings ?? []
}

/** Returns the suite with the spec of a finding, as `--specs` would load it. */
export function withFound({ id, yaml }: Pick<FindingRecord, 'id' | 'yaml'>): { suite: Suite; specs: Spec[] } {
  const folder = mkdtempSync(join(tmpdir(), 'found-'))
  try {
    writeFileSync(join(folder, `${id}.yaml`), yaml)
    const suite = loadSuite([
      { path: join(import.meta.dirname, '..', '..', 'specs'), label: 'specs' },
      { path: folder, label: 'found' },
    ])
    return { suite, specs: suite.specs.filter(spec => spec.id === id) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
