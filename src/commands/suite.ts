import { fileURLToPath } from 'node:url'
import { compiledSuite } from '../suite/compiled.js'
import type { Suite } from '../suite/spec.js'

/** The folder of the package, with a slash at its end. */
export const PACKAGE = new URL('../../', import.meta.url)

/**
 * Loads the built-in specs and those of the user's folders.
 * @throws SuiteError
 */
export async function loadSpecs(folders: string[]): Promise<Suite> {
  const builtIn = fileURLToPath(new URL('specs', PACKAGE))
  const compiled = folders.length
    ? undefined
    : compiledSuite(builtIn, fileURLToPath(new URL('dist/suite.json', PACKAGE)))
  if (compiled) return compiled
  const { loadSuite } = await import('../suite/load.js')
  return loadSuite([
    { path: builtIn, label: 'specs' },
    ...folders.map(folder => ({ path: folder, label: folder.replace(/[/\\]+$/, '') })),
  ])
}
