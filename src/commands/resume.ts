import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../config/settings.js'
import { JOURNAL_FILE } from '../journal/line.js'
import { VERDICTS } from '../result/outcomes.js'
import type { Terminal } from '../terminal.js'
import { resumeConfig } from './one-core/config.js'
import { showRun, stopSignal } from './one-core/console.js'
import { abandon, opener, takeUp } from './one-core/take-up.js'
import { fleetFileIn, keyFolder, unfinishedRun } from './shared/folder.js'

/** `core-conformance resume`: finishes a run or a fleet that another process began, or only revokes its tokens. */
export async function resume(settings: Settings, terminal: Terminal): Promise<number> {
  const config = resumeConfig(settings)
  const { outDir } = config
  if (fleetFileIn(outDir) && !existsSync(join(outDir, JOURNAL_FILE))) {
    const { resumeFleet } = await import('./fleet/resume-fleet.js')
    return resumeFleet(settings, config, terminal)
  }
  const opened = await opener(settings, terminal)(unfinishedRun(outDir), config)
  const signal = stopSignal(terminal)
  const run = await takeUp(opened, keyFolder(settings), terminal)
  try {
    if (!config.abandon) return await showRun(run, signal, config, terminal)
    const { isLeft, text } = await abandon(run, signal)
    terminal.stdout.write(text)
    return isLeft ? VERDICTS.incomplete.exitCode : 0
  } finally {
    await run.close()
  }
}
