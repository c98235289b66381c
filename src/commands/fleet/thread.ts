/**
 * A thread of a fleet. Runs many Cores side by side, each from its journal, and writes the reports of each. Only `threads.ts`
 * starts it.
 */
import { Readable, Writable } from 'node:stream'
import type { MessagePort } from 'node:worker_threads'
import { ConfigError } from '../../config/error.js'
import { Courtesy } from '../../core/courtesy.js'
import { coreOf, coreWithout, requirementsOf } from '../../fleet/core.js'
import { Pulse } from '../../ground/pulse.js'
import { authenticate } from '../../journal/read.js'
import { Seal } from '../../journal/seal.js'
import type { JournalWriter } from '../../journal/write.js'
import type { GenerateOptions } from '../../pact/make/consumer.js'
import type { RunActivity } from '../../report/activity.js'
import type { Reporter } from '../../report/reporter.js'
import type { RunResult } from '../../result.js'
import { loadSpecs } from '../../runner/choose-specs.js'
import type { CoreUnderTest } from '../../runner/embedded.js'
import { listenerOf } from '../../runner/listener.js'
import { SuiteError } from '../../suite/problem.js'
import type { Suite } from '../../suite/spec.js'
import type { Terminal } from '../../terminal.js'
import { carryOut, inputsOf, leaveContracts, leaveReports, type PreparedRun } from '../one-core/run-and-report.js'
import { begunRun, takeUp, takeUpNew } from '../one-core/take-up.js'
import { explainedJournal, removeJournal, unfinishedRun } from '../shared/folder.js'
import { reportersNamed } from '../shared/reporters.js'
import { tellBeats } from './beats.js'
import { Shared, Turn } from './in-common.js'
import type { CoreEnd, CoreTask, FromThread, ToThread } from './task.js'

/** Time between two updates of the progress, in milliseconds: the board is drawn once a second. */
const SHOWN_MS = 1000

const suites = new Shared<Suite>()
const loaded = new Shared<Reporter<RunResult>[]>()
const finishing = new Turn()
/** All Cores of this thread share one event loop, so they share one courtesy. */
const courtesy = new Courtesy()
let isBeating = false

/** A Core whose run has begun. */
interface Begun {
  run: PreparedRun
  writer: JournalWriter
  met: CoreUnderTest
  reporters: Reporter<RunResult>[]
  contracts: GenerateOptions
  /** See `Leaving`. */
  inputs: readonly string[]
}

/** Runs a Core. Never rejects: a fault of this program becomes the outcome of that Core. */
export default async function runCore(task: CoreTask): Promise<CoreEnd> {
  const { head, port, resumeCommand } = task
  beat(task)
  const startedAt = new Date().toISOString()
  const ending = new AbortController()
  port.on('message', ({ type }: ToThread) => type === 'stop' && ending.abort())
  const terminal = terminalOn(port)
  let begun: Begun | undefined
  try {
    const core = await begin(task, terminal)
    begun = core
    const result = await runToEnd(task, core, ending.signal)
    const problems = await finishing.take(() => finish(task, core, result, ending.signal, terminal))
    return { core: coreOf(result, head), requirements: requirementsOf(result), problems }
  } catch (error) {
    // The journal stays, so that `resume` can finish the Core.
    begun?.writer.close()
    const why = { reason: faultText(error), advice: `finish it with: ${resumeCommand}` }
    return { core: coreWithout(head, why, startedAt), requirements: [], problems: [] }
  } finally {
    await begun?.met.close().catch(() => {})
    port.close()
  }
}

/** Starts to measure how late this thread is, and to share it. Does so once a thread. */
function beat({ beats }: CoreTask): void {
  if (isBeating) return
  isBeating = true
  const pulse = new Pulse()
  pulse.on(lateMs => courtesy.beat(lateMs))
  tellBeats(pulse, beats)
  pulse.start()
}

/** Takes up the run of a Core. Prints no warnings about its files: the main thread printed them before. */
async function begin(task: CoreTask, terminal: Terminal): Promise<Begun> {
  const { outDir, isNew, password, controlKey } = task
  const journal = unfinishedRun(outDir)
  const seal = Seal.ofKeys(task.keys)
  explainedJournal(() => authenticate(journal, seal))
  const { specFolders, contracts } = journal.run
  const suite = await suites.of(specFolders, () => loadSpecs(specFolders))
  const run = await begunRun(journal, suite, () => {})
  const reporters = await loaded.of(task.reporters, () => reportersNamed(task.reporters, terminal))
  const opened = { outDir, journal, seal, password, run }
  const taken = isNew
    ? takeUpNew(opened, controlKey, terminal)
    : await takeUp(opened, { controlKey: () => controlKey }, terminal)
  return { ...taken, reporters, contracts, inputs: inputsOf(journal.run) }
}

async function runToEnd(task: CoreTask, { run, reporters }: Begun, signal: AbortSignal): Promise<RunResult> {
  const { outDir, detach, isShown, port, resumeCommand } = task
  const shown = new Latest(activity => port.postMessage({ type: 'activity', activity } satisfies FromThread))
  const listener = isShown ? { listener: listenerOf(run.clock, activity => shown.set(activity)) } : {}
  try {
    return await carryOut(run, { outDir, reporters }, { signal, courtesy, detach, resumeCommand, ...listener })
  } finally {
    shown.end()
  }
}

/**
 * Writes the reports of a Core, and deletes its journal if nothing is left to do.
 * @returns what could not be written, in sentences
 */
async function finish(
  { outDir, head }: CoreTask,
  { run, writer, reporters, contracts, inputs }: Begun,
  result: RunResult,
  signal: AbortSignal,
  terminal: Terminal,
): Promise<string[]> {
  const leaving = { outDir, reporters, contracts, inputs, scripts: true }
  const { problems, isOpen } = await leaveReports(run, result, leaving, signal)
  if (!isOpen && !(await leaveContracts(result, leaving, terminal, { told: false, signal })))
    problems.push(`the contracts of ${head.name} could not be written`)
  writer.close()
  if (!isOpen) removeJournal(outDir)
  return problems
}

/** Passes on the latest of many values, once a second. */
class Latest<T = RunActivity> {
  private value: T | undefined
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly tell: (value: T) => void) {}

  set(value: T): void {
    this.value = value
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      if (this.value !== undefined) this.tell(this.value)
    }, SHOWN_MS).unref()
  }

  end(): void {
    clearTimeout(this.timer)
  }
}

/** Makes the terminal of a thread. All its output goes to stderr of the process, and a prompt gets no answer. */
function terminalOn(port: MessagePort): Terminal {
  const said = () =>
    new Writable({
      write: (chunk, _encoding, done) => {
        port.postMessage({ type: 'said', text: String(chunk) } satisfies FromThread)
        done()
      },
    })
  return {
    stdin: Readable.from([]),
    stdout: said(),
    stderr: said(),
    color: false,
    progress: { live: false, color: false },
    isLost: false,
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
