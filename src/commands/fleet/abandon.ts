/** `core-conformance resume --abandon` of many Cores. */
import { ConfigError } from '../../config/error.js'
import { inert } from '../../report/inert.js'
import type { Terminal } from '../../terminal.js'
import { warn } from '../one-core/begin-journal.js'
import type { ResumeConfig } from '../one-core/resume-config.js'
import { abandoned, givenBack, type Opened, takenUp } from '../one-core/take-up.js'
import { EXIT_CODES } from '../shared/exit-codes.js'
import { removeJournal } from '../shared/folder.js'

/**
 * So many Cores at a time: one that does not answer holds up few, and what the journals of so many say fits into memory (some 10 MB
 * each). To give tokens back is little work, so that one thread is enough.
 */
const AT_A_TIME = 16

/** An unfinished Core of a fleet. */
export interface UnfinishedCore {
  name: string
  opened: Opened
}

/** What came of the tokens of a Core. */
interface End {
  name: string
  /** For people. */
  text: string
  isLeft: boolean
  /** Why the Core could not be taken up. */
  refused?: ConfigError
}

/**
 * Gives back the tokens of all unfinished Cores, many at a time, and forgets their journals. A Core that cannot be taken up is told,
 * its journal stays, and it stops no other.
 * @returns the exit code: 3 where tokens may be left
 * @throws ConfigError where no Core could be taken up
 */
export async function abandonCores(
  open: readonly UnfinishedCore[],
  config: Pick<ResumeConfig, 'controlKey'>,
  signal: AbortSignal,
  terminal: Terminal,
): Promise<number> {
  const ends = new Map<string, End>()
  // The lanes share it: each takes the next Core that nobody has.
  const next = open.values()
  let toTell = 0
  // In the order of the Cores, however they end: what is told is the same each time.
  const tell = () => {
    for (let end = ends.get(open[toTell]?.name ?? ''); end; end = ends.get(open[++toTell]?.name ?? '')) {
      if (end.refused) warn(terminal, `${end.name}: ${end.text}`)
      else terminal.stdout.write(`${inert(end.name)}: ${end.text}`)
    }
  }
  const lane = async () => {
    for (const core of next) {
      ends.set(core.name, await abandonCore(core, config, signal, terminal))
      tell()
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, lane))
  if (!open.length) terminal.stdout.write('No Core of this fleet was left unfinished.\n')
  const all = [...ends.values()]
  const [first] = all
  if (first?.refused && all.every(({ refused }) => refused)) throw first.refused
  return all.some(({ isLeft }) => isLeft) ? EXIT_CODES.incomplete : 0
}

async function abandonCore(
  { name, opened }: UnfinishedCore,
  config: Pick<ResumeConfig, 'controlKey'>,
  signal: AbortSignal,
  terminal: Terminal,
): Promise<End> {
  try {
    const taken = await takenUp(opened, config, terminal)
    try {
      const { tokens, why } = await givenBack(taken, signal)
      if (!tokens.left) removeJournal(opened.outDir)
      return { name, text: abandoned(tokens, why), isLeft: tokens.left > 0 }
    } finally {
      await taken.met.close()
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { name, text: error.message, isLeft: true, refused: error }
  }
}
