import { fileURLToPath } from 'node:url'
import { ConfigError } from '../config/error.js'
import type { ConfigurationRecord } from '../settings/record.js'
import { compiledSuite } from '../suite/compiled.js'
import { selectSpecs } from '../suite/select.js'
import type { Spec, Suite } from '../suite/spec.js'

/** The folder of the package, with a slash at its end. */
export const PACKAGE = new URL('../../', import.meta.url)

/**
 * Loads the built-in specs and those of the user's folders.
 * @throws SuiteError for spec files that cannot be used
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
    ...folders.map(folder => ({ path: folder, label: folder.replace(/[/\\]+$/, ''), isOwn: true as const })),
  ])
}

/**
 * Returns the specs that a configuration selects.
 * @param label name of the selection in messages, such as `--only`
 * @throws SelectionError; ConfigError where all selected specs measure the lifetime without `--measure-lifetime`
 */
export function selectedSpecs(
  { specs }: Suite,
  { only, measureLifetime }: Pick<ConfigurationRecord, 'only' | 'measureLifetime'>,
  label: string | undefined,
): Spec[] {
  const selected = selectSpecs(specs, only, label)
  const asked = selected.filter(spec => measureLifetime || !spec.measuresLifetime)
  if (!asked.length) throw new ConfigError(`what ${label} names measures the lifetime: that takes --measure-lifetime`)
  return asked
}
