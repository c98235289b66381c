/** A run within a program: no command line, no files, no signals of the process. */
import { planFor } from '../engine/applicable.js'
import { clockOf } from '../engine/clock.js'
import type { RunListener } from '../engine/options.js'
import { runSuite } from '../engine/run.js'
import { explorerFor } from '../explore/index.js'
import type { RunActivity } from '../report/activity.js'
import type { Plan, RunResult } from '../result.js'
import { type CoreUnderTest, embeddedMock } from '../runner/embedded.js'
import { listenerOf } from '../runner/listener.js'
import { revision } from '../runner/revision.js'
import { loadSpecs, selectedSpecs } from '../runner/specs.js'
import { packageVersion } from '../version.js'
import { configOf, type RunSettings } from './settings.js'

/** What is told of a run while it goes on. What one of these functions throws ends the run, and `run` throws it. */
export interface RunEvents {
  /** The plan, before anything is sent, and again where the Core has room for fewer tokens. Milliseconds, numbers of specs and tokens. */
  onPlan?(plan: Pick<Plan, 'specs' | 'durationMs' | 'tokens'>): void
  /** What the run is doing: after outcomes, whenever the waits change, and once at its end. Times are epoch milliseconds. */
  onProgress?(progress: RunActivity): void
  /** What stops nothing and should be known, in one sentence: a pinned fact that no spec observes. */
  onWarning?(message: string): void
}

/** All that {@link RunSettings} say, who is told, and what ends the run early. */
export interface RunnerOptions extends RunSettings, RunEvents {
  /** Ends the run when it is aborted: its tokens are given back, and the result says that it is incomplete. */
  signal?: AbortSignal
}

/**
 * Runs the suite against a Core, as `core-conformance run` does.
 * @returns the result, whatever the verdict; see `verdict`, `reason` and `advice` in it
 * @throws ConfigError, SuiteError, SelectionError or ResultFileError before anything is sent; what a function of `options` throws
 */
export async function runInProgram(options: RunnerOptions = {}): Promise<RunResult> {
  const { signal, onPlan, onProgress, onWarning, ...settings } = options
  const config = configOf(settings)
  const { configuration, tokenField } = config
  const suite = await loadSpecs(config.specFolders)
  const specs = selectedSpecs(suite, configuration, 'only')
  const revised = await revision(config.known, suite, message => onWarning?.(message))
  const ending = new AbortController()
  const end = () => ending.abort()
  if (signal?.aborted) end()
  signal?.addEventListener('abort', end, { once: true })
  let met: CoreUnderTest | undefined
  const faults: unknown[] = []
  /** Set with the result: what is left to be told then is no news. */
  let isOver = false
  /** Calls back. What throws would leave tokens behind, so the run ends first. */
  const tell = <T>(told: ((value: T) => void) | undefined, value: T) => {
    try {
      if (!isOver) told?.(value)
    } catch (error) {
      faults.push(error)
      end()
    }
  }
  try {
    met = await coreUnderTestOf(config)
    const clock = clockOf(met.control)
    const run = { suite, specs, target: met.target, targetKind: met.kind, configuration, clock, ...revised }
    const plan = planFor(run)
    const listener: RunListener = {
      ...listenerOf(clock, activity => tell(onProgress, activity)),
      replanned: changed => tell(onPlan, { specs: plan.specs, ...changed }),
    }
    tell(onPlan, { specs: plan.specs, durationMs: plan.durationMs, tokens: plan.tokens })
    const explorer = await explorerFor(run)
    const result = await runSuite({
      ...run,
      ...(explorer && { explorer }),
      ...(tokenField !== undefined && { tokenField }),
      listener,
      signal: ending.signal,
      suiteVersion: packageVersion(),
    })
    const { selected: total, failed } = result.counts
    const [startedMs, endsMs] = [Date.now() - result.durationMs, Date.now()]
    tell(onProgress, { done: total, failed, total, startedMs, endsMs, waits: [] })
    if (faults.length > 0) throw faults[0]
    return result
  } finally {
    isOver = true
    signal?.removeEventListener('abort', end)
    await met?.close()
  }
}

/** The Core that the settings name, or a mock Core. */
async function coreUnderTestOf(config: ReturnType<typeof configOf>): Promise<CoreUnderTest> {
  const { target, username = '', password = '', control, configuration } = config
  if (!target) return embeddedMock(configuration)
  return { target: { ...target, username, password }, control, kind: 'core', close: async () => {} }
}
