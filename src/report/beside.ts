import type { RunResult } from '../result.js'
import { writeFound } from './found.js'
import { writeScripts } from './scripts.js'

/**
 * Writes what lies in folders beside the reports: the specs that were found by exploring, and the scripts that show failures.
 * @param hasConsole whether there is a console report, which names the scripts; other reports hold them
 * @returns the paths that were written
 * @throws Error that says why a file cannot be, and what to do
 */
export async function writeBeside(result: RunResult, outDir: string, hasConsole: boolean): Promise<string[]> {
  return [...(await writeFound(result, outDir)), ...(hasConsole ? await writeScripts(result, outDir) : [])]
}
