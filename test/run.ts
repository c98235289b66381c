/**
 * The test command: runs every `*.test.ts` of this folder, and ends with `N passed, N failed` from the real counts.
 *
 * Files share a process, one after another (support/rooms.ts): a start takes a quarter of a second, and code that is warm half the
 * time of code that is cold.
 *
 * uvu exits 0 when a hook throws, when a non-Error is thrown, and when `.run()` was forgotten. So no exit code alone counts:
 * each file must report tests, all of them passed. A test may be skipped (support/skip.ts), if the file says why.
 *
 * Tests that are marked as `long` (support/long.ts) are left out unless --all is given, or a part of a file name without --short.
 *
 * The longest files go first, as many at a time as the processors bear. costs-short.json holds the cost of each, costs.json that
 * with long tests. --record writes it anew; use it on an otherwise idle machine.
 *
 * Usage: npm test -- [--all | --short] [--record] [--folder FOLDER] [--deadline SECONDS] [PART OF A FILE NAME ...]
 */
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { LATER } from '../dist/ground/optimize-later.js'
import { compileTests, jsOf } from './support/compiled.js'
import { BEGINS, ENDS, roomsOf } from './support/rooms.js'
import { type Costs, costOf, cpuOf, readCosts, Schedule, writeCosts } from './support/schedule.js'

interface Report {
  file: string
  passed: number
  failed: number
  /** Tests that were skipped, each with a reason. */
  skipped: number
  output: string
}

interface End {
  code: number | null
  signal: NodeJS.Signals | null
  timedOut: boolean
  /** Whether it went on when all of its tests had ended. */
  isLeft: boolean
}

const { values, positionals: only } = parseArgs({
  allowPositionals: true,
  options: {
    folder: { type: 'string', default: fileURLToPath(new URL('.', import.meta.url)) },
    deadline: { type: 'string', default: '900' },
    record: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
  },
})
const { folder } = values
const isShort = values.short || (!values.all && only.length === 0)
const deadlineMs = Number(values.deadline) * 1000
/** The cost of a file differs where its long tests are left out. */
const COSTS_FILE = fileURLToPath(new URL(isShort ? 'costs-short.json' : 'costs.json', import.meta.url))
/** How long a file may go on after it has reported its counts: the processes that it started take a moment to end. */
const LEAVE_MS = 20_000
/** Interval between looks at the processor time, which is lost when the process ends. */
const SAMPLE_MS = 200
const recorded: Costs = {}
/** The end of a file after which the process went on with the next. */
const WELL: End = { code: 0, signal: null, timedOut: false, isLeft: false }

/** Runs files one after another in a process, and reports on each. */
async function runRoom(room: readonly string[]): Promise<void> {
  const startedMs = performance.now()
  const { output, end, cpu } = await ended(room)
  const seconds = (performance.now() - startedMs) / 1000
  const [, ...parts] = output.split(BEGINS)
  const begun = room.slice(0, Math.max(parts.length, 1))
  // What ended the process concerns the file that was at work. Of the others their counts tell.
  for (const [at, file] of begun.entries()) {
    recorded[file] = { seconds: round(seconds), cpu: round(cpu) }
    show(toReport(file, parts[at] ?? output, at === begun.length - 1 ? end : WELL))
  }
  const rest = room.slice(begun.length)
  if (rest.length) await runRoom(rest)
}

function ended(room: readonly string[]): Promise<{ output: string; end: End; cpu: number }> {
  return new Promise(resolve => {
    // A temporary folder for each file, so that no test sees files of another, and all of them are removed.
    const places = room.map(file => {
      const tmp = mkdtempSync(join(compiled.folder, 'tmp-'))
      chmodSync(tmp, 0o755)
      return [tmp, join(compiled.folder, jsOf(file))]
    })
    const env = { ...process.env, FORCE_COLOR: '0', TESTS: isShort ? 'short' : 'all', TMPDIR: places[0]?.[0] }
    // A process group for each, so that the processes that it started can be ended with it.
    const child = spawn(process.execPath, [...LATER, '--enable-source-maps', ROOM, BEGINS, ENDS, ...places.flat()], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let output = ''
    let timedOut = false
    let isLeft = false
    let leaving: NodeJS.Timeout | undefined
    const keep = (chunk: Buffer) => {
      output += chunk
      // Open handles of a failed test keep the process alive for ever.
      if (!leaving && output.includes(ENDS)) {
        leaving = setTimeout(
          () => {
            isLeft = true
            endGroup(child.pid)
          },
          Math.min(LEAVE_MS, deadlineMs / 2),
        )
      }
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    const timer = setTimeout(() => {
      timedOut = true
      endGroup(child.pid)
      // A process that left the group still holds them open.
      child.stdout.destroy()
      child.stderr.destroy()
    }, deadlineMs)
    running.add(child.pid)
    let cpu = 0
    const sampling = setInterval(() => {
      cpu = cpuOf(child.pid ?? 0) ?? cpu
    }, SAMPLE_MS)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      clearInterval(sampling)
      clearTimeout(leaving)
      running.delete(child.pid)
      resolve({ output: output.replaceAll(ENDS, ''), end: { code, signal, timedOut, isLeft }, cpu })
    })
  })
}

/** Rounds to tenths: finer differences are noise. */
const round = (seconds: number) => Math.round(seconds * 10) / 10

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}

function toReport(file: string, output: string, { code, signal, timedOut, isLeft }: End): Report {
  // The last counts are uvu's; a test may have printed similar lines before.
  const figure = (name: string) =>
    Number([...output.matchAll(new RegExp(`^ +${name}: +(\\d+)$`, 'gm'))].at(-1)?.[1] ?? 0)
  const total = figure('Total')
  const passed = figure('Passed')
  const skipped = figure('Skipped')
  const reasons = reasonsIn(output).length
  const unexplained = Math.max(skipped - reasons, 0)
  const missing = suitesNotRun(file)
  const isRight =
    total + skipped > 0 && passed === total && !unexplained && !missing && code === 0 && !timedOut && !isLeft
  if (isRight) return { file, passed, failed: 0, skipped, output }
  const why = [
    timedOut && `did not end within ${deadlineMs / 1000} s`,
    isLeft && 'went on after its tests had ended',
    !timedOut && !isLeft && code !== 0 && (signal ? `ended by ${signal}` : `exit ${code}`),
    total + skipped === 0 ? 'reported no tests' : `${passed} of ${total} passed`,
    unexplained > 0 && `${unexplained} skipped without a reason`,
    missing > 0 && `${missing} of its suites never run`,
  ]
  const told = why.filter(Boolean).join(', ')
  const failed = Math.max(total - passed + unexplained, 1)
  return { file, passed, failed, skipped: skipped - unexplained, output: `${output}\n${file}: ${told}\n` }
}

/** Returns the lines by which a file says why a test was skipped. */
function reasonsIn(output: string): string[] {
  return output.match(/^skipped: .*$/gm) ?? []
}

/** Counts the suites of a file that never run: uvu does not report them, and the others may all pass. */
function suitesNotRun(file: string): number {
  const source = readFileSync(join(folder, file), 'utf8')
  const count = (pattern: RegExp) => source.match(pattern)?.length ?? 0
  return Math.max(0, count(/^(?:export )?(?:const|let|var) \w+ = suite[<(]/gm) - count(/^\w+\.run\(\)/gm))
}

const compiled = await compileTests(folder)
/** What runs in each process. */
const ROOM = fileURLToPath(new URL('support/room.mjs', import.meta.url))
const running = new Set<number | undefined>()
// A Ctrl-C does not reach other process groups by itself.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    for (const pid of running) endGroup(pid)
    compiled.remove()
    process.exit(1)
  })
}
const files = readdirSync(folder)
  .filter(name => name.endsWith('.test.ts') && (!only.length || only.some(part => name.includes(part))))
  .sort()
const reports: Report[] = []
function show(report: Report): void {
  reports.push(report)
  const { file, passed, failed, output } = report
  const mark = failed ? '✗' : passed ? '✓' : '–'
  const more = failed ? [output] : reasonsIn(output).map(line => `  ${line}\n`)
  process.stdout.write(`${mark} ${file} (${passed})\n${more.join('')}`)
}

const costs = readCosts(COSTS_FILE)
// A cost is that of one file.
const rooms = roomsOf(folder, files, costs, values.record)
const roomCosts = Object.fromEntries([...rooms].map(([name, room]) => [name, costOf(costs, ...room)]))
const schedule = new Schedule([...rooms.keys()], roomCosts, availableParallelism(), values.record)
await new Promise<void>(resolve => {
  let open = rooms.size
  if (open === 0) resolve()
  const next = () => {
    for (let name = schedule.take(); name !== undefined; name = schedule.take()) {
      const taken = name
      void runRoom(rooms.get(taken) ?? []).then(() => {
        schedule.ended(taken)
        if (--open === 0) resolve()
        next()
      })
    }
  }
  next()
})
if (values.record) {
  const isThere = (name: string) => only.length > 0 || files.includes(name)
  writeCosts(
    COSTS_FILE,
    Object.fromEntries(Object.entries({ ...costs, ...recorded }).filter(([name]) => isThere(name))),
  )
}
compiled.remove()
const sum = (key: 'passed' | 'failed' | 'skipped') => reports.reduce((total, report) => total + report[key], 0)
if (!files.length) process.stdout.write('there is no such test file\n')
const failed = sum('failed') + (files.length === 0 ? 1 : 0)
if (sum('skipped')) process.stdout.write(`${sum('skipped')} skipped\n`)
process.stdout.write(`${sum('passed')} passed, ${failed} failed\n`)
process.exitCode = failed ? 1 : 0
