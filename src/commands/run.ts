import { randomBytes } from 'node:crypto'
import { type RunConfig, runConfig } from '../config/run.js'
import { ConfigError, type Settings } from '../config/settings.js'
import type { Target } from '../core/target.js'
import { type Clock, type ControlEndpoint, controlClockMs, controlledClock, realClock } from '../engine/clock.js'
import { JOURNAL_VERSION, JournalWriter, Seal } from '../journal/index.js'
import { inert } from '../report/inert.js'
import { selectSpecs } from '../suite/select.js'
import type { Spec, Suite } from '../suite/spec.js'
import { askPassword, type Terminal } from '../terminal.js'
import { conduct, packageVersion, stopSignal } from './conduct.js'
import { prepareFolder, removeJournal } from './folder.js'
import { revision } from './foreseen.js'
import { loadSpecs } from './suite.js'

/**
 * `core-conformance run`: runs the suite, writes the reports and tells the verdict.
 * @returns the exit code
 * @throws ConfigError, SuiteError or SelectionError before anything is sent
 */
export async function run(settings: Settings, terminal: Terminal): Promise<number> {
  const config = runConfig(settings)
  const suite = await loadSpecs(config.specFolders)
  const specs = selectedSpecs(suite, config.configuration, settings.get('only')?.label)
  const revised = await revision(config.foreseen, suite, warning => warn(terminal, warning))
  await prepareFolder(config.outDir, config.reporters)
  const signal = stopSignal(terminal)
  const opponent = await opponentOf(config, terminal)
  try {
    const { target, targetKind, clock } = opponent
    const journal = await begin(config, suite, opponent, terminal)
    const { configuration, tokenField } = config
    const told = { ...(tokenField !== undefined && { tokenField }) }
    const conclusion = await conduct(
      { suite, specs, target, targetKind, configuration, clock, journal, ...told, ...revised },
      signal,
      config,
      terminal,
    )
    journal.close()
    if (!conclusion.isOpen) removeJournal(config.outDir)
    return conclusion.code
  } finally {
    await opponent.close()
  }
}

/**
 * The specs that a configuration asks for.
 * @param label how messages call the selection
 * @throws SelectionError; ConfigError when what was selected runs only when asked for otherwise
 */
export function selectedSpecs(
  { specs }: Suite,
  { only, measureLifetime }: Pick<RunConfig['configuration'], 'only' | 'measureLifetime'>,
  label: string | undefined,
): Spec[] {
  const selected = selectSpecs(specs, only, label)
  const asked = selected.filter(spec => measureLifetime || !spec.measuresLifetime)
  if (!asked.length) throw new ConfigError(`what ${label} names measures the lifetime: that takes --measure-lifetime`)
  return asked
}

/** The Core that the suite meets. */
export interface Opponent {
  target: Target
  targetKind: 'core' | 'mock'
  clock: Clock
  control: ControlEndpoint | undefined
  /** Ends what was started for the run. */
  close(): Promise<void>
}

async function opponentOf(config: RunConfig, terminal: Terminal): Promise<Opponent> {
  const { target, control, configuration } = config
  if (!target) return embeddedMock(configuration)
  const credentials = await credentialsOf(config, terminal)
  const clock = control ? controlledClock(control) : realClock()
  return { target: { ...target, ...credentials }, targetKind: 'core', clock, control, close: async () => {} }
}

/**
 * A mock Core in a child process, for a run without a target.
 * @param startMs what the clock of the run shows at first
 */
export async function embeddedMock(
  { idleLifetimeMs, accessControl }: Pick<RunConfig['configuration'], 'idleLifetimeMs' | 'accessControl'>,
  startMs = 0,
): Promise<Opponent> {
  const { forkMockCore } = await import('../mock/index.js')
  const username = 'admin'
  const password = randomBytes(12).toString('hex')
  const mock = await forkMockCore({ username, password, idleLifetimeMs, accessControl })
  const trust = { kind: 'fingerprint' as const, sha256: mock.certificateFingerprint }
  return {
    target: { url: new URL(mock.url), trust, username, password },
    targetKind: 'mock',
    clock: controlledClock(mock.control, startMs),
    control: mock.control,
    close: () => mock.close(),
  }
}

/** The embedded mock Core takes its tokens with it, so there is nothing to keep secret, and no password to ask for. */
export const EMBEDDED_SEAL = 'the embedded mock Core'

async function begin(config: RunConfig, suite: Suite, opponent: Opponent, terminal: Terminal): Promise<JournalWriter> {
  const { target, targetKind, control } = opponent
  const salt = Seal.salt()
  const isEmbedded = targetKind === 'mock'
  const seal = await Seal.of(isEmbedded ? EMBEDDED_SEAL : target.password, salt)
  return JournalWriter.begin(
    config.outDir,
    {
      version: JOURNAL_VERSION,
      startedAt: new Date().toISOString(),
      suite: { version: packageVersion(), specsDigest: suite.digest },
      target: { url: target.url.origin, kind: targetKind, trust: target.trust, username: target.username },
      configuration: config.configuration,
      tokenField: config.tokenField ?? null,
      control: isEmbedded || !control ? null : { url: control.url, startMs: await clockAtStart(control) },
      specFolders: config.specFolders,
      ...(Object.keys(config.foreseen).length && { foreseen: config.foreseen }),
      reporters: config.reporters,
      salt,
      check: seal.close('journal', 'check'),
    },
    seal,
    error => terminal.stderr.write(noJournal(error)),
  )
}

/** Tells what stops nothing. */
export function warn({ stderr }: Terminal, message: string): void {
  stderr.write(`core-conformance: warning: ${inert(message)}\n`)
}

/** That a clock cannot be reached is told where it is needed. */
function clockAtStart(control: ControlEndpoint): Promise<number | null> {
  return controlClockMs(control).catch(() => null)
}

/** What is said when the journal cannot be written any more. */
export function noJournal({ message }: Error): string {
  return `core-conformance: the journal cannot be written (${message}): the run goes on, but could not be resumed\n`
}

async function credentialsOf({ username, password, configuration }: RunConfig, terminal: Terminal) {
  // An open Core needs no logon, and none is tried.
  if (configuration.accessControl === 'off') return { username: username ?? '', password: password ?? '' }
  if (username === undefined) throw new ConfigError('no user name: set CORE_USERNAME, or pass --username')
  return { username, password: password ?? (await askPassword(terminal, `Password of ${username}: `)) }
}
