import type { AnswerBook } from '../core/answers.js'
import type { Exchange } from '../core/exchange.js'
import type { SessionJournal } from '../core/session.js'
import type { TokenState } from '../core/token.js'
import type { Dialect, Exploration, Facts, SpecRecord, StepRecord } from '../result.js'

/** A spec that waits, with all that another process needs to go on with it. Nothing in it is redacted. */
export interface SpecState {
  spec: string
  /** The step that comes next: an index into its given and steps together. */
  next: number
  atMs: number
  /** The numbers of its tokens, by their names. */
  tokens: [name: string, number: number][]
  /** The numbers of all tokens that were issued to it. */
  issued: number[]
  /** What its steps saved out of responses, by its names; absent for nothing. */
  saved?: [name: string, value: string][]
  steps: StepRecord[]
  exchanges: Exchange[]
  facts: Facts
  firstTry?: string
  /** How it ended, where others of its unit still wait. */
  ended?: Ended
}

/** How a spec ended, before its tokens are given back. */
export interface Ended extends Pick<SpecRecord, 'outcome' | 'message'> {
  /** How many tokens the Core held when it had no room for another; absent where that was not so. */
  room?: number | undefined
  /** See `SpecEnd`. */
  dead?: { aliveMs: number; deadMs: number }
  /** See `SpecEnd`; absent where it is not so. */
  isCertain?: boolean
  /** Whether what was let in was refused when it was sent once more; absent where it is not so. */
  isOnce?: true
}

/** The specs of a unit that waits, and their tokens as they are then, by number; their values were written down before. */
export interface UnitState {
  specs: SpecState[]
  tokens: Record<number, Omit<TokenState, 'value'>>
}

/** What the survey found. */
export interface SurveyState {
  dialect: Dialect
  answers: ReturnType<AnswerBook['state']>
  paths: [endpoint: string, path: string][]
  tokenPointer: string | null
  exchanges: Exchange[]
}

/** A spec that has its outcome. Its record is not redacted. */
export interface EndState {
  record: SpecRecord
  facts: Facts
}

/**
 * Whoever writes down how a run goes, so that it can be finished by another process, should this one die. Each method
 * returns when what it was told cannot be lost any more.
 */
export interface Journal extends SessionJournal {
  surveyed(survey: SurveyState): void
  /** A text that must not be shown came up. */
  secret(value: string, label: string): void
  /** The Core has room for so many tokens of ours. */
  room(tokens: number): void
  waits(state: UnitState): void
  /** The specs that were told to wait do not do so any more. */
  leaves(specs: string[]): void
  ended(state: EndState): void
  certificate(fingerprint: string): void
  /** So much was explored by now. */
  explored(exploration: Exploration): void
}

/** What an earlier process wrote down of a run. */
export interface Resumed {
  startedAt: Date
  /** Absent: it came not so far. */
  survey?: SurveyState
  secrets: { value: string; label: string }[]
  /** By their numbers. */
  tokens: TokenState[]
  refusedLogons: number
  /** Refused logons of specs that have to run again: these may be spent once more. */
  refunded: number
  /** Logons that were never answered: when each token that one of them may have issued has expired, epoch milliseconds. */
  lostUntil: number[]
  room?: number
  ended: EndState[]
  waiting: UnitState[]
  certificateFingerprint?: string
  /** What it had explored. */
  exploration?: Exploration
}
