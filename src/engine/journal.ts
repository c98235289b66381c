import type { AnswerBook } from '../core/answers.js'
import type { Exchange } from '../core/exchange.js'
import type { SessionJournal } from '../core/session-options.js'
import type { TokenState } from '../core/token.js'
import type { Dialect, Doubt, Exploration, Facts, RunEvent, SpecRecord, StepRecord } from '../result.js'
import type { Death } from './run-events.js'

/** A spec that waits, with everything that another process needs to continue it. Nothing in it is redacted. */
export interface SpecState {
  spec: string
  /** The next step: an index into its given and steps together. */
  next: number
  atMs: number
  /** The numbers of its tokens, by name. */
  tokens: [name: string, number: number][]
  /** The numbers of all tokens issued to it. */
  issued: number[]
  /** Values that its steps saved from responses, by name; absent for none. */
  saved?: [name: string, value: string][]
  steps: StepRecord[]
  exchanges: Exchange[]
  facts: Facts
  firstTry?: string
  /** Its end, where other specs of its unit still wait. */
  ended?: Ended
}

/** The end of a spec before its tokens are given back. */
export interface Ended {
  outcome: SpecRecord['outcome']
  message?: string
  /** How many tokens the Core held when it had no room for another; absent where that did not happen. */
  room?: number | undefined
  /** The end of a token that should be alive and was not accepted; absent where none died. */
  dead?: Death
  /**
   * Whether it failed by an answer that no other spec, network or restart can cause: the Core let a request in; absent for false.
   */
  isCertain?: boolean
  /** Whether the Core refused the request that it had let in when it was sent again; absent for false. */
  isOnce?: true
}

/**
 * The specs of a unit that waits, with the state of their tokens by number. The values of the tokens were written down
 * before.
 */
export interface UnitState {
  specs: SpecState[]
  tokens: Record<number, Omit<TokenState, 'value'>>
}

/** The findings of the survey. */
export interface SurveyState {
  dialect: Dialect
  answers: ReturnType<AnswerBook['state']>
  paths: [endpoint: string, path: string][]
  tokenPointer: string | null
  exchanges: Exchange[]
}

/** A spec with its outcome. Its record is not redacted. */
export interface EndState {
  record: SpecRecord
  facts: Facts
}

/**
 * Writes down the progress of a run, so that another process can finish it if this one dies. Each method returns when
 * its entry cannot be lost any more.
 */
export interface Journal extends SessionJournal {
  surveyed(survey: SurveyState): void
  /** The run learned a text that must not be shown. */
  secret(value: string, label: string): void
  /** The Core has room for this many tokens of the run. */
  room(tokens: number): void
  waits(state: UnitState): void
  /** These specs do not wait any more. */
  leaves(specs: string[]): void
  ended(state: EndState): void
  certificate(fingerprint: string): void
  /** Something happened to the Core as a whole. */
  happened(event: RunEvent): void
  /** The exploration so far. */
  explored(exploration: Exploration): void
  /** What speaks against requirements in the exchanges of a process that leaves the run to another. */
  doubted(doubts: readonly Doubt[]): void
}

/** The state of a run as an earlier process wrote it down. */
export interface Resumed {
  startedAt: Date
  /** Absent: the earlier process ended before the survey. */
  survey?: SurveyState
  secrets: { value: string; label: string }[]
  /** In the order of their numbers. */
  tokens: TokenState[]
  refusedLogons: number
  /** Refused logons of specs that run again: the run may spend these once more. */
  refunded: number
  /**
   * Logons that were never answered. For each: when a token that it may have issued has expired, epoch milliseconds.
   */
  lostUntil: number[]
  room?: number
  ended: EndState[]
  waiting: UnitState[]
  certificateFingerprint?: string
  /** What speaks against requirements in the exchanges of earlier processes. */
  doubts: Doubt[]
  /** What happened to the Core in earlier processes. */
  events: RunEvent[]
  /** The exploration of the earlier process. */
  exploration?: Exploration
}
