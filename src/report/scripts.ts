/** Writes the scripts that repeat failures, in a folder beside the reports. */
import { chmod, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunResult, SpecRecord } from '../result.js'
import { isRepeatable, scriptOf } from './reproduce.js'
import { createFolder, explained, writeWhole } from './write.js'

/** The folder, inside the report folder, with a shell script for each failed spec. */
export const SCRIPTS_FOLDER = 'reproduce'

/** The first lines of each script. A file without them is not ours. */
const HEAD = '#!/bin/sh\n# core-conformance: '

/** File mode: all for the owner, read and run for others. The scripts hold no secret. */
const RUNNABLE = 0o755

/** Returns the file name of a spec's script. Characters that no file name should have become `-`. */
export function scriptName({ id }: Pick<SpecRecord, 'id'>): string {
  return `${id.replace(/[^\w.-]/g, '-').replace(/^\.+/, '') || 'spec'}.sh`
}

/**
 * Writes the script of each failed spec, and removes the scripts of an earlier run.
 * @returns the paths that were written
 * @throws Error that says why a file cannot be written or removed, and what to do
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

/** Removes the scripts that an earlier run left. Leaves all other files of the folder. */
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
