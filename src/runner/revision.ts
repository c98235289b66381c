import { ConfigError } from '../config/error.js'
import { factNames } from '../engine/facts.js'
import type { RunOptions } from '../engine/options.js'
import { count, numbered } from '../ground/count.js'
import type { KnownBeforehand } from '../known/known-beforehand.js'
import { SuiteError } from '../suite/problem.js'
import type { Suite } from '../suite/spec.js'

/**
 * Reads the pins and the baseline of a run.
 * @param warn receives a sentence with the pinned facts that no spec observes, and one about entries that name no symptom
 * @returns a function that applies both to the outcomes; empty where there are neither pins nor a baseline
 * @throws ConfigError with every problem of the first file that cannot be used; ResultFileError
 */
export async function revision(
  { pins: pinFile, baseline: baselineFile, firmware }: KnownBeforehand,
  { specs }: Suite,
  warn: (message: string) => void,
): Promise<Pick<RunOptions, 'revise'>> {
  if (pinFile === undefined && baselineFile === undefined) return {}
  const pins =
    pinFile === undefined
      ? undefined
      : await usable('pins', async () => (await import('../known/pins.js')).readPins(pinFile, factNames(specs)))
  const baseline =
    baselineFile === undefined
      ? undefined
      : await usable('baseline', async () =>
          (await import('../known/baseline.js')).readBaseline(baselineFile, { specs, firmware }),
        )
  if (pins?.unknown.length) warn(`no spec observes these facts of ${pins.file}: ${pins.unknown.join(', ')}`)
  const loose = baseline?.entries.filter(({ seen }) => seen === undefined) ?? []
  if (baseline && loose.length > 0)
    warn(
      `${count(loose.length, 'entry', 'entries')} of ${baseline.file} ${numbered(loose.length, 'does', 'do')} not say what was seen, so any failure of ${numbered(loose.length, 'its spec', 'their specs')} is accepted: the command baseline update adds it`,
    )
  const { applyBaseline } = await import('../known/apply-baseline.js')
  const { pinRecords } = await import('../known/apply-pins.js')
  return {
    revise: (records, facts) => {
      const today = new Date().toISOString().slice(0, 10)
      const known = baseline ? applyBaseline(records, baseline, today) : records
      return pins ? [...known, ...pinRecords(pins, facts, records)] : known
    },
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
