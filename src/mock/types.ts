/** What the mock Core takes and gives. Types only, so that importing them costs nothing. */
import type { Certificate } from './certificate.js'
import type { DialectData } from './dialect.js'
import type { RefusalOptions } from './disturbances.js'
import type { Duration } from './duration.js'
import type { Handler } from './own-routes.js'
import type { RecordedRequest } from './recorder.js'
import type { Stage } from './stage.js'
import type { TokenCounts } from './tokens.js'
import type { WaitOptions, Wanted } from './waiting.js'

/** How to start a mock Core. Already validated by the caller: the mock reads neither argv nor env. */
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
  /** Whether `/api` endpoints want a token (Authentication 2); default `on`. */
  accessControl?: 'on' | 'off'
  /** How it does what the reference leaves open, as from `loadDialect`; whatever is absent is as in the default dialect. */
  dialect?: DialectData
  /** The name of one misbehaviour, from `listDefects`. */
  defect?: string
  /** How many times as fast as real time its clock runs; default 1. */
  timeScale?: number
  /**
   * Takes one line (without its line end) a request: time, method, path, status, duration, and whether a Host header and a
   * token were there. Never holds a token or a password; whatever a terminal might obey is escaped.
   */
  log?: (line: string) => void
  /** Takes each request when its answer is decided on and before it goes out, so that what it does comes in between. */
  answered?: (request: RecordedRequest) => void
  /** Asked of each request when all of it has come: what it is to meet beside its usual answer, or instead of it. */
  stage?: Stage
  /** The certificate that it presents; default: a new one. */
  certificate?: Certificate
  /** Names and addresses that the certificate is for, beside those of the loopback host. */
  names?: readonly string[]
}

/** Where a mock Core is, and how it is trusted. */
export interface MockAddress {
  /** Base URL, `https://127.0.0.1:PORT`. */
  url: string
  /** SHA-256 of the certificate, upper-case pairs with colons, as Node prints `fingerprint256`. */
  certificateFingerprint: string
  /** The certificate, to be trusted as a CA. */
  certificatePem: string
  /** Where its clock is advanced and its state is read from another process; `key` is the bearer token for that. */
  control: { url: string; key: string }
  /** Ends at once, open connections too. Calling it again gives the same promise. */
  close(): Promise<void>
}

/** What a test can do to a running mock Core. Each takes effect at once, and throws a RangeError for a bad argument. */
export interface MockActions {
  /**
   * Lets time pass on its clock, without waiting.
   *
   * @param time milliseconds, or a text such as `61 min`
   * @returns what its clock then says: milliseconds since its start
   */
  advance(time: Duration): number
  /** Lets every live token expire now, without time passing for anything else. */
  expireTokens(): void
  /** Revokes every live token now. */
  revokeTokens(): void
  /**
   * Answers the next `count` requests with an error and lets them have no effect; a new call replaces the one before.
   *
   * @param status from 400 to 599; default 503
   * @param options `method` and `path` refuse only what is meant, beside other such calls; `retryAfter` adds that header, in seconds
   */
  refuseNext(count: number, status?: number, options?: RefusalOptions): void
  /**
   * Adds an endpoint behind the authentication of the mock Core; it stays there when the mock Core is reset.
   *
   * @param path a path under `/api/`, a part of which may be `{name}`
   * @param handler what is answered, or a function that is given the request and gives that
   * @returns takes the endpoint away again
   */
  on(method: string, path: string, handler: Handler): () => void
  /**
   * Lets the answers to the next `count` requests go out later; a new call replaces the one before.
   *
   * @param time real milliseconds, or a text such as `2s`; up to 10 minutes
   */
  delayNext(count: number, time: Duration): void
  /**
   * Does what a restart of a Core does: every token is forgotten at once, and every connection is cut, as soon as the answers
   * on their way are out. It is reachable all the time, and its clock goes on.
   *
   * @returns settles when the connections are cut
   */
  restart(): Promise<void>
  /** Forgets every token at once, as a restart does, and leaves the connections alone. */
  forgetTokens(): void
  /** Makes it as freshly started, for the next test: no tokens, no requests, nothing to refuse or delay. Its clock goes on. */
  reset(): void
  /** What it has seen since its start or the last reset. */
  state(): MockState
}

/** What a mock Core has seen. */
export interface MockState {
  /** What its clock says: milliseconds since its start. */
  nowMs: number
  /** How many tokens it issued, and what became of them; without those that a restart made it forget. */
  tokens: TokenCounts
  /** Requests seen, whatever came of them. */
  requests: number
  /** Logons refused for a wrong name or password. */
  refusedLogons: number
}

/** A mock Core in this process. */
export interface MockCore extends MockAddress, MockActions {
  /** Who can log on. */
  credentials: { username: string; password: string }
  /**
   * What clients sent, and what they were answered: the newest 1 000 requests, oldest first. A copy: it does not grow. It
   * holds the passwords and tokens that they sent.
   */
  readonly requests: readonly RecordedRequest[]
  /**
   * Waits until a request has been answered, by method and path, or by what a function says yes to; one that came already counts.
   *
   * @throws Error when none came within the timeout, with what came instead
   */
  waitForRequest(wanted: Wanted, options?: WaitOptions): Promise<RecordedRequest>
  /**
   * Presents a new certificate, for the same names, to every connection made from now on. What there is of trust in the old one
   * does not hold for it; it is not `certificatePem`.
   *
   * @returns the new certificate, PEM
   */
  changeCertificate(): Promise<string>
  /** As `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** How to start a mock Core in a process of its own: always on free ports, without a log. */
export type ForkOptions = Omit<
  MockOptions,
  'port' | 'controlPort' | 'log' | 'answered' | 'stage' | 'certificate' | 'names' | 'timeScale'
>

/** A mock Core in a process of its own. */
export interface ForkedMockCore extends MockAddress {
  /** The process id of the child. */
  pid: number
  /** Settles when the child has ended, wanted or not, with one sentence on how. Never rejects. */
  ended: Promise<string>
}

/** What the child's parent sends, once. */
export interface StartMessage {
  type: 'start'
  options: ForkOptions
}

/** What the child answers, once. */
export type ChildMessage =
  | ({ type: 'ready' } & Omit<MockAddress, 'close'>)
  /** `message`: why it could not start, a sentence for people. */
  | { type: 'failed'; message: string }
