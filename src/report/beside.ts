import { join } from 'node:path'
import type { RunResult } from '../result.js'
import { FOUND_FOLDER, rerunLine } from './reproduce.js'
import { scriptsOf } from './scripts.js'
import type { OutFile } from './write.js'

/**
 * Makes the files in folders beside the reports: specs that exploring found, and scripts that show failures.
 * @param hasConsole whether there is a console report. It names the scripts; the other reports contain them
 */
export function filesBeside(result: RunResult, hasConsole: boolean): OutFile[] {
  return [...foundOf(result), ...(hasConsole ? scriptsOf(result) : [])]
}

/** The line of a finding that says how to repeat it. Only here it is known where the file is. */
const REPEAT = /^(# Repeat it: ).*$/m

/** Makes a spec file of each finding of a run. */
function foundOf(result: RunResult): OutFile[] {
  return (result.exploration?.findings ?? []).map(({ id, yaml }) => {
    const spec = result.specs.find(each => each.id === id)
    const text = spec ? yaml.replace(REPEAT, (_line, start: string) => start + rerunLine(result, spec)) : yaml
    return { path: join(FOUND_FOLDER, `${id}.yaml`), text }
  })
}
