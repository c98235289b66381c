/** Runs the Cores of a fleet: their waits overlap, each has its own session, pace and journal, and none stops another. */
import { setMaxListeners } from 'node:events'
import { ConfigError } from '../config/error.js'
import { runSuite } from '../engine/run.js'
import { explorerFor } from '../explore/index.js'
import { type CoreHead, coreOf, coreWithout, requirementsOf } from '../fleet/core.js'
import type { FleetCore, FleetRequirement } from '../fleet/types.js'
import type { JournalWriter } from '../journal/index.js'
import type { GenerateOptions } from '../pact/make/consumer.js'
import type { Board } from '../report/fleet/board.js'
import { type Reporter, writeBeside, writeReports } from '../report/index.js'
import type { RunResult } from '../result.js'
import type { CoreUnderTest } from '../runner/embedded.js'
import { listenerOf } from '../runner/listener.js'
import type { Terminal } from '../terminal.js'
import { packageVersion } from '../version.js'
import { Gate } from './fleet-gate.js'
import { removeJournal } from './folder.js'
import { type PreparedRun, STAY_FRACTION } from './run-and-report.js'

/** A Core that is ready to be run. */
export interface ReadyCore {
  head: CoreHead
  outDir: string
  reporters: readonly Reporter<RunResult>[]
  contracts: GenerateOptions
  /** Begins its run; called once it is its turn. */
  begin(): Promise<BegunCore>
}

/** A Core whose run has begun. */
export interface BegunCore {
  run: PreparedRun
  writer: JournalWriter
  met: CoreUnderTest
}

/** How the Cores are run. */
export interface FleetRun {
  /** So many at a time. */
  atATime: number
  detach: boolean
  /** What finishes the fleet. */
  resumeCommand: string
  board: Board | undefined
  signal: AbortSignal
  terminal: Terminal
}

/** What came of the Cores. */
export interface FleetEnd {
  cores: FleetCore[]
  requirements: FleetRequirement[]
  /** What could not be written, in sentences. */
  problems: string[]
}

/**
 * Runs the Cores, and writes the reports of each into its own folder as soon as it has ended. Whatever befalls one of them is
 * told of that one.
 */
export async function runCores(ready: readonly ReadyCore[], fleet: FleetRun): Promise<FleetEnd> {
  const { signal, board, atATime } = fleet
  // Every run listens to the one signal.
  setMaxListeners(0, signal)
  signal.addEventListener('abort', () => board?.stop())
  const end: FleetEnd = { cores: [], requirements: [], problems: [] }
  const gate = new Gate(atATime)
  const finishing = new Turn()
  const running: Promise<void>[] = []
  for (const core of ready) {
    if (!(await gate.enter(signal))) {
      end.cores.push(notBegun(core, fleet))
      continue
    }
    board?.began(core.head.name)
    running.push(
      runCore(core, fleet, finishing, end).then(ended => {
        gate.leave()
        end.cores.push(ended)
        board?.ended(ended)
      }),
    )
  }
  await Promise.all(running)
  return end
}

/** Lets one after another do what takes memory. */
class Turn {
  private last: Promise<unknown> = Promise.resolve()

  take<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(work)
    this.last = done.catch(() => {})
    return done
  }
}

/** Never rejects: a fault of this program, too, is told of the Core that it befell. */
async function runCore(core: ReadyCore, fleet: FleetRun, finishing: Turn, end: FleetEnd): Promise<FleetCore> {
  const { head } = core
  const startedAt = new Date().toISOString()
  let begun: BegunCore | undefined
  try {
    begun = await core.begin()
    const result = await runToEnd(core, begun, fleet)
    return await finishing.take(() => finished(core, begun, result, fleet, end))
  } catch (error) {
    // Its journal stays: what can be finished can be resumed.
    begun?.writer.close()
    const advice = `finish it with: ${fleet.resumeCommand}`
    return coreWithout(head, { reason: faultText(error), advice }, startedAt)
  } finally {
    await begun?.met.close().catch(() => {})
  }
}

async function runToEnd({ head }: ReadyCore, { run }: BegunCore, fleet: FleetRun): Promise<RunResult> {
  const { board, detach, signal, resumeCommand } = fleet
  const explorer = await explorerFor(run, run.resumed?.exploration)
  return runSuite({
    ...run,
    ...(explorer && { explorer }),
    signal,
    suiteVersion: packageVersion(),
    toFinish: `finish it with: ${resumeCommand}`,
    ...(board && { listener: listenerOf(run.clock, activity => board.show(head.name, activity)) }),
    ...(detach && { detachAfterMs: run.configuration.idleLifetimeMs * STAY_FRACTION }),
  })
}

/** Writes the reports of a Core, and forgets its journal where nothing is left to do. */
async function finished(
  core: ReadyCore,
  begun: BegunCore | undefined,
  result: RunResult,
  { signal, terminal }: FleetRun,
  end: FleetEnd,
): Promise<FleetCore> {
  const { outDir, reporters, contracts, head } = core
  if (!end.requirements.length) end.requirements = requirementsOf(result)
  const { problems } = await writeReports(result, { outDir, reporters })
  await writeBeside(result, outDir, false).catch(error => problems.push(faultText(error)))
  // A run that could not even go on is as it was.
  const isStuck = begun?.run.resumed !== undefined && result.verdict === 'untestable'
  const isOpen = signal.aborted || isStuck || result.counts.pending > 0 || problems.length > 0
  if (!isOpen && contracts.consumers.length) {
    const { writeRunContracts } = await import('./contract-files.js')
    const isWritten = await writeRunContracts(result, contracts, terminal, { told: false, signal })
    if (!isWritten) problems.push(`the contracts of ${head.name} could not be written`)
  }
  begun?.writer.close()
  if (!isOpen) removeJournal(outDir)
  end.problems.push(...problems)
  return coreOf(result, head)
}

function notBegun({ head }: ReadyCore, { resumeCommand }: FleetRun): FleetCore {
  const why = { reason: 'it was interrupted before its run began', advice: `finish it with: ${resumeCommand}` }
  return coreWithout(head, why, new Date().toISOString())
}

/** Ours say what to do next; an error of the language is a fault of this program, and its message may quote a secret. */
function faultText(error: unknown): string {
  if (error instanceof ConfigError || (error instanceof Error && error.constructor === Error)) return error.message
  const name = error instanceof Error ? error.name : typeof error
  return `a fault of core-conformance itself (${name}): it says nothing of the Core; please report it`
}
