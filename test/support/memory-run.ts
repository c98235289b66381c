/** Runs specs on a mock Core in memory. */
import type { Explorer } from '../../dist/engine/explorer.js'
import { runSuite } from '../../dist/engine/run.js'
import type { RecordedRequest } from '../../dist/mock/index.js'
import type { ConfigurationRecord, RunResult } from '../../dist/result.js'
import type { Spec } from '../../dist/suite/spec.js'
import { coreInMemory } from '../../tools/core-in-memory.js'
import { CONFIGURATION, SUITE } from './suite-run.js'

export const CREDENTIALS = { username: 'operator', password: 'Correct-Horse-7-Staple' }

export type InMemory = Awaited<ReturnType<typeof coreInMemory>>

/** What differs from a default run on a default mock Core. */
export interface MemoryRun extends Omit<Partial<Parameters<typeof coreInMemory>[0]>, 'answered'> {
  configuration?: Partial<ConfigurationRecord>
  answered?: (request: RecordedRequest, made: InMemory) => void
  explorer?: Explorer
  /** Called before the run begins. */
  before?: (made: InMemory) => void
}

export async function runInMemory(specs: Spec[], run: MemoryRun = {}): Promise<RunResult> {
  const { configuration, explorer, answered = () => {}, before = () => {}, ...options } = run
  const made = await coreInMemory({ ...CREDENTIALS, ...options, answered: request => answered(request, made) })
  before(made)
  return runSuite({
    ...made.reached,
    suite: SUITE,
    specs,
    targetKind: 'mock',
    configuration: { ...CONFIGURATION, ...configuration },
    signal: new AbortController().signal,
    ...(explorer && { explorer }),
  })
}
