import type { RunResult } from '../result.js'
import { foundOf } from './found.js'
import { scriptsOf } from './scripts.js'
import type { OutFile } from './write.js'

/**
 * Makes the files in folders beside the reports: specs that exploring found, and scripts that show failures.
 * @param hasConsole whether there is a console report. It names the scripts; the other reports contain them
 */
export function filesBeside(result: RunResult, hasConsole: boolean): OutFile[] {
  return [...foundOf(result), ...(hasConsole ? scriptsOf(result) : [])]
}
