/** The scripts that show failures by hand, in a folder beside the reports. */
import { chmod, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunResult, SpecRecord } from '../result.js'
import { isRepeatable, scriptOf } from './reproduce.js'
import { createFolder, explained, writeWhole } from './write.js'

/** The folder, in that of the reports: a shell script for each spec that failed. */
export const SCRIPTS_FOLDER = 'reproduce'

/** How each of them begins; what begins otherwise is somebody else's. */
const HEAD = '#!/bin/sh\n# core-conformance: '

/** Owner: all; others: read and run. There is no secret in them. */
const RUNNABLE = 0o755

/** The file of the script of a spec; what no file is called after stands as `-`. */
export function scriptName({ id }: Pick<SpecRecord, 'id'>): string {
  return `${id.replace(/[^\w.-]/g, '-').replace(/^\.+/, '') || 'spec'}.sh`
}

/**
 * Writes the script of each spec that failed, and takes those of an earlier run away.
 * @returns the paths that were written
 * @throws Error that says why a file cannot be, and what to do
 */
export async function writeScripts(result: RunResult, outDir: string): Promise<string[]> {
  await removeScripts(outDir)
  const failed = result.specs.filter(spec => spec.outcome === 'failed' && isRepeatable(spec))
  const scripts = failed.flatMap(spec => {
    const script = scriptOf(result, spec)
    return script === undefined ? [] : [{ path: join(outDir, SCRIPTS_FOLDER, scriptName(spec)), script }]
  })
  if (scripts.length === 0) return []
  await createFolder(join(outDir, SCRIPTS_FOLDER), '--out')
  for (const { path, script } of scripts) {
    await writeWhole(path, script, '--out')
    await chmod(path, RUNNABLE)
  }
  return scripts.map(({ path }) => path)
}

/** Takes away the scripts that an earlier run left; of a folder that holds anything else, only these. */
export async function removeScripts(outDir: string): Promise<void> {
  const folder = join(outDir, SCRIPTS_FOLDER)
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter(each => each.endsWith('.sh'))) {
    const path = join(folder, name)
    const text = await readFile(path, 'utf8').catch(() => '')
    if (!text.startsWith(HEAD)) continue
    await rm(path, { force: true }).catch(cause => {
      throw explained('Cannot replace', path, cause, '--out')
    })
  }
}
