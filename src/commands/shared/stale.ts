import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FLEET_FILE } from '../../fleet/types.js'
import { readJournal } from '../../journal/index.js'
import { REPORTERS } from '../../report/reporters.js'
import { removeScripts } from '../../report/scripts.js'
import { coresIn } from './folder.js'
import { DEFAULT_OUT } from './settings.js'

/** Whether a CI runs this: GitHub, GitLab and most others set the first, Jenkins the second. */
export function isInCi({ CI, JENKINS_URL }: Record<string, string | undefined>): boolean {
  return (CI !== undefined && CI !== '' && CI !== 'false') || Boolean(JENKINS_URL)
}

/**
 * Takes away the reports that an earlier run left, after a `run` that could not begin: a later step of a CI would publish them as
 * those of this one. Those of a run that is still to be finished stay. Never rejects: the reason why nothing began is told.
 * @param argv of the run that could not begin
 * @param said the folder, where the settings could be read
 */
export async function removeStale(
  argv: readonly string[],
  env: Record<string, string | undefined>,
  said: string | undefined,
): Promise<void> {
  const folder = said ?? (flagOut(argv) || env.CORE_OUT || DEFAULT_OUT)
  try {
    if ([folder, ...coresIn(folder).map(name => join(folder, name))].some(isOpen)) return
    const files = [...REPORTERS.flatMap(({ file }) => file ?? []), FLEET_FILE]
    for (const file of files) await rm(join(folder, file), { force: true })
    await removeScripts(folder)
  } catch {
    // What cannot be removed was told, or will be by the run that can begin.
  }
}

/** Whether a folder holds a journal, also one that cannot be read. */
function isOpen(folder: string): boolean {
  try {
    return readJournal(folder) !== undefined
  } catch {
    return true
  }
}

/** `--out FOLDER` or `--out=FOLDER`, the last of them. */
function flagOut(argv: readonly string[]): string | undefined {
  const at = argv.findLastIndex(arg => arg === '--out' || arg.startsWith('--out='))
  const arg = argv[at]
  return arg?.startsWith('--out=') ? arg.slice('--out='.length) : arg === undefined ? undefined : argv[at + 1]
}
