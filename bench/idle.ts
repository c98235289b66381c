/**
 * Times the full suite at an idle lifetime of ten seconds, in real time, against a mock Core in another process. Prints the
 * number of lifetimes from start to end, the planned figure, and the sum of all waits. That sum is the time of a tool that
 * waits one after another. For reading, not for passing.
 *
 * Usage: npm run bench:idle [-- ROUNDS]
 */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { forkMockCore } from '../dist/mock/index.js'
import type { RunResult } from '../src/result.js'
import { variablesOf } from '../tools/mock-variables.js'

const CLI = fileURLToPath(new URL('../dist/bin.cjs', import.meta.url))
const LIFETIME_MS = 10_000
const rounds = Number(process.argv[2] ?? 3)
const password = 'Bench-Secret-1'

const folder = mkdtempSync(join(tmpdir(), 'core-conformance-bench-'))
const mock = await forkMockCore({ username: 'admin', password, idleLifetimeMs: LIFETIME_MS })
try {
  const env = {
    ...process.env,
    ...variablesOf(mock, { username: 'admin', password }),
    CORE_OUT: folder,
  }
  const walls: number[] = []
  for (let round = 1; round <= rounds; round++) {
    const startMs = performance.now()
    const { status, stderr } = spawnSync(process.execPath, [CLI, 'run', '--idle-lifetime', `${LIFETIME_MS}ms`], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const wallMs = performance.now() - startMs
    const { plan, counts, verdict, reason } = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8')) as RunResult
    if (status !== 0) throw new Error(`the run ended with ${status}, ${verdict}: ${reason}\n${stderr}`)
    walls.push(wallMs)
    const lifetimes = (ms: number) => (ms / LIFETIME_MS).toFixed(2)
    process.stdout.write(
      `round ${round}: ${counts.selected} specs, lifetime ${LIFETIME_MS / 1000} s
  wall ÷ lifetime        ${lifetimes(wallMs)}
  planned ÷ lifetime     ${lifetimes(plan.durationMs)}
  all waits ÷ lifetime   ${lifetimes(plan.oneByOneMs)}
`,
    )
  }
  const median = walls.sort((a, b) => a - b)[Math.floor(walls.length / 2)] ?? 0
  process.stdout.write(`median of ${rounds} rounds: ${(median / LIFETIME_MS).toFixed(2)} lifetimes\n`)
} finally {
  await mock.close()
  rmSync(folder, { recursive: true, force: true })
}
