import { join } from 'node:path'
import type { RunResult } from '../result.js'
import { createFolder, writeWhole } from './write.js'

/** The folder, inside the report folder, for the findings of exploring: one spec a file, for `run --specs`. */
export const FOUND_FOLDER = 'found'

/**
 * Writes each finding of a run as a spec file. The files of earlier runs stay.
 * @returns the paths that were written
 * @throws Error that says why a file cannot be written, and what to do
 */
export async function writeFound({ exploration }: Pick<RunResult, 'exploration'>, outDir: string): Promise<string[]> {
  const { findings = [] } = exploration ?? {}
  if (findings.length === 0) return []
  const folder = join(outDir, FOUND_FOLDER)
  await createFolder(folder, '--out')
  const paths: string[] = []
  for (const { id, yaml } of findings) {
    const path = join(folder, `${id}.yaml`)
    await writeWhole(path, yaml, '--out')
    paths.push(path)
  }
  return paths
}
