/** Runs the suite within a program: no command line, no files, no signals of the process. */
import { planFor } from '../engine/applicable.js'
import { clockOf } from '../engine/clock.js'
import type { RunListener } from '../engine/options.js'
import type { RunActivity } from '../report/activity.js'
import type { RunResult } from '../result.js'
import { specsOf } from '../runner/choose-specs.js'
import { type CoreUnderTest, embeddedMock, ownCore } from '../runner/embedded.js'
import { listenerOf } from '../runner/listener.js'
import { perform } from '../runner/perform.js'
import { configOf, type RunSettings } from './settings.js'

/** Functions that a run calls while it goes on. An error that one of them throws ends the run, and `run` throws it. */
export interface RunEvents {
  /**
   * Receives the plan before the first request, and again where the Core has room for fewer tokens. Milliseconds,
   * numbers of specs and tokens.
   */
  onPlan?(plan: { specs: number; durationMs: number; tokens: number }): void
  /**
   * Receives the progress: after outcomes, on every change of the waits, and once at the end. Times are epoch
   * milliseconds.
   */
  onProgress?(progress: RunActivity): void
  /** Receives a warning that does not stop the run, in one sentence: a pinned fact that no spec observes. */
  onWarning?(message: string): void
}

/** Settings of a run, functions that it calls, and a signal that ends it early. */
export interface RunnerOptions extends RunSettings, RunEvents {
  /** Ends the run when aborted. The run revokes its tokens, and the result is incomplete. */
  signal?: AbortSignal
}

/**
 * Runs the suite against a Core, as `core-conformance run` does.
 * @returns the result with any verdict; see its `verdict`, `reason` and `advice`
 * @throws ConfigError, SuiteError, SelectionError or ResultFileError before the first request; any error that a
 *   function of `options` throws
 */
export async function runInProgram(options: RunnerOptions = {}): Promise<RunResult> {
  const { signal, onPlan, onProgress, onWarning, ...settings } = options
  const config = configOf(settings)
  const specs = await specsOf(config, 'only', message => onWarning?.(message))
  const ending = new AbortController()
  const end = () => ending.abort()
  if (signal?.aborted) end()
  signal?.addEventListener('abort', end, { once: true })
  let met: CoreUnderTest | undefined
  const faults: unknown[] = []
  /** True once the result exists. No function is called after that. */
  let isOver = false
  /** Calls a function of the caller. An error must not leave tokens behind, so the run ends before it is thrown. */
  const tell = <T>(told: ((value: T) => void) | undefined, value: T) => {
    try {
      if (!isOver) told?.(value)
    } catch (error) {
      faults.push(error)
      end()
    }
  }
  try {
    const { target, username = '', password = '', control, configuration } = config
    met = target ? ownCore({ ...target, username, password }, control) : await embeddedMock(configuration)
    const clock = clockOf(met.control)
    const run = { ...specs, target: met.target, targetKind: met.kind, clock }
    const plan = planFor(run)
    const listener: RunListener = {
      ...listenerOf(clock, activity => tell(onProgress, activity)),
      replanned: changed => tell(onPlan, { specs: plan.specs, ...changed }),
    }
    tell(onPlan, { specs: plan.specs, durationMs: plan.durationMs, tokens: plan.tokens })
    const result = await perform({ ...run, listener, signal: ending.signal })
    const { selected, skipped, failed } = result.counts
    const total = selected - skipped
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
