import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FLEET_FILE } from '../../fleet/types.js'
import { DEFAULT_OUT } from '../../ground/own-command.js'
import { readJournal } from '../../journal/index.js'
import { REPORTERS } from '../../report/reporters.js'
import { removeScripts } from '../../report/scripts.js'
import { coresIn } from './folder.js'

/** Returns whether a CI runs this process. GitHub, GitLab and most others set `CI`; Jenkins sets `JENKINS_URL`. */
export function isInCi({ CI, JENKINS_URL }: Record<string, string | undefined>): boolean {
  return (CI !== undefined && CI !== '' && CI !== 'false') || Boolean(JENKINS_URL)
}

/**
 * Removes the reports of an earlier run after a `run` that could not begin: a later step of a CI would publish them as new.
 * Keeps the reports of an unfinished run. Never rejects: the caller reports why the run could not begin.
 * @param argv the arguments of the run that could not begin
 * @param configured the output folder, if the settings could be read
 */
export async function removeStale(
  argv: readonly string[],
  env: Record<string, string | undefined>,
  configured: string | undefined,
): Promise<void> {
  const folder = configured ?? (flagOut(argv) || env.CORE_OUT || DEFAULT_OUT)
  try {
    if ([folder, ...coresIn(folder).map(name => join(folder, name))].some(isOpen)) return
    const files = [...REPORTERS.flatMap(({ file }) => file ?? []), FLEET_FILE]
    for (const file of files) await rm(join(folder, file), { force: true })
    await removeScripts(folder)
  } catch {
    // The next run that can begin reports a file that cannot be removed.
  }
}

/** Returns whether a folder holds a journal. A journal that cannot be read counts. */
function isOpen(folder: string): boolean {
  try {
    return readJournal(folder) !== undefined
  } catch {
    return true
  }
}

/** Returns the folder of the last `--out FOLDER` or `--out=FOLDER`. */
function flagOut(argv: readonly string[]): string | undefined {
  const at = argv.findLastIndex(arg => arg === '--out' || arg.startsWith('--out='))
  const arg = argv[at]
  return arg?.startsWith('--out=') ? arg.slice('--out='.length) : arg === undefined ? undefined : argv[at + 1]
}
