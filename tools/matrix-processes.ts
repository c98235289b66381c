/** Runs the suite as users do: the command line in a process of its own, on a mock Core in another one. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unpacked } from '../dist/ground/shared-values.js'
import { forkMockCore } from '../dist/mock/index.js'
import type { RunResult } from '../dist/result.js'
import { controlVariablesOf, variablesOf } from './mock-variables.js'

const CLI = fileURLToPath(new URL('../dist/bin.cjs', import.meta.url))
/** Longest run in virtual time, in milliseconds; far longer than needed. */
const HANGS_MS = 300_000

/**
 * Runs the whole suite, in virtual time.
 *
 * @param options the options of the mock Core
 * @param deadlineMs longest exchange
 * @returns the result that the run wrote
 * @throws Error when the run hangs, or wrote none
 */
export async function runInProcesses(
  options: Parameters<typeof forkMockCore>[0],
  { deadlineMs }: { deadlineMs: number },
): Promise<RunResult> {
  const core = await forkMockCore(options)
  const folder = await mkdtemp(join(tmpdir(), 'core-conformance-matrix-'))
  try {
    const args = ['run', '--out', folder, '--reporter', 'json', '--quiet', '--deadline', `${deadlineMs}ms`]
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      ...variablesOf(core, options),
      ...controlVariablesOf(core),
    }
    const output = await new Promise<string>(resolve => {
      execFile(process.execPath, [CLI, ...args], { cwd: folder, env, timeout: HANGS_MS }, (_error, stdout, stderr) =>
        resolve(`${stdout}${stderr}`),
      )
    })
    const text = await readFile(join(folder, 'result.json'), 'utf8').catch(() => {
      throw new Error(`the run wrote no result:\n${output}`)
    })
    return unpacked(JSON.parse(text) as RunResult)
  } finally {
    await core.close()
    await rm(folder, { recursive: true, force: true })
  }
}
