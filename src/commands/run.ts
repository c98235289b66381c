import { ConfigError } from '../config/error.js'
import { fleetConfig, singleSettings } from '../config/fleet.js'
import { type RunConfig, runConfig } from '../config/run.js'
import type { Settings } from '../config/settings.js'
import { namesOf } from '../core/target.js'
import { type Clock, type ControlEndpoint, clockOf, controlClockMs } from '../engine/clock.js'
import { JOURNAL_VERSION, JournalWriter, type RunLine, Seal } from '../journal/index.js'
import { inert } from '../report/inert.js'
import type { CoreUnderTest } from '../runner/embedded.js'
import { revision } from '../runner/revision.js'
import { loadSpecs, selectedSpecs } from '../runner/specs.js'
import type { Suite } from '../suite/spec.js'
import type { Terminal } from '../terminal.js'
import { packageVersion } from '../version.js'
import { coreUnderTest } from './core-under-test.js'
import { prepareFolder, removeJournal, underWay } from './folder.js'
import { reportersNamed } from './reporters.js'
import { runAndReport, stopSignal } from './run-and-report.js'

/**
 * `core-conformance run`: runs the suite against one Core or many, writes the reports and tells the verdict.
 * @returns the exit code
 * @throws ConfigError, SuiteError or SelectionError before anything is sent
 */
export async function run(settings: Settings, terminal: Terminal): Promise<number> {
  const fleet = fleetConfig(settings)
  if (fleet) {
    const { runFleet } = await import('./fleet-run.js')
    return runFleet(fleet, settings, terminal)
  }
  return runOne(singleSettings(settings), terminal)
}

async function runOne(settings: Settings, terminal: Terminal): Promise<number> {
  const config = runConfig(settings)
  const { configuration, contracts, tokenField, password } = config
  const begun = config.target && password !== undefined ? sealing(password) : undefined
  const suite = await loadSpecs(config.specFolders)
  const specs = selectedSpecs(suite, configuration, settings.get('only')?.label)
  const revised = await revision(config.known, suite, warning => warn(terminal, warning))
  const reporters = await reportersNamed(config.reporters, terminal)
  await prepareFolder(config.outDir, reporters)
  if (contracts.consumers.length) {
    const { prepareContracts } = await import('./contract-folder.js')
    await prepareContracts(contracts, { specs, label: settings.label('interactions') })
  }
  const signal = stopSignal(terminal)
  const met = await coreUnderTest({ ...config, ...configuration }, terminal)
  try {
    const clock = clockOf(met.control)
    const journal = await beginJournal(config, suite, met, clock, terminal, begun)
    const { target, kind: targetKind } = met
    const told = { ...(tokenField !== undefined && { tokenField }) }
    const conclusion = await runAndReport(
      { suite, specs, target, targetKind, configuration, clock, journal, ...told, ...revised },
      signal,
      { ...config, reporters },
      terminal,
    )
    journal.close()
    if (!conclusion.isOpen) removeJournal(config.outDir)
    return conclusion.code
  } finally {
    await met.close()
  }
}

/** The key of a journal and its salt, under way. */
export interface Sealing {
  salt: string
  seal: Promise<Seal>
}

/** Derives the key of a journal: it takes a while, so this is begun as soon as the password is known, and awaited late. */
export function sealing(password: string): Sealing {
  const salt = Seal.salt()
  const seal = Seal.of(password, salt)
  // Whoever awaits it is told; until then nobody listens.
  seal.catch(() => {})
  return { salt, seal }
}

/** The seal of a run against the embedded mock Core, which has no password to keep. */
function embeddedSealing(): Sealing {
  const salt = Seal.salt()
  return { salt, seal: Promise.resolve(Seal.embedded(salt)) }
}

/**
 * Begins the journal of a run, which keeps what `resume` has to know.
 * @param begun the key, where it was begun to be derived before
 * @throws ConfigError where another process is faster; Error of the file system, or where there is no memory for the key
 */
export async function beginJournal(
  config: Omit<RunConfig, 'target'>,
  suite: Suite,
  { target, kind, control }: CoreUnderTest,
  clock: Clock,
  terminal: Terminal,
  begun?: Sealing,
): Promise<JournalWriter> {
  const isEmbedded = kind === 'mock'
  const { salt, seal: made } = isEmbedded ? embeddedSealing() : (begun ?? sealing(target.password))
  const seal = await made
  const { outDir, configuration, tokenField, specFolders, reporters, contracts, known } = config
  const line: RunLine = {
    version: JOURNAL_VERSION,
    startedAt: new Date().toISOString(),
    suite: { version: packageVersion(), specsDigest: suite.digest },
    target: { url: target.url.origin, kind, trust: target.trust, username: target.username, ...namesOf(target) },
    configuration,
    tokenField: tokenField ?? null,
    control: isEmbedded || !control ? null : { url: control.url, startMs: await clockAtStart(control, clock) },
    specFolders,
    ...(Object.keys(known).length && { known }),
    reporters,
    contracts,
    salt,
    check: seal.close('journal', 'check'),
  }
  try {
    return JournalWriter.begin(outDir, line, clock.now(), seal, error => terminal.stderr.write(noJournal(error)))
  } catch (error) {
    // Another process has begun one since the folder was looked at.
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? new ConfigError(underWay(outDir)) : error
  }
}

/** Tells what stops nothing. */
export function warn({ stderr }: Terminal, message: string): void {
  stderr.write(`core-conformance: warning: ${inert(message)}\n`)
}

/** What the clock of a mock Core showed when that of the run began. That it cannot be reached is told where it is needed. */
function clockAtStart(control: ControlEndpoint, clock: Clock): Promise<number | null> {
  return controlClockMs(control).then(
    shownMs => shownMs - clock.now(),
    () => null,
  )
}

/** What is said when the journal cannot be written any more. */
export function noJournal({ message }: Error): string {
  return `core-conformance: the journal cannot be written (${message}): the run goes on, and resume would not know what happens from now on\n`
}
