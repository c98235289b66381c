/**
 * Compiles the built-in specs to dist/suite.json, so that a run does not spend a quarter of a second on reading YAML. It is
 * used for as long as the files are the same to the byte; see src/suite/compiled.ts. Broken specs are left to the run,
 * which says what is wrong with them.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compile } from '../dist/suite/compiled.js'
import { loadSuite } from '../dist/suite/load.js'
import { SuiteError } from '../dist/suite/problem.js'

const folder = fileURLToPath(new URL('../specs', import.meta.url))
try {
  const suite = loadSuite([{ path: folder, label: 'specs' }])
  writeFileSync(new URL('../dist/suite.json', import.meta.url), compile(folder, suite))
} catch (error) {
  if (!(error instanceof SuiteError)) throw error
}
