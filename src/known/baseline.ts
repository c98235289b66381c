/** Reads baselines: the user's files of specs that are known to fail. Format: `contracts/baseline.schema.json`. */
import type { KnownFailure } from '../result.js'
import { type Problem, SuiteError } from '../suite/problem.js'
import type { BaselineFile } from './types.js'

/** One spec that is known to fail. `line` is the 1-based line of its entry. */
export interface Entry extends KnownFailure {
  spec: string
  line: number
}

/** A baseline that was read. */
export interface Baseline {
  /** The path, as the user wrote it. */
  file: string
  entries: Entry[]
}

/** What the reader of a baseline must know of the run. */
export interface BaselineUse {
  /** All specs of the suite. An entry for another spec is a mistake. Absent: entries are not checked for that. */
  specs?: readonly { id: string; level: 'must' | 'observe' }[]
  /** The firmware, as the user says. */
  firmware: string | undefined
}

/**
 * Reads a baseline. Leaves out entries for a range of firmware that does not include the given firmware.
 * @throws SuiteError with every problem, each with its place: a breach of the schema, an unknown spec, a malformed range, or a
 *   range that cannot be checked because no firmware was given
 */
export async function readBaseline(file: string, { specs, firmware }: BaselineUse): Promise<Baseline> {
  const { readDocument } = await import('../suite/document.js')
  const { value, problemAt } = readDocument<BaselineFile>(file, file, 'baseline')
  const { hint } = await import('../suite/problem.js')
  const ids = specs?.map(({ id }) => id)
  const problems: Problem[] = []
  const entries: Entry[] = []
  for (const [spec, known] of Object.entries(value)) {
    const miss = (key: string | undefined, message: string) =>
      problems.push(problemAt(key === undefined ? [spec] : [spec, key], message))
    const { expires } = known
    if (ids && !ids.includes(spec)) miss(undefined, `there is no spec '${spec}'${hint(spec, ids)}`)
    else if (specs?.some(({ id, level }) => id === spec && level === 'observe')) {
      miss(undefined, `'${spec}' only observes, so it cannot fail: remove it`)
    }
    if (expires !== undefined && !isDay(expires)) miss('expires', `there is no such day as ${expires}`)
    const fits = known.firmware === undefined || (await inRange(known.firmware, firmware))
    if (fits === undefined)
      miss('firmware', `this entry is for firmware ${known.firmware}: say which one it is with --firmware`)
    else if (typeof fits === 'string') miss('firmware', fits)
    else if (fits) entries.push({ ...known, spec, line: problemAt([spec], '').line })
  }
  if (problems.length) throw new SuiteError(problems)
  return { file, entries }
}

function isDay(text: string): boolean {
  const time = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text)
}

/**
 * Checks whether a firmware is in a range. `2.4` counts as 2.4.0, and a prerelease as a version of its own.
 * @returns true or false; a message where the range or the firmware is no version; undefined where no firmware was given
 */
export async function inRange(range: string, firmware: string | undefined): Promise<boolean | string | undefined> {
  const { default: semver } = await import('semver')
  if (semver.validRange(range) === null) return `'${range}' is no range of versions: use one such as '>=2.1 <2.4'`
  if (firmware === undefined) return undefined
  const version = semver.valid(firmware) ?? semver.coerce(firmware, { includePrerelease: true })
  if (version === null) return `the firmware '${firmware}' is no version, so whether it is in '${range}' cannot be said`
  return semver.satisfies(version, range, { includePrerelease: true })
}
