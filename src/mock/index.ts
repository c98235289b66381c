/**
 * The mock Core: a device that behaves as the reference says, over real HTTPS.
 *
 * It shares no code with the suite and meets it only on the wire, so that no mistake can hide in both. This module is its only
 * entry point. Importing it is cheap: the server is loaded when it starts.
 */
import type { Certificate } from './certificate.js'
import type { DefectInfo } from './defects/defect.js'
import type { Mutant } from './defects/mutants/index.js'
import type { Dialect } from './dialect.js'
import type { FileRoute } from './routes-file.js'
import type { MemoryCore } from './start.js'
import type { ForkedMockCore, ForkOptions, MockCore, MockOptions } from './types.js'

export type { Certificate } from './certificate.js'
export type { Area, DefectInfo } from './defects/defect.js'
export type { Mutant } from './defects/mutants/index.js'
export type { Dialect, DialectData } from './dialect.js'
export type { RefusalOptions } from './disturbances.js'
export type { Duration } from './duration.js'
export type { HandledAnswer, HandledRequest, Handler } from './own-routes.js'
export type { RecordedRequest } from './recorded-request.js'
export type { FileRoute } from './routes-file.js'
export type { Staging } from './stage.js'
export type { MemoryCore } from './start.js'
export type { RecordedToken } from './tokens.js'
export type {
  ForkedMockCore,
  ForkOptions,
  MockActions,
  MockAddress,
  MockCore,
  MockOptions,
  MockState,
} from './types.js'
export type { WaitOptions, Wanted } from './waiting.js'

/**
 * Starts a mock Core in this process.
 *
 * @returns the mock, already listening on 127.0.0.1
 * @throws Error with a sentence for people when a port is in use or not allowed, or when no defect has that name
 */
export async function startMockCore(options: MockOptions): Promise<MockCore> {
  const { start } = await import('./start.js')
  return start(options)
}

/**
 * Starts a mock Core that serves connections within its process, and listens nowhere.
 *
 * @param options as of {@link startMockCore}; what concerns ports and the certificate does nothing
 * @throws Error with a sentence for people when no defect has that name
 */
export async function startMemoryCore(options: MockOptions): Promise<MemoryCore> {
  const { startInMemory } = await import('./start.js')
  return startInMemory(options)
}

/**
 * Reads endpoints for `on` of a mock Core from an OpenAPI document or a short YAML file.
 *
 * @throws Error with a sentence for people, which begins with the path
 */
export async function loadRoutes(path: string): Promise<FileRoute[]> {
  const { loadRoutes } = await import('./routes-file.js')
  return loadRoutes(path)
}

/** Makes a self-signed certificate for every name of the loopback host, for `MockOptions.certificate`. */
export async function makeCertificate(): Promise<Certificate> {
  const { makeCertificate } = await import('./certificate.js')
  return makeCertificate()
}

/**
 * Starts a mock Core in a child process, so that the load of a run and of its target do not share one event loop. The child
 * survives Ctrl-C, because its parent still has tokens to revoke. The child ends with its parent, and does not keep the
 * parent's event loop alive.
 *
 * @param options its user and settings; the ports are free ones
 * @returns the mock, already listening; `close()` ends the child and waits for that
 * @throws Error with a sentence for people when the child fails, ends, or is silent before it is ready
 */
export async function forkMockCore(options: ForkOptions): Promise<ForkedMockCore> {
  const { fork } = await import('./fork.js')
  return fork(options)
}

/**
 * Lists the defects that a mock Core can be given, one at a time.
 *
 * @returns by area, then by name
 */
export async function listDefects(): Promise<readonly DefectInfo[]> {
  const { DEFECTS } = await import('./defects/index.js')
  return DEFECTS
}

/** Tells whether a mock Core can be given a defect, or a mutant, of this name. */
export async function isDefect(name: string): Promise<boolean> {
  const { findDefect } = await import('./defects/index.js')
  return findDefect(name) !== undefined
}

/**
 * Draws mutants: defects made of rows, which nobody wrote down. Their names are names of defects, too.
 *
 * @param seed the same seed gives the same ones, whatever the count
 */
export async function drawMutants(seed: number, count: number): Promise<readonly Mutant[]> {
  const { mutantsOf } = await import('./defects/mutants/index.js')
  return mutantsOf(seed, count)
}

/**
 * Reads a dialect, for `MockOptions.dialect`, from a YAML file or from the `result.json` of a run. From a result it takes the
 * answers of that run's Core.
 *
 * @param tell gets one sentence for each trait of that Core that a dialect cannot express
 * @returns the whole dialect; traits that the file does not name are those of the default dialect
 * @throws Error with a line `FILE:LINE:COLUMN: what is wrong` for each problem
 */
export async function loadDialect(path: string, tell?: (note: string) => void): Promise<Dialect> {
  const { loadDialect } = await import('./dialect-file.js')
  return loadDialect(path, tell)
}
