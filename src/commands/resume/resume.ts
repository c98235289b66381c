import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../../config/settings.js'
import { JOURNAL_FILE } from '../../journal/line.js'
import { forgetKey } from '../../journal/own-key.js'
import type { OpenJournal } from '../../journal/read.js'
import { inert } from '../../report/inert.js'
import { askPassword, type Terminal } from '../../terminal.js'
import { keyFolder, sealOfRun } from '../one-core/begin-journal.js'
import { type ResumeConfig, resumeConfig } from '../one-core/config.js'
import { inputsOf, runAndReport, stopSignal } from '../one-core/run-and-report.js'
import { abandonedText, giveBackTokens, openRun, takeUp } from '../one-core/take-up.js'
import { EXIT_CODES } from '../shared/exit-codes.js'
import { fleetFileIn, removeJournal, unfinishedRun } from '../shared/folder.js'

/**
 * `core-conformance resume`: finishes a run or a fleet that another process began, or only revokes its tokens.
 * @returns the exit code
 * @throws ConfigError or SuiteError before anything is sent
 */
export async function resume(settings: Settings, terminal: Terminal): Promise<number> {
  const config = resumeConfig(settings)
  const { outDir } = config
  if (fleetFileIn(outDir) && !existsSync(join(outDir, JOURNAL_FILE))) {
    const { resumeFleet } = await import('../fleet/resume-fleet.js')
    return resumeFleet(settings, config, terminal)
  }
  const journal = unfinishedRun(outDir)
  const password = await passwordOf(journal, config, terminal)
  const seal = await sealOfRun(journal, password, settings)
  const own = await openRun(journal, { seal, password }, config, settings, terminal)
  const taken = await takeUp(own, config, terminal)
  const signal = stopSignal(terminal)
  const { met, run, writer } = taken
  const remove = () => {
    removeJournal(outDir)
    forgetKey(journal.run.salt, keyFolder(settings))
  }
  try {
    if (config.abandon) {
      const { tokens, why } = await giveBackTokens(taken, signal)
      if (!tokens.left) remove()
      terminal.stdout.write(abandonedText(tokens, why))
      return tokens.left ? EXIT_CODES.incomplete : 0
    }
    const conclusion = await runAndReport(
      run,
      signal,
      { ...config, reporters: own.reporters, contracts: journal.run.contracts, inputs: inputsOf(journal.run) },
      terminal,
    )
    writer.close()
    if (!conclusion.isOpen) remove()
    return conclusion.code
  } finally {
    await met.close()
  }
}

async function passwordOf({ run }: OpenJournal, config: ResumeConfig, terminal: Terminal): Promise<string> {
  if (run.target.kind === 'mock') return ''
  const password = config.password(run.target.url)
  if (run.configuration.accessControl === 'off') return password ?? ''
  return password ?? (await askPassword(terminal, `Password of ${inert(run.target.username)}: `))
}
