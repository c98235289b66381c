import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../../config/settings.js'
import { JOURNAL_FILE } from '../../journal/line.js'
import { type OpenJournal, sealOf } from '../../journal/read.js'
import { inert } from '../../report/inert.js'
import { VERDICTS } from '../../result/outcomes.js'
import { askPassword, type Terminal } from '../../terminal.js'
import { type ResumeConfig, resumeConfig } from '../one-core/config.js'
import { showRun, stopSignal } from '../one-core/console.js'
import { meansOf } from '../one-core/run.js'
import { abandon, openRun, takeUp } from '../one-core/take-up.js'
import { fleetFileIn, keyFolder, unfinishedRun } from '../shared/folder.js'

/**
 * `core-conformance resume`: finishes a run or a fleet that another process began, or only revokes its tokens.
 * @throws ConfigError or SuiteError before anything is sent
 */
export async function resume(settings: Settings, terminal: Terminal): Promise<number> {
  const config = resumeConfig(settings)
  const { outDir } = config
  if (fleetFileIn(outDir) && !existsSync(join(outDir, JOURNAL_FILE))) {
    const { resumeFleet } = await import('../fleet/resume-fleet.js')
    return resumeFleet(settings, config, terminal)
  }
  const open = unfinishedRun(outDir)
  const password = await passwordOf(open, config, terminal)
  const keys = keyFolder(settings)
  const seal = await sealOf(open, password, keys)
  const opened = await openRun(open, { seal, password }, config, settings, meansOf(terminal))
  const signal = stopSignal(terminal)
  const run = await takeUp(opened, config.controlKey(open.run.target.url), keys, terminal)
  try {
    if (!config.abandon) return await showRun(run, signal, config, terminal)
    const { isLeft, text } = await abandon(run, signal)
    terminal.stdout.write(text)
    return isLeft ? VERDICTS.incomplete.exitCode : 0
  } finally {
    await run.close()
  }
}

async function passwordOf({ run }: OpenJournal, config: ResumeConfig, terminal: Terminal): Promise<string> {
  if (run.target.kind === 'mock') return ''
  const password = config.password(run.target.url)
  if (run.configuration.accessControl === 'off') return password ?? ''
  return password ?? (await askPassword(terminal, `Password of ${inert(run.target.username)}: `))
}
