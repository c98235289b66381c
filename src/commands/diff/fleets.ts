/** `core-conformance diff` for two fleets. */

import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import { fleetExitCode } from '../../fleet/fleet.js'
import { isWorse, sinceOf } from '../../fleet/since.js'
import { unobeyed } from '../../report/fence.js'
import { FLEET_DIFF_REPORTERS } from '../../report/fleet/diff-reporters.js'
import { readFleet } from '../../report/fleet/read.js'
import { onTerminal, writeReports } from '../../report/index.js'
import { writtenText } from '../../report/written.js'
import type { Terminal } from '../../terminal.js'
import type { DiffConfig } from './config.js'

/** Exit code for a later fleet that is unfinished: a change may have gone unseen. */
const EXIT_UNFINISHED = 3

/**
 * Reports what changed between two fleets, Core by Core.
 * @param files the earlier fleet file and the later one
 * @returns the exit code: 1 if a Core fails a spec that it did not fail before, else 3 if the later fleet is unfinished, else 0
 * @throws ConfigError if these are not two fleets; ResultFileError; Error if a report cannot be written
 */
export async function diffFleets(
  files: readonly string[],
  { outDir, quiet, reporters: names }: Pick<DiffConfig, 'outDir' | 'quiet' | 'reporters'>,
  settings: Settings,
  terminal: Terminal,
): Promise<number> {
  const [before = '', after = ''] = files
  if (files.length !== 2 || !before || !after)
    throw new ConfigError('a fleet is compared with one other fleet: give two fleet.json, the older first')
  const [earlier, later] = [await readFleet(before), await readFleet(after)]
  const since = sinceOf(earlier, later, before)
  const { stdout, color } = terminal
  const reporters = FLEET_DIFF_REPORTERS.filter(({ name }) => names.includes(name))
  const forPeople = onTerminal(reporters)
  if (forPeople) {
    const text = await forPeople.render(since, { columns: stdout.columns ?? 80, color, quiet })
    stdout.write(unobeyed(text, settings.github() !== undefined))
  }
  const { paths, problems } = await writeReports(since, { outDir, reporters })
  if (problems.length) throw new Error(problems.join('\n'))
  if (forPeople && !quiet && paths.length) stdout.write(writtenText(paths, stdout.columns))
  if (isWorse(since)) return 1
  return fleetExitCode(later) === EXIT_UNFINISHED || later.verdict === 'pending' ? EXIT_UNFINISHED : 0
}
