/**
 * The mock Core: a device that behaves as the reference says, over real HTTPS.
 *
 * It shares no code with the rest of the project, so that a mistake in one cannot hide the same mistake in the other: they
 * meet on the wire. This module is its only door, and cheap to import: the server is loaded when it is started.
 */
import type { Certificate } from './certificate.js'
import type { DefectInfo } from './defects/defect.js'
import type { Dialect } from './dialect.js'
import type { FileRoute } from './routes-file.js'
import type { ForkedMockCore, ForkOptions, MockCore, MockOptions } from './types.js'

export type { Certificate } from './certificate.js'
export type { Area, DefectInfo } from './defects/defect.js'
export type { Dialect, DialectData } from './dialect.js'
export type { RefusalOptions } from './disturbances.js'
export type { Duration } from './duration.js'
export type { HandledAnswer, HandledRequest, Handler } from './own-routes.js'
export type { RecordedRequest } from './recorder.js'
export type { FileRoute } from './routes-file.js'
export type { Staging } from './stage.js'
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
 * @param options its user, ports and settings
 * @returns the mock, already listening on 127.0.0.1
 * @throws Error with a sentence for people when a port is in use or not allowed, or there is no defect of that name
 */
export async function startMockCore(options: MockOptions): Promise<MockCore> {
  const { start } = await import('./start.js')
  return start(options)
}

/**
 * Reads endpoints to be added to a mock Core by its `on`, from an OpenAPI document or a short YAML file.
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
 * Starts a mock Core in a child process, so that the load of a run and that of its target do not share one event loop. The
 * child outlives Ctrl-C (its parent still has tokens to revoke), and never outlives its parent. It does not keep the
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
 * Tells which misbehaviours a mock Core can be given, one at a time.
 *
 * @returns by area, then by name
 */
export async function listDefects(): Promise<readonly DefectInfo[]> {
  const { DEFECTS } = await import('./defects/index.js')
  return DEFECTS
}

/**
 * Reads a dialect, for `MockOptions.dialect`, from a YAML file, or from the `result.json` of a run: then it is how the Core
 * of that run answered.
 *
 * @param tell takes, one sentence at a time, what of a Core a dialect cannot say
 * @returns the whole dialect: what the file does not say is as in the default one
 * @throws Error with a line `FILE:LINE:COLUMN: what is wrong` for each problem
 */
export async function loadDialect(path: string, tell?: (note: string) => void): Promise<Dialect> {
  const { loadDialect } = await import('./dialect-file.js')
  return loadDialect(path, tell)
}
