/**
 * The history of a run: every request with what came back, in the order of the answers, whoever wanted it sent. It is
 * append-only, and plain data. The judge reads it and nothing else.
 */
import type { Milliseconds } from '../result.js'

/**
 * What a request asks for, as far as the reference says. `logon`: right credentials, as the reference shows it. `wrong
 * logon`: any other. `use`: the plain, safe request that looks whether a token is accepted. `revocation`: a plain DELETE
 * of a logon. `odd change`: any other request whose method is not safe; the reference does not say what it does.
 */
export type RequestKind = 'logon' | 'wrong logon' | 'use' | 'revocation' | 'odd change' | 'other'

/**
 * What came back. `accepted`: what only an accepted request gets; for a logon, a token. `refused`: what requests without
 * a good token, or with wrong credentials, get. `turned away`: anything else, such as 429, a 5xx, or no answer; it says
 * nothing about the token.
 */
export type AnswerKind = 'accepted' | 'refused' | 'turned away'

/** One request of a run, sent once. Times are milliseconds on the clock of the run. */
export interface HistoryEntry {
  sentAt: Milliseconds
  receivedAt: Milliseconds
  /** When it was sent by the wall clock, which runs on while the machine sleeps: epoch milliseconds. */
  wallMs?: number
  /** The Date of its answer, by the clock of the Core: epoch milliseconds, of whole seconds. */
  dateMs?: number
  kind: RequestKind
  /** The token in its Authorization header; absent for none. */
  token?: string
  /** Tokens that stand in it in some other form; absent for none. Of requests that may change something only. */
  mayCarry?: readonly string[]
  /** The token in its answer. */
  issued?: string
  answer: AnswerKind
  /** The status of its answer; absent where none came. */
  status?: number
  /** Whether the Core asked to come back later (429, 503). */
  asksToWait?: true
  /** What was sent and what came, in a few words: `GET /api/v0/cores/self/users: 401 Unauthorized`. It holds no secret. */
  told: string
}
