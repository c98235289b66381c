/** The types of the mock Core's inputs and outputs. Types only: importing them costs nothing. */
import type { Certificate } from './certificate.js'
import type { Tell } from './defects/defect.js'
import type { DialectData } from './dialect.js'
import type { RefusalOptions } from './disturbances.js'
import type { Duration } from './duration.js'
import type { Handler } from './own-routes.js'
import type { RecordedRequest } from './recorded-request.js'
import type { Stage } from './stage.js'
import type { TokenCounts } from './tokens.js'
import type { WaitOptions, Wanted } from './waiting.js'

/** The options of a mock Core. The caller has validated them: the mock reads neither argv nor env. */
export interface MockOptions {
  /** The HTTPS port on 127.0.0.1; 0 or absent: a free one. */
  port?: number
  /** The port of the HTTP control endpoint on 127.0.0.1; 0 or absent: a free one. */
  controlPort?: number
  /** The name of the one user who can log on. */
  username: string
  /** That user's password. */
  password: string
  /** Milliseconds without an API request after which a token expires; default 3 600 000 (Limits: 1 hour). */
  idleLifetimeMs?: number
  /** Whether `/api` endpoints need a token (Authentication 2); default `on`. */
  accessControl?: 'on' | 'off'
  /** The choices where the reference leaves a choice, as from `loadDialect`; absent keys are those of the default dialect. */
  dialect?: DialectData
  /** The name of one defect, from `listDefects`, or of a mutant. */
  defect?: string
  /** Is told what its mutant does; called by nothing else. */
  mutantDid?: Tell
  /** Speed of its clock relative to real time; default 1. With 60, an hour takes a minute. */
  timeScale?: number
  /**
   * Gets one line for each request, without a line end: time, method, path, status, duration, and whether a Host header and a
   * token were there. A line never holds a token or a password, and control characters are escaped.
   */
  log?: (line: string) => void
  /** Called for each request when its answer is decided, before the answer is sent. */
  answered?: (request: RecordedRequest) => void
  /** Called for each whole request; chooses its staging, if any. */
  stage?: Stage
  /** Called for each new connection. `ended` settles with its end, and says whether it brought a request; it never rejects. */
  connected?: (ended: Promise<boolean>) => void
  /** Called with each token when it is issued, before the answer with it is sent. */
  issued?: (token: string) => void
  /** The certificate that it presents; default: a new one. */
  certificate?: Certificate
  /** Further names and addresses that the certificate is for, beside those of the loopback host. */
  names?: readonly string[]
}

/** The address of a mock Core, and the data to trust it. */
export interface MockAddress {
  /** Base URL, `https://127.0.0.1:PORT`. */
  url: string
  /** SHA-256 of the certificate, upper-case pairs with colons, as Node prints `fingerprint256`. */
  certificateFingerprint: string
  /** The certificate, PEM; clients trust it as a CA. */
  certificatePem: string
  /** The control endpoint: another process advances the clock and reads the state there. `key` is its bearer token. */
  control: { url: string; key: string }
  /** Ends the mock Core at once, and every open connection. Calling it again gives the same promise. */
  close(): Promise<void>
}

/**
 * The actions that a test can take on a running mock Core. Each takes effect at once, and throws a RangeError (`on` also a
 * TypeError) with a sentence for people for a bad argument.
 */
export interface MockActions {
  /**
   * Advances its clock without waiting.
   *
   * @param time milliseconds, or a text such as `61 min`
   * @returns the new time of its clock: milliseconds since its start
   */
  advance(time: Duration): number
  /** Expires every live token now, while time stands still for everything else. */
  expireTokens(): void
  /** Revokes every live token now. */
  revokeTokens(): void
  /**
   * Answers the next `count` requests with an error and without effect; a new call replaces an earlier one.
   *
   * @param status from 400 to 599; default 503
   * @param options `method` and `path` limit the call to some requests, beside other such calls; `retryAfter` adds that header,
   * in seconds
   */
  refuseNext(count: number, status?: number, options?: RefusalOptions): void
  /**
   * Adds an endpoint behind the authentication of the mock Core. The endpoint survives a reset.
   *
   * @param path a path under `/api/`; `{name}` stands for any one part
   * @param handler a fixed answer, or a function that makes an answer from the request
   * @returns a function that removes the endpoint
   */
  on(method: string, path: string, handler: Handler): () => void
  /**
   * Delays the answers to the next `count` requests; a new call replaces an earlier one.
   *
   * @param time real milliseconds, or a text such as `2s`; up to 10 minutes
   */
  delayNext(count: number, time: Duration): void
  /**
   * Acts as a restart of a Core: forgets every token at once, and cuts every connection after its pending answers. The mock
   * stays reachable all the time, and its clock goes on.
   *
   * @returns settles when the connections are cut
   */
  restart(): Promise<void>
  /** Forgets every token at once, as a restart does, but keeps the connections. */
  forgetTokens(): void
  /** Resets the mock for the next test: no tokens, no requests, no errors or delays to come. Its clock goes on. */
  reset(): void
  /** Returns counts since its start or the last reset. */
  state(): MockState
}

/** The counts of a mock Core. */
export interface MockState {
  /** The time of its clock: milliseconds since its start. */
  nowMs: number
  /** Number of tokens issued, by state; without those that a restart made it forget. */
  tokens: TokenCounts
  /** Number of requests seen, whatever the answers were. */
  requests: number
  /** Number of logons refused for a wrong name or password. */
  refusedLogons: number
}

/** A mock Core in this process. */
export interface MockCore extends MockAddress, MockActions {
  /** The one user who can log on. */
  credentials: { username: string; password: string }
  /**
   * The newest 1 000 requests with their answers, oldest first: a copy, which does not grow. It holds the passwords and tokens
   * that the clients sent.
   */
  readonly requests: readonly RecordedRequest[]
  /**
   * Waits until a request has been answered. `wanted` is a method, a path, or a function; an earlier request counts too.
   *
   * @throws Error when none came within the timeout; it lists the requests that came instead
   */
  waitForRequest(wanted: Wanted, options?: WaitOptions): Promise<RecordedRequest>
  /**
   * Presents a new certificate, for the same names, on every new connection. Trust in the old certificate does not cover the
   * new one. `certificatePem` stays the old one.
   *
   * @returns the new certificate, PEM
   */
  changeCertificate(): Promise<string>
  /** Does the same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** The options of a mock Core in a process of its own: always on free ports, without a log. */
export type ForkOptions = Pick<
  MockOptions,
  'username' | 'password' | 'idleLifetimeMs' | 'accessControl' | 'dialect' | 'defect'
>

/** A mock Core in a process of its own. */
export interface ForkedMockCore extends MockAddress {
  /** The process id of the child. */
  pid: number
  /** Settles when the child has ended for any reason, with one sentence that describes the end. Never rejects. */
  ended: Promise<string>
}

/** What the process of a mock Core tells of it, once it has started. */
export type Started = Omit<MockAddress, 'close'>
