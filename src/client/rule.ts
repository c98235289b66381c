/** What a rule is, and what rules are made of. */
import type { RecordedRequest } from '../mock/index.js'
import { endMs, isAccepted, targetOf } from './requests.js'
import type { ClientEnd, ClientRecord, RuleLevel, ScenarioName } from './result.js'

/** What a rule found: in words what the client did, and the requests that show it. */
export interface Finding {
  got: string
  requests: number[]
  /** Whether what the client did can also be right, so that nobody is accused. */
  open?: boolean
}

/** One rule. */
export interface Rule {
  id: string
  level: RuleLevel
  /** A statement of what clients do. */
  title: string
  /** Why it matters, in a sentence. */
  why: string
  /** What to change in a client that breaks it, in a sentence. */
  fix: string
  /** The scenarios that it is judged in; absent: all. */
  scenarios?: readonly ScenarioName[]
  /** Whether it is also judged of a client that sent nothing. */
  silent?: boolean
  /** Rules whose failure is the cause, where both fail: then this one is not told. */
  unless?: readonly string[]
  /** What the client did against it; undefined for nothing; `skipped` when it did nothing that it could be judged by. */
  judge(record: ClientRecord): Finding | 'skipped' | undefined
}

/** The scenarios in which a token ends. */
export const ENDING: readonly ScenarioName[] = ['token-expires', 'token-revoked', 'restart', 'restart-inside']

/** Judges how a command ended; one that was killed by us says nothing. */
export function exit(end: ClientEnd, isRight: (code: number) => boolean): Finding | 'skipped' | undefined {
  if (end.kind === 'signal') return { got: `it was ended by ${end.signal}`, requests: [] }
  if (end.kind !== 'exit') return 'skipped'
  return isRight(end.code) ? undefined : { got: `exit code ${end.code}`, requests: [] }
}

/** Judges requests one by one: what is wrong with the first of the bad ones, and all of them. */
export function each(
  requests: readonly RecordedRequest[],
  problem: (request: RecordedRequest) => string | undefined,
): Finding | 'skipped' | undefined {
  if (requests.length === 0) return 'skipped'
  const bad = requests.filter(request => problem(request) !== undefined)
  const [first] = bad
  return first && { got: problem(first) ?? '', requests: numbers(bad) }
}

/** The numbers of requests. */
export function numbers(requests: readonly RecordedRequest[]): number[] {
  return requests.map(({ number }) => number)
}

/** Of requests that were refused, those that came when the first refusal had gone out: their client could know of it. */
export function afterRefusal(refused: readonly RecordedRequest[]): RecordedRequest[] {
  const knownMs = Math.min(...refused.map(endMs))
  return refused.filter(({ atMs }) => atMs > knownMs)
}

/**
 * What waits in a queue goes out as soon as its connection is free; a client that was seen to wait for longer sends something
 * again. A machine with 13 processes waiting for each core was seen to stall for 300 ms.
 */
const QUEUE_GAP_MS = 1_000

/**
 * Whether requests that came after a refusal can all have been made before it, and have waited for their connection: then each
 * of them is sent once more when it can be accepted, and none came after a pause.
 *
 * @param refused all that were refused for the same reason, the first too
 * @param requests all of the record
 * @param gapMs how long a pause may be
 */
export function canBeQueue(
  refused: readonly RecordedRequest[],
  requests: readonly RecordedRequest[],
  gapMs = QUEUE_GAP_MS,
): boolean {
  const last = Math.max(...refused.map(({ number }) => number))
  const accepted = requests.filter(isAccepted)
  const first = Math.min(...refused.map(({ number }) => number))
  const isSentOnce = [...new Set(refused.map(targetOf))].every(target => {
    const those = refused.filter(request => targetOf(request) === target).length
    return those <= accepted.filter(request => request.number > first && targetOf(request) === target).length
  })
  return last > first && isSentOnce && isWithoutPause(refused, requests, gapMs)
}

/** So many requests wait for each connection of a client with many workers: there were pools of 10 for 100 of them. */
const LONGEST_LINE = 10

/**
 * Whether requests that came after a refusal can be those of other workers, who had no connection before and who all gave up in
 * their turn: then several connections were in use when the first refusals went out, and nobody paused. One that was in use alone
 * tells nothing of workers.
 *
 * @param refused all that were refused for the same reason, the first too
 * @param requests all of the record
 * @param gapMs how long a pause may be
 */
export function canBeLine(
  refused: readonly RecordedRequest[],
  requests: readonly RecordedRequest[],
  gapMs: number,
): boolean {
  const connections = sideBySide(refused)
  const isShort = afterRefusal(refused).length <= connections * LONGEST_LINE
  return connections > 1 && isShort && isWithoutPause(refused, requests, gapMs)
}

/** How many connections the requests came on that were under way together when the first refusal went out; at least 1. */
export function sideBySide(refused: readonly RecordedRequest[]): number {
  const later = new Set(afterRefusal(refused))
  return Math.max(1, new Set(refused.filter(each => !later.has(each)).map(({ connection }) => connection)).size)
}

function isWithoutPause(
  refused: readonly RecordedRequest[],
  requests: readonly RecordedRequest[],
  gapMs: number,
): boolean {
  return afterRefusal(refused).every(({ atMs, number }) => {
    const before = requests.filter(request => request.number < number && endMs(request) <= atMs)
    return atMs - Math.max(...before.map(endMs)) < gapMs
  })
}
