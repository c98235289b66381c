import { existsSync } from 'node:fs'
import type { Settings } from '../config/settings.js'
import { diffOf, exitCodeOf, type Source } from '../diff/diff.js'
import { DIFF_REPORTERS } from '../diff/report/reporters.js'
import { isWorse, sinceOf } from '../fleet/since.js'
import { ConfigError } from '../ground/config-error.js'
import { once } from '../ground/once.js'
import { ownCommand, quoted } from '../ground/own-command.js'
import { FLEET_DIFF_REPORTERS } from '../report/fleet/reporters.js'
import { isFleetFile, readFleet, readResult } from '../report/read.js'
import type { Reporter } from '../report/reporter.js'
import { VERDICTS } from '../result/outcomes.js'
import type { Terminal } from '../terminal.js'
import { DIFF } from './shared/declared.js'
import { chosenReports } from './shared/given.js'
import { publish } from './shared/publish.js'

/**
 * `core-conformance diff`: says what changed between runs, or between fleets, and what it means for clients.
 * @returns the exit code: 1 if a change breaks clients, 3 if something could not be compared, else 0
 */
export async function diff(settings: Settings, terminal: Terminal): Promise<number> {
  const { files } = diffConfig(settings)
  if (files.some(isFleetFile)) return diffFleets(files, settings, terminal)
  // Reads a file that is named twice only once.
  const read = once(readResult)
  const sources: Source[] = []
  for (const file of files) sources.push({ file, result: await read(file) })
  const found = diffOf(sources)
  await show(found, DIFF_REPORTERS, settings, terminal)
  return exitCodeOf(found)
}

/**
 * Reports what changed between two fleets, Core by Core.
 * @returns the exit code: 1 if a Core fails a spec that it did not fail before, else 3 if the later fleet is unfinished, else 0
 */
async function diffFleets(files: readonly string[], settings: Settings, terminal: Terminal): Promise<number> {
  const [before = '', after = ''] = files
  if (files.length !== 2 || !before || !after)
    throw new ConfigError('a fleet is compared with one other fleet: give two fleet.json, the older first')
  const [earlier, later] = [await readFleet(before), await readFleet(after)]
  const since = sinceOf(earlier, later, before)
  await show(since, FLEET_DIFF_REPORTERS, settings, terminal)
  if (isWorse(since)) return 1
  // A change may have gone unseen.
  const { exitCode } = VERDICTS.incomplete
  return VERDICTS[later.verdict].exitCode === exitCode || later.verdict === 'pending' ? exitCode : 0
}

async function show<T>(found: T, all: readonly Reporter<T>[], settings: Settings, terminal: Terminal): Promise<void> {
  const { outDir, quiet, reporters: names } = diffConfig(settings)
  const reporters = all.filter(({ name }) => names.includes(name))
  if (!reporters.length)
    throw new ConfigError(
      `${settings.label('reporter')}: of two fleets, there is no such report; known: ${all.map(({ name }) => name).join(', ')}`,
    )
  const { problems } = await publish(found, { outDir, reporters, github: settings.github(), quiet }, terminal)
  if (problems.length) throw new Error(problems.join('\n'))
}

export function diffConfig(settings: Settings) {
  const { outDir, quiet, reporters } = settings.values(DIFF.settings)
  for (const [place, text] of settings.operands.entries()) refuseNoFile(text, place, settings)
  const all = DIFF_REPORTERS.map(({ name }) => name)
  return { files: settings.operands, outDir, quiet, reporters: chosenReports(settings, reporters, all) }
}

/** Refuses an operand that is no file. Tells how to get the result of a Core. Repeats no URL, since it may hold credentials. */
function refuseNoFile(text: string, place: number, { configFile }: Settings): void {
  if (existsSync(text)) return
  const isUrl = text.includes('://')
  if (isUrl || configFile?.targets.has(text)) {
    const [which, named] = isUrl ? [`operand ${place + 1}`, 'URL'] : [`'${text}'`, text]
    throw new ConfigError(
      `${which} is a Core, and diff compares results: run it first (${ownCommand(`run ${quoted(named)} --out FOLDER`)}), and give the result.json in that folder`,
    )
  }
  const shown = text.includes('@') ? `operand ${place + 1}` : `'${text}'`
  throw new ConfigError(`${shown} is nothing to compare: there is no such file; give a result.json, or a fleet.json`)
}
