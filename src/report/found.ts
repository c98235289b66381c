import { join } from 'node:path'
import type { RunResult } from '../result.js'
import { FOUND_FOLDER, rerunLine } from './reproduce.js'
import { createFolder, writeWhole } from './write.js'

/** The line of a finding that says how to repeat it. Only here it is known where the file is. */
const REPEAT = /^(# Repeat it: ).*$/m

/**
 * Writes each finding of a run as a spec file. The files of earlier runs stay.
 * @returns the paths that were written
 * @throws Error that says why a file cannot be written, and what to do
 */
export async function writeFound(result: RunResult, outDir: string): Promise<string[]> {
  const { findings = [] } = result.exploration ?? {}
  if (findings.length === 0) return []
  const folder = join(outDir, FOUND_FOLDER)
  await createFolder(folder, '--out')
  const paths: string[] = []
  for (const { id, yaml } of findings) {
    const path = join(folder, `${id}.yaml`)
    const spec = result.specs.find(each => each.id === id)
    const text = spec ? yaml.replace(REPEAT, (_line, start: string) => start + rerunLine(result, spec)) : yaml
    await writeWhole(path, text, '--out')
    paths.push(path)
  }
  return paths
}
