/** The result file. */
import type { RunResult } from '../result.js'

/** Every key of a type and of the types in it. */
type KeysOf<T> = T extends readonly (infer Item)[]
  ? KeysOf<Item>
  : T extends object
    ? { [Key in keyof T]-?: Key | KeysOf<NonNullable<T[Key]>> }[keyof T]
    : never

/**
 * Every key of a run result; the compiler sees to it that none is missing. They stand in one order that agrees with the order
 * of each type in result.ts.
 */
const ORDER: Record<KeysOf<RunResult>, true> = {
  schemaVersion: true,
  suite: true,
  name: true,
  version: true,
  specsDigest: true,
  target: true,
  url: true,
  startedAt: true,
  // SpecRecord, StepRecord, ExchangeRecord
  id: true,
  area: true,
  title: true,
  level: true,
  requirements: true,
  text: true,
  section: true,
  file: true,
  line: true,
  kind: true,
  certificateFingerprint: true,
  outcome: true,
  message: true,
  expected: true,
  got: true,
  atMs: true,
  durationMs: true,
  steps: true,
  exchanges: true,
  request: true,
  response: true,
  error: true,
  method: true,
  path: true,
  status: true,
  statusText: true,
  httpVersion: true,
  headers: true,
  body: true,
  bodyBytes: true,
  complete: true,
  // RunResult goes on after durationMs
  time: true,
  configuration: true,
  accessControl: true,
  idleLifetimeMs: true,
  idleTolerance: true,
  probePath: true,
  profile: true,
  only: true,
  concurrency: true,
  deadlineMs: true,
  dialect: true,
  token: true,
  pointer: true,
  length: true,
  alphabet: true,
  logonStatus: true,
  acceptedStatus: true,
  rejectedStatus: true,
  unknownTokenStatus: true,
  http10: true,
  verdict: true,
  reason: true,
  advice: true,
  counts: true,
  selected: true,
  passed: true,
  failed: true,
  observed: true,
  skipped: true,
  blocked: true,
  inconclusive: true,
  tokens: true,
  issued: true,
  left: true,
  notices: true,
  survey: true,
  specs: true,
}

/** Every key that a result file may hold, in the order in which it is written. */
export const RESULT_KEYS: readonly string[] = Object.keys(ORDER)

/**
 * The run result as JSON: 2 spaces, a line feed at the end, and keys in the order of the types, however the result was built,
 * so that two results differ only where their runs did.
 */
export function renderJson(result: RunResult): string {
  return `${JSON.stringify(result, [...RESULT_KEYS], 2)}\n`
}
