/** A run of one Core as people see it: its plan, its progress, its verdict and what it left. */

import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { planFor } from '../../engine/applicable.js'
import type { RunListener } from '../../engine/options.js'
import { resumeCommand } from '../../ground/own-command.js'
import { JOURNAL_FILE } from '../../journal/line.js'
import { fence, inert } from '../../report/inert.js'
import { estimateLine, planLine, replanLine } from '../../report/plan.js'
import { createProgress } from '../../report/progress.js'
import { onTerminal } from '../../report/reporter.js'
import { VERDICTS } from '../../result/outcomes.js'
import { verdictText } from '../../result/scope.js'
import type { RunResult } from '../../result.js'
import { listenerOf, type Replanned, settled } from '../../runner/listener.js'
import { type Terminal, untilSignal } from '../../terminal.js'
import { earlierIn } from '../shared/folder.js'
import type { Shown } from './config.js'
import { inputsOf, leave, performRun, type Run, warn } from './run.js'

/** Returns a signal that Ctrl-C aborts. Call this before the first request. */
export function stopSignal(terminal: Terminal): AbortSignal {
  return untilSignal(terminal, 'Interrupted: revoking tokens and writing the reports. Once more stops at once.')
}

/** Performs a run, shows its progress, and writes its reports. */
export async function showRun(run: Run, signal: AbortSignal, shown: Shown, terminal: Terminal): Promise<number> {
  const { github, quiet, verbose, detach } = shown
  const { outDir, reporters } = run
  const { stdout, stderr } = terminal
  const forPeople = onTerminal(reporters)
  const toResume = resumeCommand(outDir, run.target.flags?.config)
  const fenced = github && forPeople ? fence() : undefined
  if (fenced) stdout.write(fenced.open)
  const plan = planFor(run)
  const isTold = forPeople !== undefined && !quiet && !run.resumed
  // No empty line before the areas, so that the report of a run fits on a screen.
  const isVirtual = run.clock.leap !== undefined
  if (isTold) stdout.write(`${coreLine(run)}\n${planLine(plan, isVirtual)}\n${verbose ? '\n' : ''}`)
  const news = settled<Replanned>(replanned => {
    if (isTold) stdout.write(`${replanLine(replanned, plan, isVirtual)}\n\n`)
  })
  // Virtual waits end before a person can read the progress.
  const progress = !quiet && !isVirtual ? createProgress(stderr, terminal.progress) : undefined
  signal.addEventListener('abort', () => progress?.stop())
  const listener: RunListener = {
    ...(progress && listenerOf(run.clock, activity => progress.show(activity))),
    replanned: news.set,
    estimated: estimate => {
      const line = isVirtual ? undefined : estimateLine(estimate, plan)
      if (isTold && line !== undefined) stdout.write(`${line}\n`)
    },
  }
  let result: RunResult
  try {
    result = await performRun(run, toResume, { signal, listener, detach })
  } finally {
    progress?.stop()
    news.end()
  }
  const { reason, advice, verdict } = result
  const next = advice ? `; ${advice}` : ''
  if (!forPeople) stderr.write(`core-conformance: ${inert(`${verdictText(result)}: ${reason}${next}`)}\n`)
  const code = VERDICTS[verdict].exitCode
  try {
    const { paths, problems, isWhole } = await leave(run, result, { signal, shown, fenced }, terminal)
    // The scripts of this run may stand in a folder beside them.
    const isReport = (path: string) => resolve(dirname(path)) === resolve(outDir)
    if (paths.length === 0 && problems.length === 0 && earlierIn(outDir, inputsOf(run.told)).some(isReport))
      warn(terminal, `the reports in ${outDir} are of an earlier run: this one wrote none there (--reporter)`)
    // If the folder was removed, the journal is gone too.
    const isKept = problems.length > 0 && existsSync(join(outDir, JOURNAL_FILE))
    const toMend = `The journal is kept: once that is fixed, ${toResume} writes the reports.`
    const told = isKept ? [...problems, toMend] : problems
    stderr.write(told.map(line => `core-conformance: ${line}\n`).join(''))
    // A run without its reports is incomplete, but a Core that failed has still failed.
    return isWhole && problems.length === 0 ? code : code || VERDICTS.incomplete.exitCode
  } catch (error) {
    stderr.write(`core-conformance: ${error instanceof Error ? error.message : String(error)}\n`)
    await run.keep(true)
    return code || VERDICTS.incomplete.exitCode
  }
}

/** Names the Core before anything is sent, so that nobody takes a run against the mock Core for one against a Core. */
function coreLine({ target: { url, label }, targetKind }: Run): string {
  const name = targetKind === 'mock' ? 'the mock Core that comes with the suite' : url.origin
  return inert(`Core: ${label === undefined ? name : `${label}, ${name}`}`)
}
