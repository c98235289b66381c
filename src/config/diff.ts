import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { numbered } from '../ground/count.js'
import { OF_RUNS } from '../options/diff.js'
import { RUN } from '../options/run.js'
import { DIFF_REPORTERS } from '../report/diff.js'
import { isOwnReporter } from '../report/reporter.js'
import { REPORTERS, RESULT_FILE } from '../report/reporters.js'
import { hint } from '../suite/problem.js'
import { ConfigError } from './error.js'
import { targetSecret } from './one-core.js'
import { DEFAULT_OUT, type RunConfig, runConfig } from './run.js'
import { CONFIG_FILE, type Settings } from './settings.js'
import { isSet, list } from './values.js'

/** A `diff`, as configured. */
export interface DiffConfig {
  /** What is compared, the oldest first. */
  operands: Operand[]
  outDir: string
  /** Names. */
  reporters: string[]
  /** No progress, and on the console nothing of what is harmless. */
  quiet: boolean
  /** What the user should know, though it stops nothing. */
  warnings: string[]
}

/** One of what is compared. */
export type Operand = FileOperand | LiveOperand

/** The result of a run. */
export interface FileOperand {
  kind: 'file'
  file: string
}

/** A Core that is to be run now. */
export interface LiveOperand {
  kind: 'live'
  /** How messages and reports call it: as the configuration file does, else its host. */
  name: string
  /** The run, as `run --target` would be configured. */
  run: RunConfig & { target: NonNullable<RunConfig['target']> }
  /** How messages call what selects its specs. */
  onlyLabel: string | undefined
  /** Where its password may come from. */
  passwordVariables: string[]
}

const ALL = DIFF_REPORTERS.map(({ name }) => name)

/**
 * Makes a {@link DiffConfig} of the settings.
 * @throws ConfigError for the first value that cannot be used, an operand that is nothing, and a Core that is there twice
 */
export function diffConfig(settings: Settings): DiffConfig {
  const names = list(settings, 'reporter')
  const stranger = names.find(name => !ALL.includes(name))
  if (stranger !== undefined)
    throw new ConfigError(`${settings.get('reporter')?.label}: there is no report '${stranger}'${hint(stranger, ALL)}`)
  const outDir = settings.get('out')?.text ?? DEFAULT_OUT
  const operands = operandsOf(settings, outDir)
  refuseTwice(operands)
  return {
    operands,
    outDir,
    reporters: names.length ? ALL.filter(name => names.includes(name)) : ALL,
    quiet: isSet(settings, 'quiet'),
    warnings: operands.flatMap(operand => (operand.kind === 'live' ? warningOf(operand, settings) : [])),
  }
}

function operandsOf(settings: Settings, outDir: string): Operand[] {
  const given = settings.operands
  const kinds = given.map(text => kindOf(text, settings))
  const live = kinds.flatMap((kind, place) => (kind === 'file' ? [] : [place]))
  if (!live.length) refuseRunFlags(settings)
  return given.map((text, place): Operand => {
    const kind = kinds[place]
    if (kind === 'file') return { kind, file: text }
    const name = kind === 'target' ? text : hostOf(text)
    const core = {
      target: text,
      label: `operand ${place + 1}`,
      index: live.indexOf(place),
      count: live.length,
      flags: { out: join(outDir, `${place + 1}-${folderName(name)}`) },
    }
    const own = kind === 'target' ? [targetSecret('CORE_PASSWORD', text)] : []
    return { ...liveOperand(name, settings.forCore(RUN_HERE, core)), passwordVariables: [...own, 'CORE_PASSWORD'] }
  })
}

/** What of `run` counts here: a comparison neither leaves waits to others, nor writes contracts. */
const RUN_HERE = {
  ...RUN,
  options: RUN.options.filter(
    ({ flag }) => ['target', 'out', 'reporter'].includes(flag) || OF_RUNS.some(option => option.flag === flag),
  ),
}

function liveOperand(name: string, settings: Settings): Omit<LiveOperand, 'passwordVariables'> {
  const { target, ...run } = runConfig(settings)
  if (!target) throw new ConfigError(`${name} has no URL`)
  // The console is of the comparison, and so is what GitHub is told; the comparison can be made anew of a result only.
  const files = REPORTERS.filter(({ file }) => file !== undefined)
  const ours = files.filter(({ name, file }) => run.reporters.includes(name) || file === RESULT_FILE)
  return {
    kind: 'live',
    name,
    run: {
      ...run,
      target,
      reporters: [...ours.map(({ name }) => name), ...run.reporters.filter(isOwnReporter)],
    },
    onlyLabel: settings.get('only')?.label,
  }
}

/** A URL is known by its `://`; a name of a target is one even if there is such a file, which is still `./NAME`. */
function kindOf(text: string, settings: Settings): 'url' | 'target' | 'file' {
  if (text.includes('://')) return 'url'
  const { configFile } = settings
  if (configFile?.targets.has(text)) return 'target'
  if (existsSync(text)) return 'file'
  // What is no path of a file may hold credentials, and is not repeated.
  const shown = text.includes('@') ? 'one of the operands' : `'${text}'`
  const targets = configFile
    ? `no target of ${configFile.path}${/^[\w.-]+$/.test(text) ? hint(text, configFile.targets.keys()) : ''}`
    : `no target, since there is no ${CONFIG_FILE}`
  throw new ConfigError(`${shown} is nothing to compare: no file, no URL (https://…), and ${targets}`)
}

function warningOf({ name }: LiveOperand, { configFile, operands }: Settings): string[] {
  if (!configFile || !operands.includes(name) || !existsSync(name)) return []
  return [`${name} is taken for the target of ${configFile.path}; the file of that name is ./${name}`]
}

/** The host of a URL, with its port; whatever it is, it holds no credentials. */
function hostOf(text: string): string {
  return URL.canParse(text) ? new URL(text).host || 'core' : 'core'
}

function folderName(name: string): string {
  return name
    .replace(/[^\w.]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60)
}

/** Two runs of one Core at a time would end each other's tokens, and fill its tables. */
function refuseTwice(operands: Operand[]): void {
  const places = new Map<string, number>()
  for (const [place, operand] of operands.entries()) {
    if (operand.kind === 'file') continue
    const { origin } = operand.run.target.url
    const other = places.get(origin)
    if (other !== undefined) {
      throw new ConfigError(
        `operands ${other + 1} and ${place + 1} are the same Core (${origin}), and two runs at a time would disturb each other: run it once with --out, and compare its result.json`,
      )
    }
    places.set(origin, place)
  }
}

/** Flags for runs, where there are none, are a misunderstanding; variables may be there for others. */
function refuseRunFlags(settings: Settings): void {
  const stray = OF_RUNS.flatMap(({ flag }) => settings.from(flag, 'flag')?.label ?? [])
  if (!stray.length) return
  throw new ConfigError(
    `${stray.join(', ')}: all operands are results, and no Core is run; leave ${numbered(stray.length, 'it', 'them')} out`,
  )
}
