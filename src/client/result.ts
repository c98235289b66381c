/**
 * The result of `client`: what a client did on the wire in each scenario, and how it was judged. Plain data; from it every
 * report is made. Its requests are as they came, with the password and the tokens in them, all of them made up for the
 * scenario: only what is shown of them is without.
 */
import type { RecordedRequest } from '../mock/index.js'

/** What happens to a client; see `SCENARIOS` for each. */
export type ScenarioName =
  | 'normal'
  | 'token-expires'
  | 'token-revoked'
  | 'wrong-password'
  | 'slow'
  | 'restart'
  | 'restart-inside'
  | 'too-many-requests'
  | 'unavailable'
  | 'not-acceptable'
  | 'truncated'
  | 'hang'
  | 'redirect'
  | 'untrusted-certificate'
  | 'changed-certificate'

/** How the client's command ended. */
export type ClientEnd =
  | { kind: 'exit'; code: number }
  | { kind: 'signal'; signal: string }
  /**
   * It was killed: it took too long, it flooded the Core with requests that were refused, it waited too long for the answer that
   * never comes (`hang`), or the user stopped the run.
   */
  | { kind: 'timeout' | 'flood' | 'hang' | 'interrupted' }
  /** It could not be run; `message`: why, for people. */
  | { kind: 'not started'; message: string }

/** Everything that a client did in one scenario. */
export interface ClientRecord {
  scenario: ScenarioName
  /** Who it was told to log on as. */
  credentials: { username: string; password: string }
  /** What it sent, and what it was answered, by number; at most 10 000 requests. */
  requests: readonly RecordedRequest[]
  /** The number of the request after which the scenario's event took place; null: it did not, or there is none. */
  eventAfter: number | null
  /** The numbers of the requests that met what the scenario has in store, in order: were cut off, refused, redirected, held for ever, or came
   * over a connection with the changed certificate. */
  met: readonly number[]
  /** What it sent to the other host that the scenario redirects to. */
  elsewhere: readonly RecordedRequest[]
  end: ClientEnd
  /** Tokens that it was issued, and those of them that were still live when it had ended. */
  tokens: { issued: number; live: number }
  /** Connections that failed before there was TLS, mostly because the client did not trust the certificate. */
  failedHandshakes: number
  /** Milliseconds of real time from start to end of the command. */
  durationMs: number
}

/** `must`: the reference states it of clients. `should`: the good manners that a Core and its users may expect. */
export type RuleLevel = 'must' | 'should'

/** One rule, judged in one scenario. */
export interface Judgement {
  /** The id of the rule, such as `bearer`. */
  rule: string
  level: RuleLevel
  /** The rule as a statement. */
  title: string
  /** Why it matters, in a sentence. */
  why: string
  /** What to change in a client that breaks it. */
  fix: string
  /**
   * `skipped`: the client did nothing that it could be judged by, and need not have. `open`: what it did can be right and can be
   * wrong, and no request tells which. `ignored`: the rule is left out by name.
   */
  outcome: 'passed' | 'failed' | 'skipped' | 'open' | 'ignored'
  /** What the client did instead, in words; there when it failed, and when the question is open. */
  got?: string
  /** The numbers of the requests that show it, in order. */
  requests: number[]
}

/** One scenario, judged. */
export interface ScenarioResult {
  scenario: ScenarioName
  /** What happens in it. */
  title: string
  /** `inconclusive`: nothing wrong was seen, but not enough was. */
  outcome: 'passed' | 'failed' | 'inconclusive'
  /** Why it is inconclusive, and what to do. */
  message?: string
  advice?: string
  judgements: Judgement[]
  record: ClientRecord
}

/** The result of one `client`. */
export interface ClientResult {
  /** The client's command, as given. */
  command: readonly string[]
  /** ISO 8601, UTC. */
  startedAt: string
  durationMs: number
  scenarios: ScenarioResult[]
  verdict: 'conformant' | 'nonconformant' | 'incomplete'
  /** Why, in one sentence. */
  reason: string
  /** The rules that were left out by name. */
  ignored: readonly string[]
}
