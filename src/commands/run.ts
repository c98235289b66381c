import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { access, constants, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type RunConfig, runConfig } from '../config/run.js'
import { ConfigError, type Settings } from '../config/settings.js'
import { type ControlEndpoint, controlledClock, realClock } from '../engine/clock.js'
import { runSuite } from '../engine/run.js'
import type { ForkedMockCore } from '../mock/index.js'
import { createProgress, REPORTERS, type Reporter, renderConsole, writeReports } from '../report/index.js'
import { inert } from '../report/inert.js'
import { createFolder, explained } from '../report/write.js'
import type { RunResult, Verdict } from '../result.js'
import { selectSpecs } from '../suite/select.js'
import { askPassword, type Terminal, untilSignal } from '../terminal.js'
import { loadSpecs, PACKAGE } from './suite.js'

/** The exit code of each verdict. */
export const EXIT_CODES: Record<Verdict, number> = { conformant: 0, nonconformant: 1, incomplete: 3, untestable: 3 }

/**
 * `core-conformance run`: runs the suite, writes the reports and tells the verdict.
 * @returns the exit code
 * @throws ConfigError, SuiteError or SelectionError before anything is sent
 */
export async function run(settings: Settings, terminal: Terminal): Promise<number> {
  const config = runConfig(settings)
  const suite = await loadSpecs(config.specFolders)
  const specs = selectSpecs(suite.specs, config.configuration.only, settings.get('only')?.label)
  await prepareFolder(config)
  const contracts = config.contracts.consumers.length ? await import('./contract-files.js') : undefined
  await contracts?.prepareContracts(config.contracts, specs, settings.get('interactions')?.label)
  const { version } = JSON.parse(readFileSync(new URL('package.json', PACKAGE), 'utf8')) as { version: string }
  const signal = untilSignal(terminal, 'Interrupted: revoking tokens and writing the reports. Once more stops at once.')
  const console = config.reporters.includes('console')
  const progress = console ? createProgress(terminal.stderr) : undefined
  const { core, mock } = await opponent(config, terminal)
  let result: RunResult
  try {
    const clock = core.control ? controlledClock(core.control) : realClock()
    result = await runSuite({
      suite,
      specs,
      target: core.target,
      targetKind: mock ? 'mock' : 'core',
      configuration: config.configuration,
      ...(config.tokenField !== undefined && { tokenField: config.tokenField }),
      clock,
      signal,
      // Virtual time is over before anybody could read what is waited for.
      ...(progress &&
        !clock.leap && { observer: { waiting: next => next && progress.waiting(epoch(next, clock.now())) } }),
      suiteVersion: version,
    })
  } finally {
    progress?.stop()
    await mock?.close()
  }
  const { stdout, stderr, color } = terminal
  if (console) stdout.write(renderConsole(result, { columns: stdout.columns ?? 80, color }))
  else stderr.write(`${verdictLine(result)}\n`)
  const code = await writeFiles(result, config, terminal)
  if (!contracts || signal.aborted) return code
  const isWritten = await contracts.writeContracts(result, config.contracts, terminal, { told: console, signal })
  return isWritten ? code : code || EXIT_CODES.incomplete
}

/**
 * Writes the reports that are files, and gives the exit code. A run without the evidence that was asked for is not whole;
 * that the Core was seen to fail stays true.
 */
async function writeFiles(result: RunResult, config: RunConfig, { stdout, stderr }: Terminal): Promise<number> {
  const code = EXIT_CODES[result.verdict]
  try {
    const written = await writeReports(result, config)
    if (config.reporters.includes('console') && written.length) stdout.write(`Reports: ${written.join(', ')}\n`)
    return code
  } catch (error) {
    stderr.write(`core-conformance: ${error instanceof Error ? error.message : String(error)}\n`)
    return code || EXIT_CODES.incomplete
  }
}

/**
 * Sees to it that the reports can be written, before a run of an hour is made for nothing, and takes those of an earlier run
 * away: after a run that was killed, CI must not find them and take them for its own.
 * @throws ConfigError where that cannot be
 */
async function prepareFolder({ outDir, reporters }: RunConfig): Promise<void> {
  const files = reporters.flatMap(name => {
    const { file }: Reporter = REPORTERS[name]
    return file ? [join(outDir, file.name)] : []
  })
  if (!files.length) return
  try {
    await createFolder(outDir)
    await access(outDir, constants.W_OK).catch(cause => {
      throw explained('Cannot write to', outDir, cause)
    })
    for (const file of files) {
      await rm(file, { force: true }).catch(cause => {
        throw explained('Cannot replace', file, cause)
      })
    }
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error))
  }
}

/** The verdict in one line, for when no report is printed. */
function verdictLine({ verdict, reason, advice }: RunResult): string {
  return inert(`core-conformance: ${verdict}: ${reason}${advice ? `; ${advice}` : ''}`)
}

/** The Core that the suite meets: the user's own, or a mock Core in a child process. */
async function opponent(config: RunConfig, terminal: Terminal) {
  if (config.target) {
    const credentials = await credentialsOf(config, terminal)
    return { core: { target: { ...config.target, ...credentials }, control: config.control }, mock: undefined }
  }
  const { forkMockCore } = await import('../mock/index.js')
  const { idleLifetimeMs, accessControl } = config.configuration
  const username = 'admin'
  const password = randomBytes(12).toString('hex')
  const mock: ForkedMockCore = await forkMockCore({ username, password, idleLifetimeMs, accessControl })
  const trust = { kind: 'fingerprint' as const, sha256: mock.certificateFingerprint }
  const core: { target: Parameters<typeof runSuite>[0]['target']; control: ControlEndpoint | undefined } = {
    target: { url: new URL(mock.url), trust, username, password },
    control: mock.control,
  }
  return { core, mock }
}

async function credentialsOf({ username, password, configuration }: RunConfig, terminal: Terminal) {
  // An open Core needs no logon, and none is tried.
  if (configuration.accessControl === 'off') return { username: username ?? '', password: password ?? '' }
  if (username === undefined) throw new ConfigError('no user name: set CORE_USERNAME, or pass --username')
  return { username, password: password ?? (await askPassword(terminal, `Password of ${username}: `)) }
}

function epoch(next: { what: string; untilMs: number; waits: number }, nowMs: number) {
  return { what: next.what, untilMs: Date.now() + next.untilMs - nowMs, specsWaiting: next.waits }
}
