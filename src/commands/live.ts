/** Runs of several Cores side by side, for a comparison. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { LiveOperand } from '../config/diff.js'
import { ConfigError } from '../config/error.js'
import { planFor } from '../engine/applicable.js'
import { clockOf } from '../engine/clock.js'
import { runSuite } from '../engine/run.js'
import { createProgress, RESULT_FILE, type Reporter, writeReports } from '../report/index.js'
import { inert } from '../report/inert.js'
import { jointProgress } from '../report/joint-progress.js'
import { planLine } from '../report/plan.js'
import type { RunResult } from '../result.js'
import type { Opponent } from '../runner/embedded.js'
import { observerOf } from '../runner/observer.js'
import { revision } from '../runner/revision.js'
import { loadSpecs, selectedSpecs } from '../runner/specs.js'
import type { Terminal } from '../terminal.js'
import { packageVersion } from '../version.js'
import { type Conducted, resumeCommand, stopSignal } from './conduct.js'
import { prepareFolder, removeJournal } from './folder.js'
import { opponent } from './opponent.js'
import { reportersNamed } from './reporters.js'
import { beginJournal, warn } from './run.js'

/** How the run of a Core ended. */
export interface LiveEnd {
  operand: LiveOperand
  result: RunResult
  /** Where its result was written. */
  file: string
  /** Whether there is something left for `resume` to do. */
  isOpen: boolean
}

/** How runs are told. */
export interface Voice {
  /** Whether to tell anything beside warnings and errors. */
  speaks: boolean
  /** The reports of an earlier comparison: if this one fails, nobody must take them for its own. */
  stale: string[]
}

/** A run with all that it needs. */
interface Prepared {
  operand: LiveOperand
  run: Omit<Conducted, 'journal'>
  met: Opponent
  suite: Awaited<ReturnType<typeof loadSpecs>>
  reporters: Reporter<RunResult>[]
}

/**
 * Runs these Cores at the same time, since each may take its idle hour, and writes the reports of each into its own folder.
 * Once one of them proves to be untestable, the others are stopped: there will be nothing to compare with.
 * @returns how each ended, in their order, and whether it was the user who stopped them
 * @throws ConfigError, SuiteError or SelectionError before anything is sent; Error where a report cannot be written
 */
export async function runLive(
  operands: LiveOperand[],
  { speaks, stale }: Voice,
  terminal: Terminal,
): Promise<{ ends: LiveEnd[]; isInterrupted: boolean }> {
  const { stdout, stderr } = terminal
  const prepared: Prepared[] = []
  const stop = new AbortController()
  const interrupt = stopSignal(terminal)
  interrupt.addEventListener('abort', () => stop.abort())
  try {
    for (const operand of operands) prepared.push(await prepare(operand, terminal))
    // Last, since it takes the reports of an earlier run away.
    for (const { operand, reporters } of prepared) await prepareFolder(operand.run.outDir, reporters)
    for (const file of stale) await rm(file, { force: true })
    if (speaks) stdout.write(`${prepared.map(planOf).join('\n')}\n\n`)
    // Virtual time is over before anybody could read what is waited for.
    const isReal = prepared.some(({ run }) => !run.clock.leap)
    const progress = speaks && isReal ? createProgress(stderr, terminal.progress) : undefined
    const shows =
      progress &&
      jointProgress(
        progress,
        operands.map(({ name }) => name),
      )
    stop.signal.addEventListener('abort', () => progress?.stop())
    const running = prepared.map(async (one, index) => {
      try {
        const end = await runOne(one, stop.signal, shows?.[index], terminal)
        if (end.result.verdict === 'untestable') stop.abort()
        return end
      } catch (error) {
        stop.abort()
        throw error
      }
    })
    const ended = await Promise.allSettled(running)
    progress?.stop()
    const ends = ended.map(each => {
      if (each.status === 'rejected') throw each.reason
      return each.value
    })
    return { ends, isInterrupted: interrupt.aborted }
  } finally {
    for (const { met } of prepared) await met.close()
  }
}

/** All that can be known before anything is sent. */
async function prepare(operand: LiveOperand, terminal: Terminal): Promise<Prepared> {
  const { name, run: config, onlyLabel, passwordVariables } = operand
  const { configuration, tokenField } = config
  const suite = await loadSpecs(config.specFolders)
  const specs = selectedSpecs(suite, configuration, onlyLabel)
  const revised = await revision(config.foreseen, suite, warning => warn(terminal, warning))
  if (config.password === undefined && configuration.accessControl === 'on' && !terminal.stdin.isTTY) {
    throw new ConfigError(
      `no password for ${name}: set ${passwordVariables.join(' or ')}, in the environment or in .env`,
    )
  }
  const reporters = await reportersNamed(config.reporters, terminal)
  const met = await opponent({ ...config, ...configuration }, terminal, name)
  const run = {
    suite,
    specs,
    target: met.target,
    targetKind: met.kind,
    configuration,
    clock: clockOf(met.control),
    ...(tokenField !== undefined && { tokenField }),
    ...revised,
  }
  return { operand, run, met, suite, reporters }
}

function planOf({ operand: { name, run }, run: conducted }: Prepared): string {
  const { host, origin } = run.target.url
  const where = name === host ? '' : ` (${origin})`
  return `${inert(name)}${where}: ${planLine(planFor(conducted))}`
}

async function runOne(
  { operand, run, met, suite, reporters }: Prepared,
  signal: AbortSignal,
  show: Parameters<typeof observerOf>[1] | undefined,
  terminal: Terminal,
): Promise<LiveEnd> {
  const { outDir } = operand.run
  const journal = await beginJournal(operand.run, suite, met, run.clock, terminal)
  const result = await runSuite({
    ...run,
    journal,
    signal,
    suiteVersion: packageVersion(),
    toFinish: `finish it with: ${resumeCommand(outDir)}`,
    ...(show && { observer: observerOf(run.clock, show) }),
  })
  const isOpen = signal.aborted && result.verdict === 'incomplete'
  const { problems } = await writeReports(result, { outDir, reporters })
  journal.close()
  if (problems.length) throw new Error(problems.join('\n'))
  if (!isOpen) removeJournal(outDir)
  return { operand, result, file: join(outDir, RESULT_FILE), isOpen }
}
