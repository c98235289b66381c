import type { RunResult } from '../result.js'
import { writeFound } from './found.js'
import { writeScripts } from './scripts.js'

/**
 * Writes the files in folders beside the reports: specs that exploring found, and scripts that show failures.
 * @param hasConsole whether there is a console report. It names the scripts; the other reports contain them
 * @returns the paths that were written
 * @throws Error that says why a file cannot be written, and what to do
 */
export async function writeBeside(result: RunResult, outDir: string, hasConsole: boolean): Promise<string[]> {
  return [...(await writeFound(result, outDir)), ...(hasConsole ? await writeScripts(result, outDir) : [])]
}
