/**
 * The result of `client`: what a client did on the wire in each scenario, and the judgement. It is plain data, and every report
 * is made from it. Requests are stored as they arrived, with password and tokens. All of these secrets were made up for the
 * scenario. Reports show no secret.
 */
import type { RecordedRequest } from '../mock/index.js'

/** How the client's command ended. */
export type ClientEnd =
  | { kind: 'exit'; code: number }
  | { kind: 'signal'; signal: string }
  /**
   * The command was killed. `timeout`: it took too long; `flood`: it sent too many requests that were refused; `hang`: it
   * waited too long for an answer that never comes; `interrupted`: the user stopped the run.
   */
  | { kind: 'timeout' | 'flood' | 'hang' | 'interrupted' }
  /** The command could not be started; `message` says why. */
  | { kind: 'not started'; message: string }

/** A line of a client's output that holds a secret. */
export interface PrintedSecret {
  secret: 'password' | 'token'
  stream: 'stdout' | 'stderr'
  /** The number of the line in its stream, 1 for the first. */
  line: number
}

/** Everything that a client did in one scenario. */
export interface ClientRecord {
  /** The name of the scenario, one of `SCENARIOS`. */
  scenario: string
  /** The credentials that the client was given. */
  credentials: { username: string; password: string }
  /** The requests of the client with their answers, sorted by number; at most 10 000. */
  requests: readonly RecordedRequest[]
  /** The number of the request after which the scenario's event took place; null: no event took place. */
  eventAfter: number | null
  /**
   * The numbers of the requests that met the scenario's trouble, in order: they were cut off, refused, redirected, never
   * answered, or came over a connection with the changed certificate.
   */
  met: readonly number[]
  /** The requests that the client sent to the host that the scenario redirects to. */
  elsewhere: readonly RecordedRequest[]
  end: ClientEnd
  /** How many tokens the client was issued, and how many were still valid when it had ended. */
  tokens: { issued: number; live: number }
  /**
   * How many connections brought no request, by the certificate that the Core presented: the one that the client is to trust, or
   * another. Mostly the client did not trust it.
   */
  unused: { trusted: number; untrusted: number }
  /** The lines of its output that hold a secret, in order. */
  printed: readonly PrintedSecret[]
  /** Real time from start to end of the command, in milliseconds. */
  durationMs: number
}

/** What is told of a rule. */
export interface RuleText {
  /** `must`: the reference demands it of clients. `should`: good practice that a Core and its users may expect. */
  level: 'must' | 'should'
  /** The rule as a statement about clients. */
  title: string
  /** Why the rule matters, in a sentence. */
  why: string
  /** What to change in a client that breaks it, in a sentence. */
  fix: string
}

/** One rule, judged in one scenario. */
export interface Judgement extends RuleText {
  /** The id of the rule, such as `bearer`. */
  rule: string
  /**
   * `skipped`: the client did nothing that the rule is about. `open`: the client's requests may be right or wrong, and the
   * record cannot show which. `ignored`: the user left the rule out.
   */
  outcome: 'passed' | 'failed' | 'skipped' | 'open' | 'ignored'
  /** What the client did instead, in words; present when the outcome is `failed` or `open`. */
  got?: string
  /** The numbers of the requests that show it, sorted. */
  requests: number[]
}

/** One scenario, judged. */
export interface ScenarioResult {
  scenario: string
  /** What happens in the scenario. */
  title: string
  /** `inconclusive`: no rule failed, but the client did not do enough to be judged. */
  outcome: 'passed' | 'failed' | 'inconclusive'
  /** Why the scenario is inconclusive; `advice` says what to do. */
  message?: string
  advice?: string
  judgements: Judgement[]
  record: ClientRecord
}

/** The result of one run of `client`. */
export interface ClientResult {
  /** The client's command, as given. */
  command: readonly string[]
  /** When the run started, ISO 8601 in UTC. */
  startedAt: string
  durationMs: number
  scenarios: ScenarioResult[]
  verdict: 'conformant' | 'nonconformant' | 'incomplete'
  /** Why this verdict, in one sentence. */
  reason: string
  /** The ids of the rules that the user left out. */
  ignored: readonly string[]
}
