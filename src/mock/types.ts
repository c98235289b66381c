/** What the mock Core takes and gives. Types only, so that importing them costs nothing. */
import type { DialectData } from './dialect.js'

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
  /**
   * Takes one line (without its line end) a request: time, method, path, status, duration, and whether a Host header and a
   * token were there. Never holds a token or a password; whatever a terminal might obey is escaped.
   */
  log?: (line: string) => void
}

/** A running mock Core. */
export interface MockCore {
  /** Base URL, `https://127.0.0.1:PORT`. */
  url: string
  /** SHA-256 of the certificate, upper-case pairs with colons, as Node prints `fingerprint256`. */
  certificateFingerprint: string
  /** The certificate, to be trusted as a CA. */
  certificatePem: string
  /** Where its clock is advanced and its state is read; `key` is the bearer token for that. */
  control: { url: string; key: string }
  /** Ends at once, open connections too. Calling it again gives the same promise. */
  close(): Promise<void>
}

/** How to start a mock Core in a process of its own: always on free ports, without a log. */
export type ForkOptions = Omit<MockOptions, 'port' | 'controlPort' | 'log'>

/** A mock Core in a process of its own. */
export interface ForkedMockCore extends MockCore {
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
  | ({ type: 'ready' } & Omit<MockCore, 'close'>)
  /** `message`: why it could not start, a sentence for people. */
  | { type: 'failed'; message: string }
