/** Explores mock Cores in this process, in virtual time. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clock, clockOf } from '../../dist/engine/clock.js'
import type { RunOptions } from '../../dist/engine/options.js'
import { runSuite } from '../../dist/engine/run.js'
import { explorerFor } from '../../dist/explore/index.js'
import { type DialectData, startMockCore } from '../../dist/mock/index.js'
import type { ConfigurationRecord, Exploration, FindingRecord, RunResult } from '../../dist/result.js'
import { loadSuite } from '../../dist/suite/load.js'
import type { Spec, Suite } from '../../dist/suite/spec.js'
import { coreInMemory } from '../../tools/core-in-memory.js'
import { CREDENTIALS } from './memory-run.js'
import { CONFIGURATION, SUITE, specsOf } from './suite-run.js'

/** A few specs that every Core of these tests passes; one of them waits. */
export const FEW: Spec[] = specsOf('revocation-rejects', 'access-elsewhere-without-token', 'idle-expires')

/** The mock Core, the suite and the exploration of a run. */
export interface Exploring {
  defect?: string
  dialect?: DialectData
  specs?: Spec[]
  suite?: Suite
  requests?: number
  seed?: number
  configuration?: Partial<ConfigurationRecord>
  before?: Exploration
  signal?: AbortSignal
  clock?: Clock
  /** Whether it is reached over TLS. */
  needsTls?: boolean
}

/** Runs once with exploration, on a mock Core of its own. */
export async function explored(options: Exploring = {}): Promise<RunResult> {
  const {
    defect,
    dialect,
    specs = FEW,
    suite = SUITE,
    requests = 300,
    seed = 1,
    before,
    signal,
    clock,
    needsTls,
  } = options
  const made = { ...CREDENTIALS, ...(defect !== undefined && { defect }), ...(dialect && { dialect }) }
  const core = needsTls ? await startMockCore(made) : undefined
  const reached = core
    ? {
        target: { url: new URL(core.url), trust: { kind: 'insecure' as const }, ...CREDENTIALS },
        clock: clockOf(core.control),
      }
    : { ...(await coreInMemory(made)).reached, ...(clock && { clock }) }
  const configuration: ConfigurationRecord = {
    ...CONFIGURATION,
    explore: { requests, durationMs: null },
    seed,
    ...options.configuration,
  }
  const run: RunOptions = { suite, specs, ...reached, targetKind: 'core', configuration, signal }
  const resumed = before && ({ exploration: before } as RunOptions['resumed'])
  try {
    return await runSuite({ ...run, explorer: await explorerFor({ ...run, resumed }) })
  } finally {
    await core?.close()
  }
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
