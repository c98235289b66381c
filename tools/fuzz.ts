/**
 * Runs the product as users do against a hostile Core, with one seed after another, for a number of seconds. On any answers of
 * the Core: the run ends in time with exit code 0, 1, 2 or 3; all reports are valid; no secret shows; memory and journal are
 * bounded; and no request goes elsewhere.
 *
 * Prints each failing seed with the command that repeats it, and a summary. Exit code 1 when any failed.
 * Usage: npm run fuzz -- SECONDS [--seed N] (with 0 seconds: that seed alone)
 */
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { testCertificate } from '../test/support/certificate.js'
import { FuzzCore, PASSWORD } from '../test/support/fuzz/core.js'
import { faultsOf } from '../test/support/fuzz/oracle.js'
import { ANYWHERE } from '../test/support/reporters.js'

const PROGRAM = fileURLToPath(new URL('../dist/bin.cjs', import.meta.url))
/** The time that a run may lose to the Core. */
const PATIENCE_S = 60
/**
 * That time, and the time of complete answers: some 2,000 answers of a quick run with second tries, 120 ms each on a busy
 * machine.
 */
const MOST_MS = PATIENCE_S * 1000 + 240_000
const MOST_MEMORY_MB = 300
const MOST_JOURNAL_MB = 20

const [seconds, flag, given] = process.argv.slice(2)
const first = flag === '--seed' ? Number(given) : randomInt(2 ** 31)
if (!/^\d+$/.test(seconds ?? '') || !Number.isInteger(first) || (flag !== undefined && flag !== '--seed')) {
  process.stderr.write('Usage: npm run fuzz -- SECONDS [--seed N], both whole numbers\n')
  process.exit(2)
}

const certificate = await testCertificate()
const endsMs = performance.now() + Number(seconds) * 1000
const sum = { runs: 0, answers: 0, failed: 0, memoryMb: 0, journalMb: 0, longestMs: 0 }
const codes = new Map<number | null, number>()

/** Returns the peak memory of a process, where this machine provides it. */
function peakMb(pid: number | undefined): number {
  try {
    const [, kilobytes = '0'] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kilobytes) / 1024
  } catch {
    return 0
  }
}

async function trial(seed: number): Promise<string[]> {
  const core = await new FuzzCore({
    seed,
    certificate,
    honest: seed % 4 ? 40 : 0,
    rate: seed % 4 === 1 ? 1 : 0.7,
  }).start()
  const cwd = mkdtempSync(join(tmpdir(), 'core-conformance-fuzz-'))
  try {
    const { PATH = '' } = process.env
    const env = {
      PATH,
      HOME: cwd,
      CORE_URL: core.url.origin,
      CORE_USERNAME: 'admin',
      CORE_PASSWORD: PASSWORD,
      CORE_FINGERPRINT: certificate.fingerprint,
      CORE_REPORTER: ANYWHERE,
    }
    const startedMs = performance.now()
    const args = ['run', '--profile', 'quick', '--deadline', '500ms', '--patience', `${PATIENCE_S}s`]
    const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, env })
    const texts: Record<string, string> = { stdout: '', stderr: '' }
    child.stdout.on('data', chunk => {
      texts.stdout += chunk
    })
    child.stderr.on('data', chunk => {
      texts.stderr += chunk
    })
    let memoryMb = 0
    let journalMb = 0
    const watch = setInterval(() => {
      const journal = statSync(join(cwd, 'reports', 'journal.ndjson'), { throwIfNoEntry: false })
      journalMb = Math.max(journalMb, (journal?.size ?? 0) / 1e6)
      memoryMb = Math.max(memoryMb, peakMb(child.pid))
      if (performance.now() - startedMs > MOST_MS) child.kill('SIGKILL')
    }, 50)
    const code = await new Promise<number | null>(resolve => child.once('close', resolve))
    clearInterval(watch)
    const tookMs = performance.now() - startedMs
    for (const { name, parentPath } of readdirSync(join(cwd, 'reports'), {
      recursive: true,
      withFileTypes: true,
    }).filter(entry => entry.isFile())) {
      // A journal exists only while work is left; its secrets are sealed.
      texts[name] = readFileSync(join(parentPath, name), 'utf8')
    }
    codes.set(code, (codes.get(code) ?? 0) + 1)
    sum.runs++
    sum.answers += core.spoilt
    sum.memoryMb = Math.max(sum.memoryMb, memoryMb)
    sum.journalMb = Math.max(sum.journalMb, journalMb)
    sum.longestMs = Math.max(sum.longestMs, tookMs)
    return [
      ...faultsOf(texts),
      ...(code !== null && [0, 1, 2, 3].includes(code) ? [] : [`the exit code is ${code}`]),
      ...(tookMs > MOST_MS ? [`it took ${Math.round(tookMs / 1000)} s`] : []),
      ...(memoryMb > MOST_MEMORY_MB ? [`it took ${Math.round(memoryMb)} MB of memory`] : []),
      ...(journalMb > MOST_JOURNAL_MB ? [`its journal grew to ${Math.round(journalMb)} MB`] : []),
      ...(core.trapped ? [`${core.trapped} connections went where the Core said`] : []),
    ]
  } finally {
    await core.close()
    rmSync(cwd, { recursive: true, force: true })
  }
}

for (let seed = first; seed === first || performance.now() < endsMs; seed++) {
  const faults = await trial(seed)
  if (!faults.length) continue
  sum.failed++
  process.stdout.write(
    `seed ${seed}:\n${faults.map(fault => `  ${fault}\n`).join('')}  repeat it with: npm run fuzz -- 0 --seed ${seed}\n`,
  )
}
const told = [...codes].sort().map(([code, count]) => `${count} × exit ${code}`)
process.stdout.write(
  `seeds ${first} to ${first + sum.runs - 1}: ${sum.runs} runs (${told.join(', ')}), ${sum.answers} spoilt answers, ${sum.failed} failed; at most ${Math.round(sum.memoryMb)} MB of memory, a journal of ${sum.journalMb.toFixed(1)} MB and ${Math.round(sum.longestMs / 1000)} s\n`,
)
process.exitCode = sum.failed ? 1 : 0
