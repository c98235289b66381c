/**
 * The test command: runs every `*.test.ts` of this folder, each in a process of its own, and ends with
 * `N passed, N failed` from the real counts.
 *
 * uvu exits 0 when a hook throws, when a non-Error is thrown, and when `.run()` was forgotten; so this believes no exit
 * code alone: each file must report tests, all of them passed and none skipped.
 */
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

interface Report {
  file: string
  passed: number
  failed: number
  output: string
}

const folder = fileURLToPath(new URL('.', import.meta.url))
const FILE_DEADLINE_MS = 240_000

function runFile(file: string): Promise<Report> {
  return new Promise(resolve => {
    const env = { ...process.env, FORCE_COLOR: '0' }
    const child = spawn(process.execPath, ['--import', 'tsx', file], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const keep = (chunk: Buffer) => {
      output += chunk
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    const timer = setTimeout(() => {
      output += `\n${file} did not end within ${FILE_DEADLINE_MS / 1000} s\n`
      child.kill('SIGKILL')
    }, FILE_DEADLINE_MS)
    child.on('close', code => {
      clearTimeout(timer)
      resolve(toReport(file, output, code))
    })
  })
}

function toReport(file: string, output: string, code: number | null): Report {
  const figure = (name: string) => Number(new RegExp(`^ +${name}: +(\\d+)$`, 'm').exec(output)?.[1] ?? 0)
  const total = figure('Total')
  const passed = figure('Passed')
  const skipped = figure('Skipped')
  if (total > 0 && passed === total && skipped === 0 && code === 0) return { file, passed, failed: 0, output }
  const why = total === 0 ? 'reported no tests' : `exit ${code}, ${passed} of ${total} passed, ${skipped} skipped`
  return { file, passed, failed: Math.max(total - passed, 1), output: `${output}\n${file}: ${why}\n` }
}

const only = process.argv.slice(2)
const files = readdirSync(folder)
  .filter(name => name.endsWith('.test.ts') && (!only.length || only.some(part => name.includes(part))))
  .sort()
const reports: Report[] = []
const waiting = [...files]
async function work(): Promise<void> {
  for (let file = waiting.shift(); file; file = waiting.shift()) {
    const report = await runFile(file)
    reports.push(report)
    process.stdout.write(
      `${report.failed ? '✗' : '✓'} ${file} (${report.passed})\n${report.failed ? report.output : ''}`,
    )
  }
}
await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work))
const sum = (key: 'passed' | 'failed') => reports.reduce((total, report) => total + report[key], 0)
const failed = sum('failed') + (files.length === 0 ? 1 : 0)
process.stdout.write(`${sum('passed')} passed, ${failed} failed\n`)
process.exitCode = failed ? 1 : 0
