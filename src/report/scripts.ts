/** Makes the scripts that repeat failures, for a folder beside the reports. */
import { join } from 'node:path'
import type { RunResult, SpecRecord } from '../result.js'
import { scriptOf } from './by-hand.js'
import { FOUND_FOLDER, isRepeatable, rerunLine } from './reproduce.js'
import type { OutFile } from './write.js'

/** The folder, inside the report folder, with a shell script for each failed spec. */
export const SCRIPTS_FOLDER = 'reproduce'

/** The first lines of each script. A file without them is not ours. */
export const SCRIPT_HEAD = '#!/bin/sh\n# core-conformance: '

/** File mode: all for the owner, read and run for others. The scripts hold no secret. */
const RUNNABLE = 0o755

/** Returns the file name of a spec's script. Characters that no file name should have become `-`. */
export function scriptName({ id }: SpecRecord): string {
  return `${id.replace(/[^\w.-]/g, '-').replace(/^\.+/, '') || 'spec'}.sh`
}

/**
 * Makes the files in folders beside the reports: specs that exploring found, and scripts that show failures.
 * @param hasConsole whether there is a console report. It names the scripts; the other reports contain them
 */
export function filesBeside(result: RunResult, hasConsole: boolean): OutFile[] {
  const found = (result.exploration?.findings ?? []).map(({ id, yaml }) => {
    const spec = result.specs.find(each => each.id === id)
    // Only here it is known where the file is.
    const text = spec ? yaml.replace(/^(# Repeat it: ).*$/m, (_, start) => start + rerunLine(result, spec)) : yaml
    return { path: join(FOUND_FOLDER, `${id}.yaml`), text }
  })
  const failed = result.specs.filter(spec => hasConsole && spec.outcome === 'failed' && isRepeatable(spec))
  const scripts = failed.flatMap(spec => {
    const text = scriptOf(result, spec)
    return text === undefined ? [] : [{ path: join(SCRIPTS_FOLDER, scriptName(spec)), text, mode: RUNNABLE }]
  })
  return [...found, ...scripts]
}
