/** Makes the command line that repeats a failure. */
import { dirname, join } from 'node:path'
import { DEFAULT_OUT, ownCommand } from '../ground/own-command.js'
import type { RunResult, SpecRecord } from '../result.js'
import { RECORDED, recordedValue } from '../settings/record.js'
import { clip } from './inert.js'
import { word } from './shell.js'

/** The folder, inside the report folder, for the findings of exploring: one spec a file, for `run --specs`. */
export const FOUND_FOLDER = 'found'

/** The folder, inside the report folder, with a folder for each repeated spec. */
const RERUN_FOLDER = 'rerun'

const TRUST = ['ca-file', 'fingerprint', 'insecure'] as const

/** Longest value in a command line, in characters. */
const LENGTH = 500

/** Whether a failure can be repeated by its id. Pinned facts, baseline entries and what was repeated already cannot: they are in no file. */
export function isRepeatable({ id, pin, area, file }: SpecRecord): boolean {
  // A result from elsewhere may hold any text as an id.
  return pin === undefined && area !== 'baseline' && file !== '' && /^[\w.-]{1,200}$/.test(id)
}

/**
 * Returns the command that repeats one spec: `core-conformance run --target https://10.0.0.5 --username admin --only ID --out
 * reports/rerun/ID`. It says what the command line said, and writes to a folder of its own, so that the reports of the run stay.
 * The password, and what the environment said, come from the same place as before.
 * @param trust whether to name the certificate of the Core where the user named no trust. The line is then complete, but long
 */
export function rerunLine(result: RunResult, spec: SpecRecord, trust = true): string {
  const { target, configuration, exploration, out = DEFAULT_OUT } = result
  const isCore = target.kind !== 'mock'
  const { target: named, ...flags } = target.flags ?? {}
  // The configuration file has the trust of a target that it names.
  const hasTrust = named !== undefined || TRUST.some(flag => flags[flag] !== undefined)
  const isFound = exploration?.findings.some(({ id }) => id === spec.id) === true
  const own = join(RERUN_FOLDER, spec.id)
  const folder = isFound ? join(out, FOUND_FOLDER) : spec.isOwn ? dirname(spec.file) : undefined
  const given: (readonly [flag: string, value: string | undefined | false])[] = [
    ['target', isCore && clip(named ?? target.url, LENGTH)],
    ...Object.entries(flags).map(([flag, value]) => [flag, isCore && clip(String(value), LENGTH)] as const),
    ['fingerprint', isCore && trust && !hasTrust && target.certificateFingerprint],
    ...RECORDED.filter(({ isRepeated }) => isRepeated).map(setting => {
      const value = recordedValue(configuration, setting) ?? setting.usual
      return [setting.flag, value !== setting.usual && clip(setting.takes.write(value), LENGTH)] as const
    }),
    ['specs', folder],
    ['only', spec.id],
    // A repetition that is repeated again replaces itself.
    ['out', out.endsWith(own) ? out : join(out, own)],
  ]
  const words = given.flatMap(([flag, value]) =>
    !value ? [] : flag === 'insecure' ? [`--${flag}`] : [`--${flag}`, word(value)],
  )
  return [ownCommand('run'), ...words].join(' ')
}

/** Says what the commands of {@link rerunLine} take from the environment; undefined for a mock Core, which needs nothing. */
export function rerunNeeds({ target }: RunResult): string | undefined {
  if (target.kind === 'mock') return undefined
  const { target: named, username } = target.flags ?? {}
  if (username !== undefined) return 'the password is taken from CORE_PASSWORD'
  if (named !== undefined) return 'the password is taken from the environment, as in this run'
  return 'user name and password are taken from CORE_USERNAME and CORE_PASSWORD'
}
