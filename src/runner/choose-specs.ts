import { fileURLToPath } from 'node:url'
import { factNames } from '../engine/facts.js'
import type { RunOptions } from '../engine/options.js'
import { ConfigError } from '../ground/config-error.js'
import { count, numbered } from '../ground/count.js'
import type { Told } from '../journal/line.js'
import { compiledSuite } from '../suite/compiled.js'
import { SuiteError } from '../suite/problem.js'
import { selectSpecs } from '../suite/select.js'
import type { Suite } from '../suite/spec.js'

/** The folder of the package, with a slash at its end. */
export const PACKAGE = new URL('../../', import.meta.url)

/** Loads the built-in specs and those of the user's folders. @throws SuiteError for spec files that cannot be used */
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
 * Reads what the files of a run say: its specs, and what is known of its Core beforehand.
 * @param label name of the selection in messages, such as `--only`
 * @param warn receives a sentence with the pinned facts that no spec observes, and one about entries that name no symptom
 * @throws SuiteError, SelectionError, ResultFileError; ConfigError, also where all that is selected measures the lifetime
 * without `--measure-lifetime`
 */
export async function specsOf(
  { specFolders, configuration, tokenField, known }: Told,
  label: string | undefined,
  warn: (message: string) => void,
  load = loadSpecs,
) {
  const suite = await load(specFolders)
  const { only, measureLifetime } = configuration
  const specs = selectSpecs(suite.specs, only, label).filter(spec => measureLifetime || !spec.measuresLifetime)
  if (!specs.length) throw new ConfigError(`what ${label} names measures the lifetime: that takes --measure-lifetime`)
  return { suite, specs, configuration, tokenField, revise: await revision(known, suite, warn) }
}

/**
 * Reads the pins and the baseline of a run.
 * @returns a function that applies both to the outcomes; undefined where there are neither pins nor a baseline
 * @throws ConfigError with every problem of the first file that cannot be used; ResultFileError
 */
async function revision(
  { pins: pinFile, baseline: baselineFile, firmware }: Told['known'],
  { specs }: Suite,
  warn: (message: string) => void,
): Promise<RunOptions['revise']> {
  if (pinFile === undefined && baselineFile === undefined) return undefined
  const { pinRecords, readPins } = await import('../known/pins.js')
  const { applyBaseline, readBaseline } = await import('../known/baseline.js')
  const pins = pinFile === undefined ? undefined : await usable('pins', () => readPins(pinFile, factNames(specs)))
  const baseline =
    baselineFile === undefined
      ? undefined
      : await usable('baseline', () => readBaseline(baselineFile, { specs, firmware }))
  if (pins?.unknown.length) warn(`no spec observes these facts of ${pins.file}: ${pins.unknown.join(', ')}`)
  const loose = baseline?.entries.filter(({ seen }) => seen === undefined) ?? []
  if (baseline && loose.length > 0)
    warn(
      `${count(loose.length, 'entry', 'entries')} of ${baseline.file} ${numbered(loose.length, 'does', 'do')} not say what was seen, so any failure of ${numbered(loose.length, 'its spec', 'their specs')} is accepted: the command baseline update adds it`,
    )
  return (records, facts) => {
    const today = new Date().toISOString().slice(0, 10)
    const known = baseline ? applyBaseline(records, baseline, today) : records
    return pins ? [...known, ...pinRecords(pins, facts, records)] : known
  }
}

/**
 * Reads a file, and names its purpose where it cannot be used.
 * @param what the purpose in words: `baseline`
 * @throws ConfigError in place of a SuiteError
 */
export async function usable<T>(what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error
    throw new ConfigError(`the ${what} cannot be used:\n${error.message}`)
  }
}
