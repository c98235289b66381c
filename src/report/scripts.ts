/** Makes the scripts that repeat failures, for a folder beside the reports. */
import { join } from 'node:path'
import type { RunResult, SpecRecord } from '../result.js'
import { scriptOf } from './by-hand.js'
import { isRepeatable } from './reproduce.js'
import type { OutFile } from './write.js'

/** The folder, inside the report folder, with a shell script for each failed spec. */
export const SCRIPTS_FOLDER = 'reproduce'

/** The first lines of each script. A file without them is not ours. */
export const SCRIPT_HEAD = '#!/bin/sh\n# core-conformance: '

/** File mode: all for the owner, read and run for others. The scripts hold no secret. */
const RUNNABLE = 0o755

/** Returns the file name of a spec's script. Characters that no file name should have become `-`. */
export function scriptName({ id }: Pick<SpecRecord, 'id'>): string {
  return `${id.replace(/[^\w.-]/g, '-').replace(/^\.+/, '') || 'spec'}.sh`
}

/** Makes the script of each failed spec. */
export function scriptsOf(result: RunResult): OutFile[] {
  const failed = result.specs.filter(spec => spec.outcome === 'failed' && isRepeatable(spec))
  return failed.flatMap(spec => {
    const text = scriptOf(result, spec)
    return text === undefined ? [] : [{ path: join(SCRIPTS_FOLDER, scriptName(spec)), text, mode: RUNNABLE }]
  })
}
