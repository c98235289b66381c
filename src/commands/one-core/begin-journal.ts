import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import { namesOf } from '../../core/target.js'
import { type Clock, type ControlEndpoint, controlClockMs } from '../../engine/clock.js'
import { ownFolder } from '../../ground/own-files.js'
import { JOURNAL_VERSION, type RunLine } from '../../journal/line.js'
import { OwnKey } from '../../journal/own-key.js'
import { JournalError, type OpenJournal, sealOf } from '../../journal/read.js'
import { Seal } from '../../journal/seal.js'
import { JournalWriter } from '../../journal/write.js'
import { inert } from '../../report/inert.js'
import type { CoreUnderTest } from '../../runner/embedded.js'
import type { Suite } from '../../suite/spec.js'
import type { Terminal } from '../../terminal.js'
import { packageVersion } from '../../version.js'
import { replaceJournal } from '../shared/folder.js'
import type { RunConfig } from './config.js'

/**
 * Begins the journal of a run. The journal keeps what `resume` needs.
 * @throws ConfigError if another process was faster; Error of the file system, or if there is no memory for the key
 */
export async function beginJournal(
  config: Omit<RunConfig, 'target'>,
  suite: Suite,
  { target, kind, control }: CoreUnderTest,
  clock: Clock,
  terminal: Terminal,
  { salt, seal: making, own }: Sealing,
): Promise<JournalWriter> {
  const isEmbedded = kind === 'mock'
  const seal = await making
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
    ...(own && { ownKey: own.told }),
    check: seal.close('journal', 'check'),
  }
  try {
    const journal = replaceJournal(outDir, () =>
      JournalWriter.begin(outDir, line, clock.now(), seal, error => terminal.stderr.write(noJournal(error))),
    )
    own?.begin(journal)
    return journal
  } catch (error) {
    own?.forget()
    throw error
  }
}

/** Prints a warning on stderr. */
export function warn({ stderr }: Terminal, message: string): void {
  stderr.write(`core-conformance: warning: ${inert(message)}\n`)
}

/**
 * Returns the time of the mock Core's clock at the start of the run's clock, in milliseconds; null if the mock Core cannot be
 * reached. The first use of the clock reports the error.
 */
function clockAtStart(control: ControlEndpoint, clock: Clock): Promise<number | null> {
  return controlClockMs(control).then(
    shownMs => shownMs - clock.now(),
    () => null,
  )
}

/** Returns the message for a journal that can no longer be written. */
export function noJournal({ message }: Error): string {
  return `core-conformance: the journal cannot be written (${message}): the run goes on, and resume would not know what happens from now on\n`
}

/** The seal of a new journal, and the salt of its key. */
export interface Sealing {
  salt: string
  seal: Promise<Seal>
  /** The key, where it is not made of the password. */
  own?: OwnKey
}

/** Returns the folder where keys of this user's journals are kept; undefined where the system has none. */
export function keyFolder(settings: Settings): string | undefined {
  return ownFolder(name => settings.surrounding(name))
}

/** Makes the seal of a journal. Its key is made of the password only where no key can be kept for this user alone. */
export function sealing(password: string, folder: string | undefined): Sealing {
  const own = OwnKey.make(password, folder)
  return own ? { salt: own.salt, seal: Promise.resolve(own.seal), own } : sealingOf(password)
}

/** Makes the seal of journals whose key is made of the password. That takes a while. */
export function sealingOf(password: string): Sealing {
  const salt = Seal.salt()
  const seal = Seal.of(password, salt)
  // The caller awaits the key later, and sees the error then. Until then the rejection must not end the process.
  seal.catch(() => {})
  return { salt, seal }
}

/** Returns the seal of a run against the embedded mock Core. Such a run has no password to keep secret. */
export function embeddedSealing(): Sealing {
  const salt = Seal.salt()
  return { salt, seal: Promise.resolve(Seal.embedded(salt)) }
}

/**
 * Returns the seal of an unfinished run.
 * @param password the password of the run
 * @throws ConfigError if the password is not that of the run, or if its key is somewhere else
 */
export async function sealOfRun(journal: OpenJournal, password: string, settings: Settings): Promise<Seal> {
  try {
    return await sealOf(journal, password, keyFolder(settings))
  } catch (error) {
    throw error instanceof JournalError ? new ConfigError(error.message) : error
  }
}
