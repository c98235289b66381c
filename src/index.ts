/// <reference lib="esnext.disposable" preserve="true" />
/**
 * core-conformance as a library: a mock Core for the tests of clients, and the suite itself, see {@link run}.
 *
 * ```js
 * import { startMockCore } from 'core-conformance'
 *
 * const core = await startMockCore()
 * // Point the client at core.url, let it trust core.certificatePem, and log on with core.credentials.
 * core.advance('61 min') // every token has expired
 * core.requests // what the client sent, and what it was answered
 * await core.close()
 * ```
 *
 * The mock Core shares the event loop of the test. A client that blocks the event loop would wait for ever. So would a test that
 * waits for a client in another process without `await`. Use `core-conformance mock` for these.
 */

import type { RunnerOptions } from './library/run-in-program.js'
import type { MockCoreOptions } from './mock/library.js'
import type { MockCore } from './mock/types.js'
import type { RunResult } from './result.js'

export type { Comparison, Diff, Difference } from './diff/types.js'
export type { Fleet, FleetCore } from './fleet/types.js'
export type { RunEvents, RunnerOptions } from './library/run-in-program.js'
export type { RunSettings } from './library/settings.js'
export type {
  DefectInfo,
  Dialect,
  DialectData,
  Duration,
  HandledAnswer,
  HandledRequest,
  Handler,
  RecordedRequest,
  RecordedToken,
  RefusalOptions,
  WaitOptions,
  Wanted,
} from './mock/index.js'
export { listDefects, loadDialect } from './mock/index.js'
export type { MockCoreOptions } from './mock/library.js'
export type { MockActions, MockAddress, MockCore, MockState } from './mock/types.js'
export type { RunActivity } from './report/activity.js'
/** Says the verdict of a result with its limits and doubts, as every report does: `conformant, ACCESS-1 in doubt`. */
export { verdictText } from './result/scope.js'
export type {
  ExchangeRecord,
  Outcome,
  RequirementRecord,
  RequirementState,
  RunEvent,
  RunResult,
  SpecRecord,
  StepRecord,
  Verdict,
} from './result.js'

/**
 * Starts a mock Core in this process, on 127.0.0.1, with a certificate of its own.
 *
 * @param options all are optional
 * @returns the mock Core, already listening; end it with `close()`, or declare it with `await using`
 * @throws TypeError or RangeError for an option that is unknown or cannot be used; Error for a port that is in use, an unknown
 * defect, or a dialect file that cannot be used
 */
export async function startMockCore(options: MockCoreOptions = {}): Promise<MockCore> {
  const { startLibraryMockCore } = await import('./mock/library.js')
  return startLibraryMockCore(options)
}

/**
 * Runs the suite against a Core, as `core-conformance run` does. Prints and writes nothing. The caller needs ES modules, or
 * `await import('core-conformance')`.
 *
 * @param options the Core, the settings, listeners for the progress, and a signal that ends the run early; without a `target`,
 * the run takes the embedded mock Core, and advances its clock
 * @returns the result, with any verdict, by the schema `contracts/result.schema.json`; it holds no secret
 * @throws Error with a sentence for people that says which setting or file cannot be used, before anything is sent; and any
 * error that a function of `options` throws, after the tokens are revoked
 */
export async function run(options: RunnerOptions = {}): Promise<RunResult> {
  const { runInProgram } = await import('./library/run-in-program.js')
  return runInProgram(options)
}
