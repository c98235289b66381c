/** Runs specs on a mock Core in memory. */
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import type { RunOptions } from '../../dist/engine/options.js'
import { runSuite } from '../../dist/engine/run.js'
import { type DialectData, loadDialect, type RecordedRequest } from '../../dist/mock/index.js'
import type { ConfigurationRecord, RunResult } from '../../dist/result.js'
import type { Spec } from '../../dist/suite/spec.js'
import { coreInMemory } from '../../tools/core-in-memory.js'
import { CONFIGURATION, SUITE } from './suite-run.js'

export const CREDENTIALS = { username: 'operator', password: 'Correct-Horse-7-Staple' }

export type InMemory = Awaited<ReturnType<typeof coreInMemory>>

/** What differs from a default run on a default mock Core. */
export interface MemoryRun
  extends Omit<Partial<Parameters<typeof coreInMemory>[0]>, 'answered' | 'dialect'>,
    Partial<Pick<RunOptions, 'suite' | 'clock' | 'signal' | 'explorer'>> {
  /** The name of a dialect of `contracts/dialects`, or its data. */
  dialect?: string | DialectData
  configuration?: Partial<ConfigurationRecord>
  answered?: (request: RecordedRequest, made: InMemory) => void
  /** Whether tokens may be left that the result does not tell. Default: where the Core has a defect, which may hide them. */
  left?: boolean
  /** Called before the run begins. */
  before?: (made: InMemory) => void
}

/** Loads a dialect of `contracts/dialects`. */
export const dialectOf = (name: string): Promise<DialectData> =>
  loadDialect(fileURLToPath(new URL(`../../contracts/dialects/${name}.yaml`, import.meta.url)))

/** Runs specs, and checks what must hold for every run. */
export async function runInMemory(specs: Spec[], run: MemoryRun = {}): Promise<RunResult> {
  const { configuration, dialect, suite = SUITE, clock, signal, explorer, ...others } = run
  const { answered = () => {}, before = () => {}, left = others.defect !== undefined, ...options } = others
  const made = await coreInMemory({
    ...CREDENTIALS,
    ...options,
    ...(dialect !== undefined && { dialect: typeof dialect === 'string' ? await dialectOf(dialect) : dialect }),
    answered: request => answered(request, made),
  })
  before(made)
  const result = await runSuite({
    ...made.reached,
    suite,
    specs,
    targetKind: 'mock',
    configuration: { ...CONFIGURATION, ...configuration },
    signal: signal ?? new AbortController().signal,
    ...(clock && { clock }),
    ...(explorer && { explorer }),
  })
  assert.not.ok(JSON.stringify(result).includes(CREDENTIALS.password), 'the result holds the password')
  const { live } = made.core.state().tokens
  assert.ok(left || live <= result.tokens.left, `${live} tokens are live, and the result says ${result.tokens.left}`)
  return result
}
