import { namesOf } from '../../core/target.js'
import { type Clock, type ControlEndpoint, controlClockMs } from '../../engine/clock.js'
import { JOURNAL_VERSION, JournalWriter, type RunLine } from '../../journal/index.js'
import { inert } from '../../report/inert.js'
import type { CoreUnderTest } from '../../runner/embedded.js'
import type { Suite } from '../../suite/spec.js'
import type { Terminal } from '../../terminal.js'
import { packageVersion } from '../../version.js'
import { replaceJournal } from '../shared/folder.js'
import type { RunConfig } from './config.js'
import type { Sealing } from './sealing.js'

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
