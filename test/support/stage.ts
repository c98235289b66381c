/** Runs the product on a mock Core, and leaves the runs unfinished. */
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import type { ForkedMockCore } from '../../dist/mock/index.js'
import { Cli, cli, type Ended, inFolder } from '../cli-support.js'
import { envOf, journalIn, PATIENCE_MS, tokensOf, withMock } from './kills.js'

/** The idle lifetime of the reference, in milliseconds. */
export const HOUR = 3_600_000

/** A few specs of each kind, for tests that only need a run that waits and holds tokens. */
export const SOME =
  'access-with-token,host-missing-logon*,idle-expires*,idle-own-use-only,idle-still-valid,logon-wrong-password,revocation-rejects'

/** A mock Core in another process, a folder, and the variables of a user who runs against it. */
export interface Stage {
  mock: ForkedMockCore
  folder: string
  env: Record<string, string>
}

/** Calls back with a mock Core and a folder. */
export function on<T>(lifetimeMs: number, use: (stage: Stage) => Promise<T>, only = SOME): Promise<T> {
  return withMock(lifetimeMs, mock =>
    inFolder(folder => use({ mock, folder, env: { ...envOf(mock, lifetimeMs), CORE_ONLY: only, CORE_EXPLORE: '0' } })),
  )
}

/** Starts the product as a process. */
export const start = (args: string[], { folder, env }: Omit<Stage, 'mock'>) =>
  new Cli(args, { cwd: folder, env, deadlineMs: PATIENCE_MS })

/**
 * Runs the product to its end; a run that leaves work to another process gets a process of its own.
 * @param code the exit code that it has to end with
 */
export const ran = (args: string[], { folder, env }: Omit<Stage, 'mock'>, code?: number): Promise<Ended> =>
  cli(args, { cwd: folder, env, deadlineMs: PATIENCE_MS, isProcess: args.includes('--detach'), code })

/** Waits until this many units of a run wait for time to pass. */
export function untilWaiting(stage: Omit<Stage, 'mock'>, running: Cli, units = 3): Promise<void> {
  return untilLines(stage, running, 'waits', units)
}

/** Waits until the journal of a run has this many lines of a type. */
async function untilLines({ folder }: Omit<Stage, 'mock'>, running: Cli, wanted: string, least: number): Promise<void> {
  let over = false
  void running.ended.then(() => {
    over = true
  })
  while (linesOf(folder).filter(type => type === wanted).length < least) {
    if (over) throw new Error(`it ended without ${least} lines '${wanted}':\n${running.stdout}\n${running.stderr}`)
    await sleep(20)
  }
}

/** Returns the types of the lines of the journal in a folder. */
export const linesOf = (folder: string) => journalIn(folder).map(({ type }) => type)

/** Kills a process and waits for its end. */
export async function kill(running: Cli): Promise<void> {
  running.child.kill('SIGKILL')
  assert.is((await running.ended).signal, 'SIGKILL')
}

/** Starts a run and kills it while it waits. */
export async function killed(stage: Stage, args: string[] = []): Promise<void> {
  const running = start(['run', ...args], stage)
  await untilWaiting(stage, running)
  await kill(running)
}

/** Starts a run and kills it while it waits, when its key is in its journal: then copies of the journal can be resumed. */
export async function killedWithKey(stage: Stage): Promise<void> {
  const running = start(['run'], stage)
  await untilWaiting(stage, running)
  await untilLines(stage, running, 'key', 1)
  await kill(running)
}

/** Asserts that no token is live, except tokens of logons whose answer nobody saw. */
export async function assertGivenBack({ mock }: Stage, inFlight = 0): Promise<void> {
  const { live, issued } = await tokensOf(mock)
  assert.ok(issued > 0)
  assert.ok(live <= inFlight, `${live} tokens are live, with ${inFlight} logons in flight`)
}
