/** `core-conformance resume --abandon` for a fleet. */
import { ConfigError } from '../../config/error.js'
import { inert } from '../../report/inert.js'
import type { Terminal } from '../../terminal.js'
import { warn } from '../one-core/begin-journal.js'
import type { ResumeConfig } from '../one-core/config.js'
import { abandonedText, giveBackTokens, type Opened, takeUp } from '../one-core/take-up.js'
import { EXIT_CODES } from '../shared/exit-codes.js'
import { removeJournal } from '../shared/folder.js'

/**
 * Number of Cores at a time. A Core that does not answer holds up few others, and the journals fit into memory (some 10 MB
 * each). Revoking tokens is little work, so one thread is enough.
 */
const AT_A_TIME = 16

/** An unfinished Core of a fleet. */
export interface UnfinishedCore {
  name: string
  opened: Opened
}

/** The outcome for one Core. */
interface End {
  name: string
  /** The message for people. */
  text: string
  /** Whether tokens may be left live. */
  isLeft: boolean
  /** Why the Core could not be taken up. */
  refused?: ConfigError
}

/**
 * Revokes the tokens of all unfinished Cores, many Cores at a time, and deletes their journals. A Core that cannot be taken up
 * gets a warning and keeps its journal; the others go on.
 * @returns the exit code: 3 if tokens may be left live
 * @throws ConfigError if no Core could be taken up
 */
export async function abandonCores(
  open: readonly UnfinishedCore[],
  config: Pick<ResumeConfig, 'controlKey'>,
  signal: AbortSignal,
  terminal: Terminal,
): Promise<number> {
  const ends = new Map<string, End>()
  // All lanes share this iterator: each lane takes the next free Core.
  const next = open.values()
  let toTell = 0
  // Print in the order of the Cores, whichever ends first, so that the output is the same each time.
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
    const taken = await takeUp(opened, config, terminal)
    try {
      const { tokens, why } = await giveBackTokens(taken, signal)
      if (!tokens.left) removeJournal(opened.outDir)
      return { name, text: abandonedText(tokens, why), isLeft: tokens.left > 0 }
    } finally {
      await taken.met.close()
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { name, text: error.message, isLeft: true, refused: error }
  }
}
