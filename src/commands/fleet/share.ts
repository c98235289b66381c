/** The share of a process in a fleet: it runs Cores side by side, each from its journal, and writes the reports of each. */
import { setMaxListeners } from 'node:events'
import { join } from 'node:path'
import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { Courtesy } from '../../core/courtesy.js'
import { type CoreHead, configurationOf, coreOf, coreWithout, requirementsOf } from '../../fleet/core.js'
import type { FleetCore, FleetRequirement, Labels } from '../../fleet/types.js'
import { ConfigError } from '../../ground/config-error.js'
import { Pulse } from '../../ground/pulse.js'
import type { RunLine } from '../../journal/line.js'
import { authenticate, readJournal } from '../../journal/read.js'
import { Seal } from '../../journal/seal.js'
import type { RunActivity } from '../../report/activity.js'
import { RESULT_FILE } from '../../report/reporters.js'
import { listenerOf } from '../../runner/listener.js'
import { SuiteError } from '../../suite/problem.js'
import type { Outputs } from '../../terminal.js'
import { leave, type Means, meansOf, type Prepared, performRun, type Run } from '../one-core/run.js'
import { prepareOpen, takeUp, type Unlocked } from '../one-core/take-up.js'
import { unfinishedRun } from '../shared/folder.js'

/** One Core to run. The journal in its folder holds everything else that its run needs. */
export interface CoreTask {
  head: CoreHead
  /** The folder of its journal and its reports. */
  outDir: string
  password: string
  /** The keys of its journal, which take a while to derive. */
  keys: Uint8Array
  /** The key of its control endpoint, if it has one. */
  controlKey: string | undefined
  /** Names of its reports, and paths of the user's own modules. */
  reporters: string[]
}

/** Returns what a process needs to run a Core whose journal exists. */
export function taskOf(
  { name, labels }: { name: string; labels?: Labels },
  { target, configuration }: RunLine,
  { outDir, told, seal, password, controlKey }: Prepared & Unlocked,
): CoreTask {
  const { url, label, firmware } = target
  const head = { name, url, label, firmware, labels, configuration: configurationOf(configuration) }
  return { head, outDir, keys: seal.keys, reporters: told.reporters, password, controlKey }
}

export interface ShareOptions {
  /** Leave the specs that wait to `resume`. */
  detach: boolean
  /** The command that finishes the fleet. */
  resumeCommand: string
  /** Memory of this process at which no more Cores begin, in bytes. */
  mostBytes: number
}

/** A message to a share, plain data. */
export type ToShare =
  | { type: 'begin'; options: ShareOptions; startedAs: string | undefined }
  | { type: 'run'; task: CoreTask }
  /** Give back the tokens of all Cores, and end their runs. */
  | { type: 'stop' }

/** A message of a share, plain data. */
export type FromShare =
  /** One more Core may begin: this process has time for it. */
  | { type: 'room' }
  /** What Cores are doing, by their names. */
  | { type: 'shown'; shown: ReadonlyMap<string, RunActivity> }
  | { type: 'said'; text: string }
  /** The outcome of a Core; `problems`: files that could not be written. */
  | { type: 'ended'; core: FleetCore; requirements: FleetRequirement[]; problems: string[] }

/**
 * Part of the time that a process may be at work before it takes no more Cores. The rest is for what comes unevenly. Too much
 * work shows as a delay, which `LATE_MS` limits; a lower part leaves processors idle while Cores wait for their beginning.
 */
const BUSY = 0.9
/**
 * Delay at which a process takes no more Cores, in milliseconds. A step that must be in time takes some five turns, and has at
 * least 300 ms (`roomMs` of the engine).
 */
const LATE_MS = 100
/** Time between two looks for room, in milliseconds. If nothing holds it up, a lab of 200 Cores begins within half a minute. */
const LOOK_MS = 100
/** Time over which the load is measured: a Core rests between its first requests, and such a rest is no free room. */
const LOAD_MS = 500
/** Part of the time that a Core is expected to take, until the load is measured again. */
const BEGINNING = 0.15
/** Time between two messages about what Cores are doing, in milliseconds: the board is drawn once a second. */
const SHOWN_MS = 1000

/** The Cores of this process, which share one event loop. */
export class Share {
  private readonly pulse = new Pulse()
  private readonly courtesy = new Courtesy()
  private readonly ending = new AbortController()
  private readonly means: Means
  private readonly timers: NodeJS.Timeout[]
  private shown = new Map<string, RunActivity>()
  /** The turn to write reports: they take much memory, so one Core after another writes its own. */
  private writing: Promise<unknown> = Promise.resolve()
  private cores = 0
  private begun = 0
  private load: EventLoopUtilization = performance.eventLoopUtilization()
  private busy = 0

  /** @param tell takes the messages of this share */
  constructor(
    private readonly options: ShareOptions,
    private readonly tell: (message: FromShare) => void,
    private readonly outputs: Outputs,
  ) {
    // The process that began the fleet has told the warnings about its files.
    this.means = { ...meansOf(outputs), warn: () => {} }
    // Every Core adds a listener to it.
    setMaxListeners(0, this.ending.signal)
    this.pulse.on(lateMs => this.courtesy.beat(lateMs))
    this.pulse.start()
    this.timers = [
      setInterval(() => this.hasRoom() && tell({ type: 'room' }), LOOK_MS),
      setInterval(() => this.measure(), LOAD_MS),
      setInterval(() => this.show(), SHOWN_MS),
    ]
  }

  stop(): void {
    this.ending.abort()
  }

  close(): void {
    this.pulse.stop()
    for (const timer of this.timers) clearInterval(timer)
  }

  /** Runs a Core. Never rejects: a fault of this program becomes the outcome of that Core. */
  async run(task: CoreTask): Promise<void> {
    this.cores++
    this.begun++
    const startedAt = new Date().toISOString()
    let run: Run | undefined
    try {
      run = await this.begin(task)
      this.tell({ type: 'ended', ...(await this.runToEnd(task, run)) })
    } catch (error) {
      // The journal stays, so that `resume` can finish the Core.
      run?.journal.close()
      const why = { reason: faultText(error), advice: `finish it with: ${this.options.resumeCommand}` }
      const core = coreWithout(task.head, why, startedAt)
      this.tell({ type: 'ended', core, requirements: [], problems: [] })
    } finally {
      this.cores--
      await run?.close().catch(() => {})
    }
  }

  private async begin({ outDir, keys, password, controlKey, reporters }: CoreTask): Promise<Run> {
    const open = unfinishedRun(outDir, readJournal(outDir))
    const seal = Seal.ofKeys(keys)
    authenticate(open, seal)
    const prepared = await prepareOpen(open, outDir, () => reporters, this.means)
    return takeUp({ ...prepared, open, seal, password, controlKey }, undefined, this.outputs)
  }

  private async runToEnd({ head, outDir }: CoreTask, run: Run) {
    const { signal } = this.ending
    const { resumeCommand, detach } = this.options
    const listener = listenerOf(run.clock, activity => this.shown.set(head.name, activity))
    const result = await performRun(run, resumeCommand, { signal, listener, detach, courtesy: this.courtesy })
    this.shown.delete(head.name)
    const left = this.writing.then(() => leave(run, result, { signal }, this.outputs))
    this.writing = left.catch(() => {})
    const { paths, problems, isWhole } = await left
    const missing = isWhole ? [] : [`the contracts of ${head.name} could not be written`]
    const core = { ...coreOf(result, head), hasResult: paths.includes(join(outDir, RESULT_FILE)) }
    return { core, requirements: requirementsOf(result), problems: [...problems, ...missing] }
  }

  private hasRoom(): boolean {
    if (this.cores === 0) return true
    const isSmall = process.memoryUsage.rss() < this.options.mostBytes
    return isSmall && this.busy + this.begun * BEGINNING < BUSY && this.pulse.lateMs < LATE_MS
  }

  private measure(): void {
    const now = performance.eventLoopUtilization()
    this.busy = performance.eventLoopUtilization(now, this.load).utilization
    this.load = now
    this.begun = 0
  }

  private show(): void {
    if (this.shown.size > 0) this.tell({ type: 'shown', shown: this.shown })
    this.shown = new Map()
  }
}

/**
 * Returns the message of an error of this project: it says what to do next. Of any other error returns only the name: that
 * error is a fault of this program, and its message may quote a secret.
 */
function faultText(error: unknown): string {
  const isOurs = error instanceof ConfigError || error instanceof SuiteError
  if (isOurs || (error instanceof Error && error.constructor === Error)) return error.message
  const name = error instanceof Error ? error.name : typeof error
  return `internal error (${name}); the Core was not judged; please report this`
}
