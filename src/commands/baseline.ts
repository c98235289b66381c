import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Settings } from '../config/settings.js'
import { ConfigError } from '../ground/config-error.js'
import { updateBaseline } from '../known/update-baseline.js'
import { inert } from '../report/inert.js'
import { readResult } from '../report/read.js'
import { createFolder, writeWhole } from '../report/write.js'
import { usable } from '../runner/choose-specs.js'
import type { Terminal } from '../terminal.js'
import { BASELINE_UPDATE } from './shared/declared.js'
import { givenFile } from './shared/given.js'

/** `core-conformance baseline update`: brings a baseline up to date with a run, and prints what changed in it. */
export async function baselineUpdate(settings: Settings, { stdout }: Terminal): Promise<number> {
  const { from, baseline, reason: given } = settings.values(BASELINE_UPDATE.settings)
  if (baseline === undefined) throw new ConfigError('no baseline: name the file with --baseline')
  const reason = given?.trim() || undefined
  const result = await readResult(from)
  const old = existsSync(baseline)
    ? givenFile(baseline, `the baseline ${baseline} cannot be read`).toString()
    : undefined
  const { text, added, changed, removed, kept } = await usable('baseline', () =>
    updateBaseline(baseline, old, result, reason),
  )
  await createFolder(dirname(baseline), '--baseline')
  await writeWhole(baseline, text, '--baseline')
  const lines = [
    ...added.map(id => `+ ${id}`),
    ...changed.map(id => `~ ${id} fails otherwise than it says`),
    ...removed.map(id => `- ${id}`),
    `${baseline}: ${added.length} added, ${changed.length} changed, ${removed.length} removed, ${kept.length} kept`,
    ...(added.length + changed.length && reason === undefined
      ? ['Fill in the reasons of those added and changed: run refuses the file before.']
      : []),
  ]
  stdout.write(lines.map(line => `${inert(line)}\n`).join(''))
  return 0
}
