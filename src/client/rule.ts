/** What the judges of rules for clients find, and the helpers that they share. */
import type { RecordedRequest } from '../mock/index.js'
import { endMs, isAccepted, workOf } from './requests.js'
import type { ClientEnd, ClientRecord } from './result.js'

type Requests = readonly RecordedRequest[]

/** A breach of a rule: what the client did, in words, and the numbers of the requests that show it. */
export interface Finding {
  got: string
  requests: number[]
  /** Whether the client may also be right, so that the finding accuses nobody. */
  open?: boolean
}

/**
 * What judges each rule, by its id: it finds a breach in a record; undefined for none; `skipped` when the client did nothing that
 * the rule is about.
 */
export type Judges = Readonly<Record<string, (record: ClientRecord) => Finding | 'skipped' | undefined>>

/**
 * Judges how a command ended. A command that was killed by this program is skipped.
 * @param wrong what is found where it ended by itself with a wrong exit code; default: that code
 */
export function judgeExit(
  end: ClientEnd,
  isRight: (code: number) => boolean,
  wrong?: Finding,
): Finding | 'skipped' | undefined {
  if (end.kind === 'signal') return { got: `it was ended by ${end.signal}`, requests: [] }
  if (end.kind !== 'exit') return 'skipped'
  return isRight(end.code) ? undefined : (wrong ?? { got: `exit code ${end.code}`, requests: [] })
}

/** Judges requests one by one. The finding names the problem of the first bad request, and the numbers of all bad ones. */
export function judgeEach(
  requests: Requests,
  problem: (request: RecordedRequest) => string | undefined,
): Finding | 'skipped' | undefined {
  if (requests.length === 0) return 'skipped'
  const bad = requests.filter(request => problem(request) !== undefined)
  return shownBy(bad, (bad[0] && problem(bad[0])) ?? '')
}

/** Returns what requests show, in these words; undefined where there are none. @param open see {@link Finding} */
export function shownBy(requests: Requests, got: string, open = false): Finding | undefined {
  return requests.length > 0 ? { got, requests: requests.map(({ number }) => number), open } : undefined
}

/** Returns the refused requests that came after the first refusal had gone out: the client could know of the refusal. */
export function afterRefusal(refused: Requests): RecordedRequest[] {
  const knownMs = Math.min(...refused.map(endMs))
  return refused.filter(({ atMs }) => atMs > knownMs)
}

/**
 * Longest pause between queued requests. A queued request goes out as soon as its connection is free; a client that pauses
 * longer sends a request again. A machine with 13 processes waiting for each processor was seen to stall for 300 ms.
 */
const QUEUE_GAP_MS = 1_000

/**
 * Whether all requests that came after a refusal can have been made before it, and have waited in a queue for their connection.
 * Then the client sends each of them again when it can be accepted, and sent none after a pause.
 * @param refused all requests of the record that were refused for the same reason, including the first
 * @param gapMs longest pause, in milliseconds
 */
export function canBeQueue(refused: Requests, requests: Requests, gapMs = QUEUE_GAP_MS): boolean {
  const last = Math.max(...refused.map(({ number }) => number))
  const accepted = requests.filter(isAccepted)
  const first = Math.min(...refused.map(({ number }) => number))
  const isSentOnce = [...new Set(refused.map(workOf))].every(work => {
    const those = refused.filter(request => workOf(request) === work).length
    return those <= accepted.filter(request => request.number > first && workOf(request) === work).length
  })
  return last > first && isSentOnce && isWithoutPause(refused, requests, gapMs)
}

/** Most workers that wait for one connection: pools of 10 connections for 100 workers were seen. */
const MOST_WAITING = 10

/**
 * Whether the requests that came after a refusal can be those of other workers, which waited for a connection and gave up one
 * after the other. Then several connections were in use when the first refusals went out, and no request came after a pause. A
 * single connection is no sign of workers. For the parameters see {@link canBeQueue}.
 */
export function canBeOtherWorkers(refused: Requests, requests: Requests, gapMs: number): boolean {
  const connections = sideBySide(refused)
  const isShort = afterRefusal(refused).length <= connections * MOST_WAITING
  return connections > 1 && isShort && isWithoutPause(refused, requests, gapMs)
}

/** Counts the connections of the requests that were under way when the first refusal went out; at least 1. */
export function sideBySide(refused: Requests): number {
  const later = new Set(afterRefusal(refused))
  return Math.max(1, new Set(refused.filter(each => !later.has(each)).map(({ connection }) => connection)).size)
}

function isWithoutPause(refused: Requests, requests: Requests, gapMs: number): boolean {
  return afterRefusal(refused).every(({ atMs, number }) => {
    const before = requests.filter(request => request.number < number && endMs(request) <= atMs)
    return atMs - Math.max(...before.map(endMs)) < gapMs
  })
}
