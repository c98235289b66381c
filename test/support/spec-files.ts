/** Loads the spec files of a test, after those of `fixtures/specs/base`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadSuite } from '../../dist/suite/load.js'
import { type Problem, SuiteError } from '../../dist/suite/problem.js'
import type { Suite } from '../../dist/suite/spec.js'
import { makeFolder } from './folder.js'

/** The folder of a few requests and requirements about doors. */
export const BASE = { path: fileURLToPath(new URL('../fixtures/specs/base', import.meta.url)), label: 'base' }

/** Loads a folder `mine` with these files. */
export function loadFiles(files: Record<string, string | Buffer>): Suite {
  const folder = makeFolder()
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return loadSuite([BASE, { path: folder, label: 'mine' }])
}

/** Returns what is wrong with such files, in its order. */
export function problemsIn(load: () => unknown): readonly Problem[] {
  try {
    load()
  } catch (error) {
    if (error instanceof SuiteError) return error.problems
    throw error
  }
  return []
}
