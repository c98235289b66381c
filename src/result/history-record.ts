/**
 * The history of a run: every request with what came back, in the order of the answers, whoever wanted it sent. It is
 * append-only, and plain data. The judge reads it and nothing else.
 */
import type { Count, Milliseconds } from './quantities.js'
import type { Doubt } from './requirement-record.js'

/**
 * What a request asks for, as far as the reference says. `logon`: right credentials, as the reference shows it. `wrong
 * logon`: any other. `use`: the plain, safe request that looks whether a token is accepted. `revocation`: a plain DELETE
 * of a logon. `no host`: any request without Host that was not accepted, so that it changes nothing. `odd change`: any other request whose
 * method is not safe; the reference does not say what it does.
 */
export type RequestKind = 'logon' | 'wrong logon' | 'use' | 'revocation' | 'no host' | 'odd change' | 'other'

/**
 * What came back. `accepted`: what only an accepted request gets; for a logon, a token. `refused`: what requests without
 * a good token, or with wrong credentials, get. `turned away`: anything else, such as 429, a 5xx, or no answer; it says
 * nothing about the token.
 */
export type AnswerKind = 'accepted' | 'refused' | 'turned away'

/** One request of a run, sent once. Times are milliseconds on the clock of the run. */
export interface HistoryEntry {
  /** When it was sent. */
  sentAt: Milliseconds
  /** When its answer had come, or it was given up. */
  receivedAt: Milliseconds
  /** When it was sent by the wall clock, which runs on while the machine sleeps: epoch milliseconds. */
  wallMs?: number
  /** The Date of its answer, by the clock of the Core: epoch milliseconds, of whole seconds. */
  dateMs?: number
  /** What it asks for. */
  kind: RequestKind
  /** The token in its Authorization header; absent for none. */
  token?: string
  /** Whether that token was made of one that was issued: cut, prolonged, or changed. Specs judge those. */
  isMade?: true
  /** Tokens that stand in it in some other form; absent for none. Of requests that may change something only. */
  mayCarry?: readonly string[]
  /** The token in its answer. */
  issued?: string
  /** What came back. */
  answer: AnswerKind
  /** The status of its answer; absent where none came. */
  status?: number
  /** Whether the Core asked to come back later (429, 503). */
  asksToWait?: true
  /** What was sent and what came, in a few words: `GET /api/v0/cores/self/users: 401 Unauthorized`. It holds no secret. */
  told: string
}

/** What a run knows of a Core beside its history. */
export interface KnownHabits {
  /** How many tokens of a user it keeps; absent: as many as the run held. */
  room?: Count
  /** Whether the tokens of a user depend on each other, or a token is accepted on some connections only. */
  isEntangled: boolean
  /** Whether fresh tokens need time before they are accepted. */
  warmsUp: boolean
  /** The tokens that an earlier process of the run was given, and further names of tokens; absent for none. */
  earlier?: readonly string[]
}

/**
 * The history of a run as it is kept. Its tokens have names, by the order in which they were first sent or issued: `token 1`.
 * Where several processes worked on the run, it is what the last one sent.
 */
export interface History {
  /** What the run knew of the Core beside it. */
  known: KnownHabits
  /** What the version that ran concluded from it beside the specs. */
  doubts: Doubt[]
  /** Every request, sent once each, in the order of the answers. */
  entries: HistoryEntry[]
}
