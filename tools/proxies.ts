/**
 * Puts proxies that limit their clients (nginx, HAProxy and Apache, as Debian has them) before an honest mock Core, and runs
 * the suite through each. A proxy may accuse nobody: the run has to end with exit code 0, with as many specs judged as through
 * the same proxy without a limit, in no more time than its requests (errors, connections) take at that rate and 15 s, and it has to tell the limit,
 * within a fifth.
 *
 * Prints a line for each proxy, and below it what the run told that it does not tell without the limit. Exit code 1 where one
 * is wrong. What is not installed is skipped, with the command that installs it.
 * Usage: npm run proxies [-- [--full] [--defect NAME] [--target URL] [--seconds N] NAME…]
 *
 * Each NAME is the beginning of a name; without one, all are tried, in some twenty minutes. --full runs the full profile, in
 * virtual time: the rate of a proxy stays one in real time. --defect gives the mock Core a defect, which must be seen: exit code
 * 1, and a requirement accused that it breaks. --target puts the proxies before a Core on 127.0.0.1 that runs already;
 * CORE_USERNAME, CORE_PASSWORD and further variables of a run say the rest. --seconds is when a run is given up, 300 by default.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { unpacked } from '../dist/ground/shared-values.js'
import { forkMockCore, listDefects, makeCertificate } from '../dist/mock/index.js'
import { isJudged } from '../dist/result/outcomes.js'
import type { RunResult } from '../dist/result.js'
import { controlVariablesOf, variablesOf } from './mock-variables.js'
import { lackOf, PROGRAMS, WAYS, type Way } from './proxy-ways.js'

const CLI = fileURLToPath(new URL('../dist/bin.cjs', import.meta.url))
const USER = { username: 'admin', password: 'Proxy-Secret-1' }
/** How much longer than its requests at the rate a run may take, in milliseconds. */
const GRACE_MS = 15_000
/** How far a told figure may be from the true one. */
const TOLERANCE = 0.2
/** What cannot be true of a mock Core behind a proxy, whatever the proxy does. */
const UNTRUE = /\broom for\b|\brestarted\b|not independent/
/** Longest time until a proxy listens, or a run that was interrupted ends, in milliseconds. */
const PATIENCE_MS = 30_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    full: { type: 'boolean', default: false },
    defect: { type: 'string' },
    target: { type: 'string' },
    seconds: { type: 'string', default: '300' },
  },
})
const defect = (await listDefects()).find(({ name }) => name === values.defect)
if (values.defect !== undefined && defect === undefined) throw new Error(`there is no defect '${values.defect}'`)
const chosen = WAYS.filter(({ name }) => positionals.length === 0 || positionals.some(part => name.startsWith(part)))
if (chosen.length === 0) throw new Error(`no such proxy; there are ${WAYS.map(({ name }) => name).join(', ')}`)

/** A run through a proxy. */
interface Trial {
  /** The exit code; null where it was given up. */
  exit: number | null
  /** Undefined where it wrote none. */
  result?: RunResult
  requests: number
  /** How many were answered with an error of the client, by the Core or, where it is none of the limit, by the proxy. */
  errors: number
  /** How many connections they came on, as far as the proxy writes it down. */
  opens: number
  elapsedMs: number
}

function freePort(): Promise<number> {
  return new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

async function untilListening(port: number, proxy: ChildProcess, output: () => string): Promise<void> {
  const untilMs = performance.now() + PATIENCE_MS
  while (performance.now() < untilMs && proxy.exitCode === null) {
    const isThere = await new Promise<boolean>(resolve => {
      const socket = connect(port, '127.0.0.1', () => resolve(true))
      socket.on('error', () => resolve(false)).on('connect', () => socket.destroy())
    })
    if (isThere) return
    await sleep(50)
  }
  throw new Error(`the proxy does not listen: ${output()}`)
}

const textOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '')

function started<T extends ChildProcess>(child: T): T {
  const stop = () => child.kill('SIGTERM')
  process.once('exit', stop)
  child.once('exit', () => process.off('exit', stop))
  return child
}

const exitOf = (child: ChildProcess) => new Promise<number | null>(resolve => child.once('exit', code => resolve(code)))

/** The Core that the proxies stand before, with the variables of a run against it. */
async function startCore(): Promise<{ port: number; env: Record<string, string | undefined>; close(): Promise<void> }> {
  if (values.target !== undefined)
    return { port: Number(new URL(values.target).port), env: process.env, async close() {} }
  const core = await forkMockCore({ ...USER, ...(defect && { defect: defect.name }) })
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('CORE_'))
  const env = { ...Object.fromEntries(own), ...variablesOf(core, USER), ...(values.full && controlVariablesOf(core)) }
  return { port: Number(new URL(core.url).port), env, close: () => core.close() }
}

/** Runs the suite through a proxy. @throws Error when the proxy does not start */
async function tryOut({ program, limit }: Way): Promise<Trial> {
  const folder = mkdtempSync(join(tmpdir(), 'core-conformance-proxies-'))
  chmodSync(folder, 0o755) // workers of a proxy that root starts are another user
  const core = await startCore()
  const [{ certificate, privateKey, fingerprint }, port] = await Promise.all([makeCertificate(), freePort()])
  writeFileSync(join(folder, 'cert.pem'), certificate)
  writeFileSync(join(folder, 'cert.pem.key'), privateKey)
  writeFileSync(join(folder, 'refused.asis'), 'Status: 406 Not Acceptable\n\n')
  const { path, args, configuration } = PROGRAMS[program]
  const file = join(folder, 'proxy.conf')
  writeFileSync(file, configuration({ port, core: core.port, folder }, limit))
  const proxy = started(spawn(path, args(file), { stdio: ['ignore', 'pipe', 'pipe'] }))
  const proxyEnded = exitOf(proxy)
  let output = ''
  for (const stream of [proxy.stdout, proxy.stderr]) stream.on('data', data => (output += data))
  try {
    await untilListening(port, proxy, () => `${output}${textOf(join(folder, 'error.log'))}`)
    const startedMs = performance.now()
    const run = started(
      spawn(
        process.execPath,
        [CLI, 'run', '--profile', values.full ? 'full' : 'quick', '--out', join(folder, 'out'), '--reporter', 'json'],
        {
          cwd: folder,
          env: { ...core.env, CORE_URL: `https://127.0.0.1:${port}`, CORE_FINGERPRINT: fingerprint },
          stdio: 'ignore',
        },
      ),
    )
    const ended = exitOf(run)
    const isOver = await Promise.race([
      ended.then(() => true),
      sleep(Number(values.seconds) * 1000, false, { ref: false }),
    ])
    const elapsedMs = performance.now() - startedMs
    if (!isOver) {
      run.kill('SIGINT') // it gives its tokens back, and writes what it has
      if (!(await Promise.race([ended.then(() => true), sleep(PATIENCE_MS, false, { ref: false })])))
        run.kill('SIGKILL')
    }
    const exit = await ended
    const written = textOf(join(folder, 'out', 'result.json'))
    const handed = textOf(join(folder, 'handed.log')) || output
    const lines = handed.split('\n')
    return {
      exit: isOver ? exit : null,
      ...(written && { result: unpacked(JSON.parse(written) as RunResult) }),
      requests: lines.filter(line => /^[A-Z]+ \S+ \d{3}/.test(line) && !line.includes(' <NOSRV>')).length,
      errors: lines.filter(line => / 4\d\d(?: |$)/.test(line) && !/ 403 <NOSRV>/.test(line)).length,
      opens: new Set(lines.flatMap(line => / (\d{4,})$/.exec(line)?.[1] ?? [])).size,
      elapsedMs,
    }
  } finally {
    proxy.kill('SIGTERM')
    await Promise.all([core.close(), proxyEnded])
    rmSync(folder, { recursive: true, force: true })
  }
}

const judgedIn = (trial: Trial) => trial.result?.specs.filter(isJudged).map(({ id }) => id) ?? []
const toldIn = ({ result }: Trial) => [
  ...(result?.notices ?? []),
  ...(result?.events ?? []).map(({ text }) => text),
  ...(result?.advice ? [result.advice] : []),
]
const notMetIn = ({ result }: Trial) =>
  (result?.requirements ?? []).filter(({ state }) => state === 'not met').map(({ id }) => id)

/** Says what is wrong with a trial. @param without the trial through the same proxy without a limit */
function faultsOf(
  trial: Trial,
  without: Trial,
  { perSecond, errorsPerSecond, opensPerSecond, told, lost: alwaysLost = [] }: Way,
): string[] {
  const { exit, result, requests, errors, opens, elapsedMs } = trial
  const judged = new Set(judgedIn(trial))
  const lost = judgedIn(without).filter(id => !judged.has(id) && !alwaysLost.includes(id))
  const untold = toldIn(trial).filter(sentence => !toldIn(without).includes(sentence))
  const figures = told ? untold.flatMap(sentence => told.words.exec(sentence)?.[1] ?? []).map(Number) : []
  const leastMs = [
    requests / (perSecond ?? Number.POSITIVE_INFINITY),
    errors / (errorsPerSecond ?? Number.POSITIVE_INFINITY),
    opens / (opensPerSecond ?? Number.POSITIVE_INFINITY),
  ]
  const allowedMs = Math.max(without.elapsedMs, ...leastMs.map(each => each * 1000)) + GRACE_MS
  const notMet = notMetIn(trial)
  const isSeen = defect !== undefined && notMet.some(id => defect.requirements.includes(id))
  const wrongly = notMet.filter(id => ![...(defect?.requirements ?? []), ...(defect?.mayAlso ?? [])].includes(id))
  const before = notMetIn(without)
  return [
    ...(exit === null ? [`not over after ${values.seconds} s`] : []),
    ...(exit !== null && exit !== without.exit ? [`exit ${exit}, without the limit ${without.exit}`] : []),
    ...(result === undefined ? ['no result'] : []),
    ...(defect !== undefined && !isSeen ? [`${defect.name} not seen`] : []),
    ...wrongly.filter(id => !before.includes(id)).map(id => `${id} accused`),
    ...(defect === undefined && lost.length > 0
      ? [`${lost.length} specs not judged: ${lost.slice(0, 5).join(', ')}…`]
      : []),
    ...(elapsedMs > allowedMs ? [`longer than ${seconds(allowedMs)}`] : []),
    ...(told && figures.length === 0 ? ['the limit is not told'] : []),
    ...figures
      .filter(figure => told && Math.abs(figure - told.figure) > told.figure * TOLERANCE)
      .map(figure => `told ${figure} for ${told?.figure}`),
    ...untold.filter(sentence => UNTRUE.test(sentence)).map(sentence => `untrue: ${sentence}`),
  ]
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(0)} s`
const say = (line: string) => process.stdout.write(`${line}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const plain = new Map<string, Trial>()
let isWrong = false

async function withoutLimit(program: Way['program']): Promise<Trial> {
  const known = plain.get(program)
  if (known) return known
  const trial = await tryOut({ name: program, program, does: 'no limit', limit: {} })
  plain.set(program, trial)
  return trial
}

for (const way of chosen) {
  const { name, program, does } = way
  const lack = lackOf(way)
  if (lack !== undefined) {
    say(`skipped  ${name}: ${lack}`)
    continue
  }
  const without = await withoutLimit(program)
  const trial = way.name === program ? without : await tryOut(way)
  const faults = faultsOf(trial, without, way)
  isWrong ||= faults.length > 0
  const { exit, result, requests, elapsedMs } = trial
  const verdict = `exit ${exit ?? '-'}, ${result?.verdict ?? 'no verdict'}`
  const figures = [
    `${judgedIn(trial).length} of ${judgedIn(without).length} specs judged`,
    `${requests} requests`,
    ...(way.errorsPerSecond ? [`${trial.errors} errors`] : []),
    ...(way.opensPerSecond ? [`${trial.opens} connections`] : []),
    seconds(elapsedMs),
  ]
  say(`${faults.length > 0 ? 'WRONG' : 'right'}  ${name} (${does}): ${verdict}, ${figures.join(', ')}`)
  for (const fault of faults) say(`         ! ${fault}`)
  if (result && notMetIn(trial).length > 0) say(`         accused: ${notMetIn(trial).join(', ')}`)
  const known = way.name === program ? [] : toldIn(without)
  for (const sentence of toldIn(trial).filter(each => !known.includes(each))) say(`         told: ${sentence}`)
}
process.exitCode = isWrong ? 1 : 0
