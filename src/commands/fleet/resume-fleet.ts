/** `core-conformance resume` for a fleet. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../../config/settings.js'
import { coreOf, coreWithout, requirementsOf } from '../../fleet/core.js'
import { FLEET_FILE, type Fleet, type FleetCore } from '../../fleet/types.js'
import { ConfigError } from '../../ground/config-error.js'
import { resumeCommand } from '../../ground/own-command.js'
import { inert } from '../../report/inert.js'
import { ResultFileError, readFleet, readResult } from '../../report/read.js'
import { RESULT_FILE } from '../../report/reporters.js'
import { VERDICTS } from '../../result/outcomes.js'
import type { Terminal } from '../../terminal.js'
import { packageVersion } from '../../version.js'
import type { ResumeConfig } from '../one-core/config.js'
import { stopSignal } from '../one-core/console.js'
import { inputsOf, warn } from '../one-core/run.js'
import { abandon, type Opened, opener, takeUp } from '../one-core/take-up.js'
import { CORES } from '../shared/declared.js'
import { fleetFileIn, journalIn } from '../shared/folder.js'
import { fleetReportersOf, reportersOfCore } from './config.js'
import { earlierFleet, keepEarlier, keptEarlier } from './files.js'
import { taskOf } from './share.js'
import { finishFleet } from './shares.js'

/** A Core that is unfinished, by its name in the fleet. */
interface OpenCore {
  core: FleetCore
  opened: Opened
}

/** Finishes each unfinished Core of a fleet, and writes the files of the fleet again. */
export async function resumeFleet(settings: Settings, config: ResumeConfig, terminal: Terminal): Promise<number> {
  const { outDir } = config
  const begun = await readFleet(fleetFileIn(outDir) ?? join(outDir, FLEET_FILE))
  if (begun.suite.version !== packageVersion())
    throw new ConfigError(
      `the fleet in ${outDir} was begun by core-conformance ${begun.suite.version}: finish it with that version`,
    )
  const named = await earlierFleet(settings.get('since')?.text)
  const earlier = named ?? (await keptEarlier(outDir, begun))
  const { open, isRefused, ...known } = await coresOf(begun, settings, config, terminal)
  const signal = stopSignal(terminal)
  if (config.abandon) {
    const code = await abandonCores(open, signal, terminal)
    // A Core whose journal could not be opened keeps its tokens.
    return isRefused ? VERDICTS.incomplete.exitCode : code
  }
  if (named && open.length) await keepEarlier(outDir, named)
  const reports = config.reporters ? fleetReportersOf(settings) : begun.reports
  const tasks = open.map(({ core, opened }) => taskOf(core, opened.open.run, opened))
  const inputs = open.flatMap(({ opened }) => inputsOf(opened.told))
  const toResume = resumeCommand(outDir, settings.given('config', 'flag')?.text)
  const how = { ...config, atATime: settings.value(CORES), inputs, earlier, resumeCommand: toResume }
  return finishFleet({ ...begun, ...known, reports }, tasks, how, signal, terminal)
}

/** Sorts the Cores of a fleet: a Core with a journal is unfinished; each other Core has ended, and its result is read. */
async function coresOf(fleet: Fleet, settings: Settings, config: ResumeConfig, terminal: Terminal) {
  const openRun = opener(settings, terminal)
  const open: OpenCore[] = []
  const cores: FleetCore[] = []
  const refused: ConfigError[] = []
  let { requirements } = fleet
  for (const core of fleet.cores) {
    const { name } = core
    const outDir = join(config.outDir, name)
    const anew = (reason: string) => cores.push(coreWithout(core, { reason, advice: 'run it anew' }, fleet.startedAt))
    try {
      const journal = journalIn(outDir)
      if (journal) {
        // The address is that of its journal; other named targets do not count.
        const own = settings.forTarget(journal.run.target.url, 'the target', { out: outDir })
        const how = { ...config, outDir, reporters: config.reporters && reportersOfCore(config.reporters) }
        open.push({ core, opened: await openRun(journal, how, own) })
        continue
      }
      if (config.abandon) continue
      const file = join(outDir, RESULT_FILE)
      const result = existsSync(file) ? await readResult(file) : undefined
      if (!result) anew('its run left neither a journal nor a result')
      else if (result.suite.specsDigest !== fleet.suite.specsDigest) anew(`${file} is of other specs`)
      else {
        cores.push(coreOf(result, core))
        if (!requirements.length) requirements = requirementsOf(result)
      }
    } catch (error) {
      // A Core that cannot be finished gets a warning and keeps its journal. The other Cores go on.
      if (!(error instanceof ConfigError || error instanceof ResultFileError)) throw error
      const { message } = error
      refused.push(new ConfigError(message))
      warn(terminal, `${name}: ${message}`)
      cores.push(coreWithout(core, { reason: message }, fleet.startedAt))
    }
  }
  const [first] = refused
  if (first && (refused.length === fleet.cores.length || !open.length)) throw first
  return { open, cores, requirements, isRefused: first !== undefined }
}

/**
 * Lanes of Cores whose tokens are revoked: a Core that does not answer holds up few others, and the journals fit into memory
 * (some 10 MB each).
 */
const LANES = 16

/**
 * Revokes the tokens of all unfinished Cores, and deletes their journals. A Core that cannot be taken up gets a warning and
 * keeps its journal; the others go on.
 * @returns the exit code: 3 if tokens may be left live
 * @throws ConfigError if no Core could be taken up
 */
async function abandonCores(open: readonly OpenCore[], signal: AbortSignal, terminal: Terminal): Promise<number> {
  const lanes: Promise<unknown>[] = []
  const ends = open.map(({ opened }, index) => {
    const end = (lanes[index % LANES] ?? Promise.resolve()).then(async () => {
      const run = await takeUp(opened, undefined, terminal)
      return abandon(run, signal).finally(run.close)
    })
    lanes[index % LANES] = end.catch(() => {})
    return end.catch((refused: unknown) => {
      if (refused instanceof ConfigError) return { isLeft: true, text: refused.message, refused }
      throw refused
    })
  })
  const refusals: ConfigError[] = []
  let code = 0
  // In the order of the Cores, whichever ends first, so that the output is the same each time.
  for (const [index, end] of ends.entries()) {
    const name = open[index]?.core.name ?? ''
    const { isLeft, text, refused } = { refused: undefined, ...(await end) }
    if (refused) warn(terminal, `${name}: ${text}`)
    else terminal.stdout.write(`${inert(name)}: ${text}`)
    if (refused) refusals.push(refused)
    if (isLeft) code = VERDICTS.incomplete.exitCode
  }
  if (!open.length) terminal.stdout.write('No Core of this fleet was left unfinished.\n')
  const [first] = refusals
  if (first && refusals.length === open.length) throw first
  return code
}
