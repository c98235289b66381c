/// <reference lib="esnext.disposable" preserve="true" />
/**
 * core-conformance as a library: a mock Core for the tests of whoever writes a client of a Core.
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
 * It shares the event loop of the test. A client that blocks it, or one in another process that is waited for without
 * `await`, would wait for an answer that cannot come: for those there is `core-conformance mock`.
 */
import type { MockCoreOptions } from './mock/library.js'
import type { MockCore } from './mock/types.js'

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
export type {
  ExchangeRecord,
  Outcome,
  RequirementRecord,
  RunResult,
  SpecRecord,
  StepRecord,
  Verdict,
} from './result.js'

/**
 * Starts a mock Core in this process, on 127.0.0.1, with a certificate of its own.
 *
 * @param options none is needed
 * @returns the mock Core, already listening; end it with `close()`, or declare it with `await using`
 * @throws TypeError or RangeError for an option that is unknown or cannot be used; Error for a port that is in use, a defect
 * that there is not, or a dialect file that cannot be used
 */
export async function startMockCore(options: MockCoreOptions = {}): Promise<MockCore> {
  const { startLibraryMockCore } = await import('./mock/library.js')
  return startLibraryMockCore(options)
}
