/**
 * Kills runs of the full suite at random points with SIGKILL, on a mock Core in another process and in real time, and lets
 * `resume` finish them, until enough processes were killed. Verdict, outcomes and facts must equal those of an undisturbed run,
 * and no token may be forgotten.
 *
 * Prints the result of each trial, and a summary. Exit code 1 when anything differs.
 * Usage: npm run kills [-- KILLS [SEED]]
 */
import { randomInt } from 'node:crypto'
import { randomFrom } from '../dist/ground/random.js'
import { killAndResume, undisturbed } from '../test/support/kills.js'

/** Most processes of a run that are killed in a row. */
const MOST_IN_A_ROW = 3
/** Trials side by side: they wait for most of their time. */
const WORKERS = 2

const [wanted, seed] = [Number(process.argv[2] ?? 100), Number(process.argv[3] ?? randomInt(2 ** 31))]
if (!Number.isInteger(wanted) || wanted < 1 || !Number.isInteger(seed)) {
  process.stderr.write('Usage: npm run kills [-- KILLS [SEED]], both whole numbers\n')
  process.exit(2)
}

const random = randomFrom(seed)
const baseline = await undisturbed('')
const sum = { kills: 0, trials: 0, resumes: 0, wrong: 0 }

async function work(): Promise<void> {
  while (sum.kills < wanted) {
    const row = Math.min(1 + Math.floor(random() * MOST_IN_A_ROW), wanted - sum.kills)
    const killsAt = Array.from({ length: row }, random)
    const { kills, resumes, lifetimeMs, wrong } = await killAndResume({ only: '', ...baseline, killsAt }).catch(
      (error: Error) => ({ kills: row, resumes: 0, lifetimeMs: 0, wrong: [error.message] }),
    )
    sum.kills += kills
    sum.trials++
    sum.resumes += resumes
    if (wrong.length) sum.wrong++
    const points = killsAt.map(part => `${(part * 100).toFixed(1)} %`).join(', ')
    const what = wrong.length ? `DIFFERS\n  ${wrong.join('\n  ')}` : 'equal'
    process.stdout.write(`${sum.kills}/${wanted} kills at ${points}, lifetime ${lifetimeMs} ms: ${what}\n`)
  }
}
const startMs = performance.now()
await Promise.all(Array.from({ length: WORKERS }, work))

const { kills, trials, resumes, wrong } = sum
process.stdout.write(
  `${kills} kills in ${trials} runs, ${resumes} times resumed, ${wrong} runs that differ from an undisturbed one; seed ${seed}, ${((performance.now() - startMs) / 1000).toFixed(0)} s\n`,
)
process.exitCode = wrong ? 1 : 0
