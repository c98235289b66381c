/** Kills runs at random points and resumes them, on a mock Core in another process and in real time. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ForkedMockCore, forkMockCore } from '../../dist/mock/index.js'
import type { RunResult } from '../../dist/result.js'
import { controlVariablesOf, variablesOf } from '../../tools/mock-variables.js'
import { Cli, cli, type Ended, inFolder, resultIn } from '../cli-support.js'
import { inEarnest } from './cheap-fork.js'
import { SUITE } from './suite-run.js'

/** The password. It holds every kind of character that encodings change, and occurs nowhere else. */
export const PASSWORD = 'Kanari "pw" &<ä>/2'

/** Longest run of the whole suite in real time on a busy machine, in milliseconds; a longer one hangs. */
export const PATIENCE_MS = 300_000

/** Lifetimes of successive trials: a machine that is too slow for one lifetime gets the next. */
const LIFETIMES_MS = [2000, 3000, 5000, 8000, 13_000]

/** A minute: no test keeps this process busy for so long. */
const SHORT_MS = 60_000

/** Calls back with a mock Core: in a process of its own where its lifetime is so short that it must not wait for this one. */
export async function withMock<T>(idleLifetimeMs: number, use: (mock: ForkedMockCore) => Promise<T>): Promise<T> {
  const fork = () => forkMockCore({ username: 'admin', password: PASSWORD, idleLifetimeMs })
  const mock = await (idleLifetimeMs < SHORT_MS ? inEarnest(fork) : fork())
  try {
    return await use(mock)
  } finally {
    await mock.close()
  }
}

/**
 * Returns the selection without specs for long runs. A run with a short lifetime counts as long, the compared one with an hour
 * does not.
 */
export function notLong(only: string): string {
  const left = SUITE.specs.filter(spec => spec.isForLong).map(({ id }) => `!${id}`)
  return [only, ...left].filter(Boolean).join()
}

/** Returns the environment of a user who runs against a mock Core. */
export function envOf(mock: ForkedMockCore, idleLifetimeMs: number): Record<string, string> {
  return {
    ...variablesOf(mock, { username: 'admin', password: PASSWORD }),
    CORE_IDLE_LIFETIME: `${idleLifetimeMs}ms`,
  }
}

/** Returns how many tokens a mock Core issued, and how many are live. */
export async function tokensOf({ control }: ForkedMockCore): Promise<{ issued: number; live: number }> {
  const response = await fetch(`${control.url}/state`, { headers: { Authorization: `Bearer ${control.key}` } })
  return ((await response.json()) as { tokens: { issued: number; live: number } }).tokens
}

/** Returns the lines of the journal in a folder, without the sealed ones; none when there is no journal. */
export function journalIn(folder: string): Record<string, unknown>[] {
  const path = journalPath(folder)
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
  return lines.map(line => JSON.parse(line) as Record<string, unknown>)
}

/** Returns the path of the journal in a folder. */
export function journalPath(folder: string): string {
  return join(folder, 'reports', 'journal.ndjson')
}

/** Counts the logons of a run that were never answered: each may have issued a token that nobody knows. */
export function logonsInFlight(folder: string): number {
  const open = new Set<string>()
  let processes = 0
  for (const { type, number } of journalIn(folder)) {
    if (type === 'process') processes++
    if (type === 'logon') open.add(`${processes} ${number}`)
    if (type === 'logon-answered') open.delete(`${processes} ${number}`)
  }
  return open.size
}

/** Returns the part of a result that two runs share: ids with outcomes, observations, and the verdict. */
export function essence({ verdict, specs, facts }: RunResult): Record<string, unknown> {
  const outcomes = Object.fromEntries(specs.map(({ id, outcome }) => [id, outcome]))
  return { verdict, outcomes, facts }
}

/** Describes the differences between two of them; empty where they are equal. */
export function differences(is: Record<string, unknown>, was: Record<string, unknown>): string[] {
  const flat = (value: unknown, path: string): [string, unknown][] =>
    value && typeof value === 'object'
      ? Object.entries(value).flatMap(([key, item]) => flat(item, `${path} ${key}`))
      : [[path.trim(), value]]
  const before = new Map(flat(was, ''))
  const after = new Map(flat(is, ''))
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter(key => before.get(key) !== after.get(key))
    .map(key => `${key}: ${after.get(key)} instead of ${before.get(key)}`)
    .sort()
}

/** The parameters of a trial. */
export interface TrialOptions {
  /** The specs to run; empty: all. */
  only: string
  /** The essence of an undisturbed run. */
  undisturbed: Record<string, unknown>
  /** The moment at which each process in a row is killed, as a part of the duration of an undisturbed one. */
  killsAt: number[]
  /** The duration of an undisturbed run without its waits, in milliseconds. */
  busyMs: number
}

/** The result of a trial. */
export interface Trial {
  /** Descriptions of all faults; empty where all is right. */
  wrong: string[]
  /** Number of processes that were killed; others had already ended by themselves. */
  kills: number
  lifetimeMs: number
  /** Number of processes that continued the work of another. */
  resumes: number
}

/** Runs once undisturbed, in virtual time. Returns its essence, and its duration without waits. */
export function undisturbed(only: string): Promise<{ undisturbed: Record<string, unknown>; busyMs: number }> {
  const lifetimeMs = 3_600_000
  return withMock(lifetimeMs, mock =>
    inFolder(async folder => {
      const env = { ...envOf(mock, lifetimeMs), ...controlVariablesOf(mock), CORE_ONLY: notLong(only) }
      const startMs = performance.now()
      const { code, stdout, stderr } = await cli(['run'], { cwd: folder, env, deadlineMs: PATIENCE_MS })
      if (code !== 0) throw new Error(`an undisturbed run ends with ${code}:\n${stdout}\n${stderr}`)
      return { undisturbed: essence(resultIn(folder)), busyMs: performance.now() - startMs }
    }),
  )
}

/**
 * Kills a run, and each process that continues it, and lets the last one finish. A machine that was too slow for its windows
 * gets more time and another trial. That hides no wrong outcome, since only inconclusive trials are repeated.
 */
export async function killAndResume(options: TrialOptions): Promise<Trial> {
  let trial: Trial | undefined
  for (const lifetimeMs of LIFETIMES_MS) {
    const attempt = await withMock(lifetimeMs, mock => inFolder(folder => attemptIn(folder, mock, lifetimeMs, options)))
    trial = attempt
    if (!attempt.isLate) return attempt
  }
  if (!trial) throw new Error('no lifetime to try')
  return trial
}

async function attemptIn(
  folder: string,
  mock: ForkedMockCore,
  lifetimeMs: number,
  { only, undisturbed, killsAt, busyMs }: TrialOptions,
): Promise<Trial & { isLate: boolean }> {
  const env = { ...envOf(mock, lifetimeMs), CORE_ONLY: notLong(only) }
  const start = (command: string) => new Cli([command], { cwd: folder, env, deadlineMs: PATIENCE_MS })
  const report = { kills: 0, resumes: 0, lifetimeMs }
  let issuedBefore = 0
  let lost = 0
  let ended: Ended | undefined
  let killsLeft = [...killsAt]
  while (!ended || ended.signal === 'SIGKILL') {
    // Without a journal there is nothing to continue: the process was killed before its first request, or at its very end.
    const isFresh = !journalIn(folder).some(({ type }) => type === 'process')
    if (isFresh) issuedBefore = (await tokensOf(mock)).issued
    const process = start(isFresh ? 'run' : 'resume')
    if (!isFresh) report.resumes++
    const [part, ...later] = killsLeft
    killsLeft = later
    if (part !== undefined) {
      await Promise.race([sleep(part * (busyMs + lifetimeMs * 1.06)), process.ended])
      process.child.kill('SIGKILL')
    }
    ended = await process.ended
    if (ended.signal === 'SIGKILL') {
      report.kills++
      lost = logonsInFlight(folder)
    }
  }
  const { code, stdout, stderr } = ended
  if (code === 2 || !existsSync(join(folder, 'reports', 'result.json'))) {
    return { ...report, isLate: false, wrong: [`exit ${code}:\n${stdout}\n${stderr}`] }
  }
  const result = resultIn(folder)
  const wrong = differences(essence(result), undisturbed)
  if (code !== 0) wrong.push(`exit ${code}: ${result.reason}`)
  if (existsSync(journalPath(folder))) wrong.push('the journal is left')
  const { issued, live } = await tokensOf(mock)
  const unknown = issued - issuedBefore - result.tokens.issued
  if (unknown > lost) wrong.push(`${unknown} tokens that the run knows nothing of, with ${lost} logons in flight`)
  if (live > result.tokens.left) wrong.push(`${live} tokens are live, and the result says ${result.tokens.left}`)
  if (result.tokens.left > lost) wrong.push(`${result.tokens.left} tokens are left, with ${lost} logons in flight`)
  await lapsed(mock, lifetimeMs)
  return { ...report, wrong, isLate: wrong.length > 0 && result.counts.inconclusive > 0 && result.counts.failed === 0 }
}

/** Waits until no token is live, one lifetime after the last use of any. */
async function lapsed(mock: ForkedMockCore, lifetimeMs: number): Promise<void> {
  if ((await tokensOf(mock)).live > 0) await sleep(lifetimeMs)
  const { live } = await tokensOf(mock)
  if (live > 0) throw new Error(`${live} tokens are live a lifetime later`)
}
