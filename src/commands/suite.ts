import { fileURLToPath } from 'node:url'
import { loadSuite } from '../suite/load.js'
import type { Suite } from '../suite/spec.js'

/** The folder of the package, with a slash at its end. */
export const PACKAGE = new URL('../../', import.meta.url)

/**
 * Loads the built-in specs and those of the user's folders.
 * @throws SuiteError
 */
export function loadSpecs(folders: string[]): Suite {
  return loadSuite([
    { path: fileURLToPath(new URL('specs', PACKAGE)), label: 'specs' },
    ...folders.map(folder => ({ path: folder, label: folder.replace(/[/\\]+$/, '') })),
  ])
}
