/** Runs that are killed at random points and resumed, on a mock Core in another process and in real time. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ForkedMockCore, forkMockCore } from '../../dist/mock/index.js'
import type { RunResult } from '../../dist/result.js'
import { Cli, cli, type Ended, inFolder } from '../cli-support.js'
import { SUITE } from './suite-run.js'

/** With all that encodings change, and found nowhere else. */
export const PASSWORD = 'Kanari "pw" &<ä>/2'

/** A whole suite in real time on a machine that has much else to do; a process that is still there by then hangs. */
export const PATIENCE_MS = 300_000

/** How often the specs of a run are begun again with a longer lifetime, where the machine was too slow for the shorter one. */
const LIFETIMES_MS = [2000, 3000, 5000, 8000, 13_000]

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Calls back with a mock Core in a process of its own. */
export async function withMock<T>(idleLifetimeMs: number, use: (mock: ForkedMockCore) => Promise<T>): Promise<T> {
  const mock = await forkMockCore({ username: 'admin', password: PASSWORD, idleLifetimeMs })
  try {
    return await use(mock)
  } finally {
    await mock.close()
  }
}

/** What is selected, but for what a long run has only: a run with a short lifetime is one, and the one with an hour to compare with is none. */
export function notLong(only: string): string {
  const left = SUITE.specs.filter(spec => spec.isForLong).map(({ id }) => `!${id}`)
  return [only, ...left].filter(Boolean).join()
}

/** What a user sets to reach a mock Core. */
export function envOf(mock: ForkedMockCore, idleLifetimeMs: number): Record<string, string> {
  return {
    CORE_URL: mock.url,
    CORE_USERNAME: 'admin',
    CORE_PASSWORD: PASSWORD,
    CORE_FINGERPRINT: mock.certificateFingerprint,
    CORE_IDLE_LIFETIME: `${idleLifetimeMs}ms`,
  }
}

/** What a user sets besides, to have its clock advanced. */
export function controlEnvOf({ control }: ForkedMockCore): Record<string, string> {
  return { CORE_CONTROL_URL: control.url, CORE_CONTROL_KEY: control.key }
}

/** How many tokens a mock Core issued, and what became of them. */
export async function tokensOf({ control }: ForkedMockCore): Promise<{ issued: number; live: number }> {
  const response = await fetch(`${control.url}/state`, { headers: { Authorization: `Bearer ${control.key}` } })
  return ((await response.json()) as { tokens: { issued: number; live: number } }).tokens
}

/** The result in a folder. */
export function resultIn(folder: string): RunResult {
  return JSON.parse(readFileSync(join(folder, 'reports', 'result.json'), 'utf8')) as RunResult
}

/** The lines of the journal in a folder, without what is sealed; none when there is no journal. */
export function journalIn(folder: string): Record<string, unknown>[] {
  const path = journalPath(folder)
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
  return lines.map(line => JSON.parse(line) as Record<string, unknown>)
}

export function journalPath(folder: string): string {
  return join(folder, 'reports', 'journal.ndjson')
}

/** How many logons of a run were never answered: each may have issued a token that nobody knows. */
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

/** What decides nothing else: ids with their outcomes, what was observed, and the verdict. */
export function essence({ verdict, specs, facts }: RunResult): Record<string, unknown> {
  const outcomes = Object.fromEntries(specs.map(({ id, outcome }) => [id, outcome]))
  return { verdict, outcomes, facts }
}

/** Where two of them differ, in words; empty where they do not. */
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

/** What a trial is made of. */
export interface TrialOptions {
  /** Which specs; empty: all. */
  only: string
  /** What the same run gives when nobody disturbs it. */
  undisturbed: Record<string, unknown>
  /** When each process in a row is killed, as a part of the time that an undisturbed one takes. */
  killsAt: number[]
  /** How long one takes that is not disturbed, without its waits. */
  busyMs: number
}

/** What came of a trial. */
export interface Trial {
  /** Whatever is wrong; empty where all is right. */
  wrong: string[]
  /** How many processes were killed, those before had ended by themselves. */
  kills: number
  lifetimeMs: number
  /** How many processes went on with the work of another. */
  resumes: number
}

/** The outcomes of an undisturbed run, in virtual time, and how long it takes without its waits. */
export function undisturbed(only: string): Promise<{ undisturbed: Record<string, unknown>; busyMs: number }> {
  const lifetimeMs = 3_600_000
  return withMock(lifetimeMs, mock =>
    inFolder(async folder => {
      const env = { ...envOf(mock, lifetimeMs), ...controlEnvOf(mock), CORE_ONLY: notLong(only) }
      const startMs = performance.now()
      const { code, stdout, stderr } = await cli(['run'], { cwd: folder, env, deadlineMs: PATIENCE_MS })
      if (code !== 0) throw new Error(`an undisturbed run ends with ${code}:\n${stdout}\n${stderr}`)
      return { undisturbed: essence(resultIn(folder)), busyMs: performance.now() - startMs }
    }),
  )
}

/**
 * Kills a run, and each process that goes on with it, and lets the last finish. A machine that was too slow for its windows
 * gets more time and another trial; that can hide no wrong outcome, since only what is inconclusive is tried again.
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
    // Whoever finds no journal has nothing to go on with: the process was killed before it sent anything, or at its very end.
    const isFresh = journalIn(folder).length < 2
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

/** Waits until no token is live, which is so a lifetime after the last use of any. */
async function lapsed(mock: ForkedMockCore, lifetimeMs: number): Promise<void> {
  if ((await tokensOf(mock)).live > 0) await sleep(lifetimeMs)
  const { live } = await tokensOf(mock)
  if (live > 0) throw new Error(`${live} tokens are live a lifetime later`)
}
