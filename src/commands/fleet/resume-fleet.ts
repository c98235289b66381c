/** `core-conformance resume` for a fleet. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import { type CoreHead, configurationOf, coreOf, coreWithout, requirementsOf } from '../../fleet/core.js'
import { fleetOf } from '../../fleet/fleet.js'
import { FLEET_FILE, type Fleet, type FleetCore, type FleetRequirement } from '../../fleet/types.js'
import { resumeCommand } from '../../ground/own-command.js'
import type { OpenJournal } from '../../journal/read.js'
import type { Seal } from '../../journal/seal.js'
import { createBoard } from '../../report/fleet/board.js'
import { readFleet } from '../../report/fleet/read.js'
import { inert } from '../../report/inert.js'
import { ResultFileError, readResult } from '../../report/read.js'
import { RESULT_FILE } from '../../report/reporters.js'
import { askPassword, type Terminal } from '../../terminal.js'
import { packageVersion } from '../../version.js'
import { sealOfRun, warn } from '../one-core/begin-journal.js'
import { type ResumeConfig, resumeConfig } from '../one-core/config.js'
import { inputsOf, stopSignal } from '../one-core/run-and-report.js'
import { type Opened, openRun } from '../one-core/take-up.js'
import { EXIT_CODES } from '../shared/exit-codes.js'
import { fleetFileIn, journalIn } from '../shared/folder.js'
import { abandonCores } from './abandon.js'
import { configFlag, fleetReportersOf, reportersOfCore } from './config.js'
import { type ReadyCore, runCores } from './cores.js'
import { comparedWith, earlierIn, forgetEarlier, keepEarlier, keptEarlier } from './earlier.js'
import { publishFleet } from './files.js'
import { CORES } from './settings.js'

/** An unfinished Core. */
interface OpenCore {
  core: FleetCore
  opened: Opened
  head: CoreHead
}

/**
 * Finishes each unfinished Core of a fleet, and writes the files of the fleet again.
 * @returns the exit code
 * @throws ConfigError, ResultFileError or SuiteError before anything is sent
 */
export async function resumeFleet(settings: Settings, config: ResumeConfig, terminal: Terminal): Promise<number> {
  const { outDir, quiet, detach, github } = config
  const fleet = await readFleet(fleetFileIn(outDir) ?? join(outDir, FLEET_FILE))
  if (fleet.suite.version !== packageVersion())
    throw new ConfigError(
      `the fleet in ${outDir} was begun by core-conformance ${fleet.suite.version}: finish it with that version`,
    )
  const named = await earlierIn(settings.get('since')?.text)
  const earlier = named ?? (await keptEarlier(outDir, fleet))
  const { open, closed, requirements, isRefused } = await coresOf(fleet, settings, config, terminal)
  const signal = stopSignal(terminal)
  if (config.abandon) {
    const unfinished = open.map(({ core, opened }) => ({ name: core.name, opened }))
    const code = await abandonCores(unfinished, config, signal, terminal)
    // A Core whose journal could not be opened keeps its tokens.
    return isRefused ? EXIT_CODES.incomplete : code
  }
  if (named && open.length) await keepEarlier(outDir, named)
  const reports = config.reporters ? fleetReportersOf(settings) : fleet.reports
  const names = open.map(({ core }) => core.name)
  const board = !config.quiet && open.length ? createBoard(names, terminal.stderr, terminal.progress) : undefined
  const toResume = resumeCommand(outDir, configFlag(settings))
  const atATime = settings.value(CORES)
  const ready = open.map(
    ({ head, opened: { outDir, seal, password, reporters, journal } }): ReadyCore => ({
      head,
      outDir,
      isNew: false,
      password,
      seal,
      controlKey: config.controlKey(journal.run.target.url),
      reporters: reporters.map(({ name }) => name),
    }),
  )
  try {
    const end = await runCores(ready, {
      atATime,
      detach,
      resumeCommand: toResume,
      board,
      signal,
      terminal,
    })
    board?.stop()
    const { suite, startedAt, shard } = fleet
    const cores = [...closed, ...end.cores]
    const parts = { suite, startedAt, shard, reports, cores, notices: [...fleet.notices, ...end.notices] }
    const stated = [requirements, end.requirements, fleet.requirements].find(({ length }) => length > 0) ?? []
    const made = fleetOf({ ...parts, durationMs: durationOf(fleet, cores, open.length > 0), requirements: stated })
    const compared = earlier ? comparedWith(earlier, made) : kept(made, fleet)
    const inputs = open.flatMap(({ opened }) => inputsOf(opened.journal.run))
    const code = await publishFleet(
      compared,
      { outDir, resumeCommand: toResume, github, quiet, problems: end.problems, inputs },
      terminal,
    )
    await forgetEarlier(outDir, compared)
    return code
  } finally {
    board?.stop()
  }
}

/** Keeps the comparison that the fleet file already holds. */
function kept(made: Fleet, { since }: Fleet): Fleet {
  return since ? { ...made, since } : made
}

/**
 * Returns the duration of a fleet, in milliseconds: until now if a Core was left to finish, else until the end of the last
 * Core.
 */
function durationOf(fleet: Fleet, cores: readonly FleetCore[], isGoingOn: boolean): number {
  const startMs = Date.parse(fleet.startedAt)
  if (isGoingOn) return Math.max(0, Date.now() - startMs)
  const ends = cores.map(({ startedAt, durationMs }) => Date.parse(startedAt) + durationMs - startMs)
  return Math.max(fleet.durationMs, 0, ...ends)
}

/** Sorts the Cores of a fleet: a Core with a journal is unfinished; each other Core has ended, and its result is read. */
async function coresOf(fleet: Fleet, settings: Settings, config: ResumeConfig, terminal: Terminal) {
  const keys = new Keys(config, settings, terminal)
  const open: OpenCore[] = []
  const closed: FleetCore[] = []
  const refused: ConfigError[] = []
  let requirements: FleetRequirement[] = []
  for (const core of fleet.cores) {
    const { name, labels } = core
    const outDir = join(config.outDir, name)
    try {
      const journal = journalIn(outDir)
      if (journal) {
        const own = await openRun(
          journal,
          await keys.of(journal),
          coreConfig(settings, config, outDir, journal),
          settings,
          terminal,
        )
        open.push({ core, opened: own, head: headOf(journal, core) })
        continue
      }
      if (config.abandon) continue
      const result = existsSync(join(outDir, RESULT_FILE)) ? await readResult(join(outDir, RESULT_FILE)) : undefined
      if (!result) closed.push(coreWithout(core, LOST, fleet.startedAt))
      else if (result.suite.specsDigest !== fleet.suite.specsDigest)
        closed.push(
          coreWithout(
            core,
            { reason: `${join(outDir, RESULT_FILE)} is of other specs`, advice: 'run it anew' },
            fleet.startedAt,
          ),
        )
      else {
        closed.push(coreOf(result, { name, labels }))
        if (!requirements.length) requirements = requirementsOf(result)
      }
    } catch (error) {
      // A Core that cannot be finished gets a warning and keeps its journal. The other Cores go on.
      if (!(error instanceof ConfigError || error instanceof ResultFileError)) throw error
      const { message } = error
      refused.push(new ConfigError(message))
      warn(terminal, `${name}: ${message}`)
      closed.push(coreWithout(core, { reason: message }, fleet.startedAt))
    }
  }
  const [first] = refused
  if (first && refused.length === fleet.cores.length) throw first
  if (first && !open.length && refused.length) throw first
  return { open, closed, requirements, isRefused: first !== undefined }
}

const LOST = { reason: 'its run left neither a journal nor a result', advice: 'run it anew' }

/** Returns the configuration of `resume` for one Core. The address is that of its journal; other named targets do not count. */
function coreConfig(settings: Settings, config: ResumeConfig, outDir: string, { run }: OpenJournal): ResumeConfig {
  const own = settings.forTarget(run.target.url, 'the target', { out: outDir })
  const { refuseOther } = resumeConfig(own)
  const reporters = config.reporters && reportersOfCore(config.reporters)
  return { ...config, outDir, refuseOther, reporters }
}

function headOf({ run }: OpenJournal, { name, labels }: FleetCore): CoreHead {
  const { url, label, firmware } = run.target
  return { name, url, label, firmware, labels, configuration: configurationOf(run.configuration) }
}

/** Finds the passwords of journals, and derives their keys. Cores with one password share both. */
class Keys {
  private readonly seals = new Map<string, Promise<Seal>>()
  private readonly asked = new Map<string, Promise<string>>()

  constructor(
    private readonly config: ResumeConfig,
    private readonly settings: Settings,
    private readonly terminal: Terminal,
  ) {}

  async of(journal: OpenJournal): Promise<{ seal: Seal; password: string }> {
    const password = await this.passwordOf(journal)
    const key = JSON.stringify([password, journal.run.salt])
    const seal = this.seals.get(key) ?? sealOfRun(journal, password, this.settings)
    this.seals.set(key, seal)
    return { seal: await seal, password }
  }

  private passwordOf({ run }: OpenJournal): Promise<string> | string {
    const { target, configuration, salt } = run
    const password = this.config.password(target.url)
    if (password !== undefined || configuration.accessControl === 'off' || target.kind === 'mock') return password ?? ''
    // Journals with the same salt were begun with the same password.
    const asked = this.asked.get(salt) ?? askPassword(this.terminal, `Password of ${inert(target.username)}: `)
    this.asked.set(salt, asked)
    return asked
  }
}
