/** Reads the variables of `.env`, and warns about variables that are not used as their user may think. */
import { isUtf8 } from 'node:buffer'
import { parse as parseDotenv } from 'dotenv'
import { ConfigError } from '../ground/config-error.js'
import { MOST_FILE_BYTES, readRegular, Unreadable } from '../ground/file.js'
import { variableOf } from '../settings/setting.js'
import { hint, nearest, systemReason } from '../suite/problem.js'
import { type Command, optionsOf, variablesOf } from './command.js'
import type { ConfigFile } from './file.js'

/**
 * Reads the variables of `.env`.
 * @param warn receives a warning for each value that an unquoted `#` cuts short
 * @returns the values by name; none where there is no `.env`
 * @throws ConfigError where the file cannot be read or is not UTF-8
 */
export function readDotenv(folder: string, warn: (message: string) => void): Record<string, string> {
  let bytes: Buffer
  try {
    bytes = readRegular(`${folder}/.env`, MOST_FILE_BYTES)
  } catch (error) {
    if (error instanceof Unreadable) throw new ConfigError(`.env ${error.message}: fix that, or move the file away`)
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new ConfigError(`.env cannot be read: ${systemReason(error, 'file')}; fix that, or move the file away`)
  }
  const text = bytes.toString('utf8')
  // Some editors and shells write UTF-16. Its variables would be missed in silence.
  if (!isUtf8(bytes) || text.includes('\0')) throw new ConfigError('.env is not UTF-8 text: save it as UTF-8')
  for (const [, name] of text.matchAll(
    /^[ \t]*(?:export[ \t]+)?(CORE_[A-Z_]+)[ \t]*=(?![ \t]*["'`])(?:[^\n#]*[^\s#])?#/gm,
  )) {
    warn(`the value of ${name} in .env ends before its '#'; put it in quotes if the '#' belongs to it`)
  }
  return parseDotenv(text)
}

/**
 * Returns warnings about variables `CORE_…` that no command reads. In the environment, only a name that resembles a
 * known one counts as a mistake; in `.env`, every unknown name does.
 * @param names the names of the variables, in the order of their warnings
 * @param where words after the name in the warning: ` in .env`, or empty for the environment
 */
export function strangeNames(names: readonly string[], where: string, commands: readonly Command[]): string[] {
  const known = variablesOf(commands)
  const strangers = names.filter(name => /^core[_-]/i.test(name) && !known.has(name) && !isTargetSecret(name))
  return strangers.flatMap(name => {
    // Its flag may suggest another name: `CORE_TARGET` leads to `CORE_URL`.
    const meant = optionsOf(commands).find(({ flag }) => variableOf(flag) === name.toUpperCase())
    const near = meant?.env ?? nearest(name, known)
    if (near) return [`${name}${where} means nothing here; did you mean ${near}?`]
    return where ? [`${name}${where} means nothing here`] : []
  })
}

/** Variables that each target may have for itself. */
const SECRETS = ['CORE_PASSWORD', 'CORE_CONTROL_KEY'] as const
const TARGET_SECRET = /^CORE_(PASSWORD|CONTROL_KEY)_[A-Z0-9_]+$/

/** Returns the variable for a secret of one target: `CORE_PASSWORD_LAB_2` for `lab-2`. */
export function targetSecret(env: string, target: string): string {
  return `${env}_${target.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`
}

/** Whether a variable has the form of a secret of one target. */
export function isTargetSecret(name: string): boolean {
  return TARGET_SECRET.test(name)
}

/**
 * Returns a warning for each secret of a target that does not exist.
 * @param file the configuration file; undefined where there is none
 */
export function strayTargetSecrets(names: string[], file: ConfigFile | undefined): string[] {
  const given = [...new Set(names)].filter(isTargetSecret)
  if (!given.length) return []
  const targets = [...(file?.targets.keys() ?? [])]
  const known = new Set(targets.flatMap(target => SECRETS.map(env => targetSecret(env, target))))
  return given
    .filter(name => !known.has(name))
    .sort()
    .map(name =>
      file
        ? `${name} means nothing here: ${file.path} has no such target${hint(name, known)}`
        : `${name} means nothing here: there is no configuration file that names a target`,
    )
}

const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']

/**
 * Returns a warning where a proxy is set that other programs would use for one of these Cores. It is not used: it would see when
 * and where tokens are used, and change how a Core times them.
 * @param targets base URLs, or names of targets
 * @returns one sentence; none where no such proxy is set
 */
export function unusedProxy(env: Readonly<Record<string, string | undefined>>, targets: string[]): string[] {
  const name = PROXIES.find(each => env[each])
  if (name === undefined || targets.every(target => isLeftOut(target, env.NO_PROXY || env.no_proxy || ''))) return []
  return [
    `${name} is set and not used: connections go straight to the Core; where only a proxy leads to it, run this beside it`,
  ]
}

/** Whether `NO_PROXY` covers the host of a URL: by its name, by a domain, or by `*`. */
function isLeftOut(target: string, list: string): boolean {
  const host = URL.canParse(target) ? new URL(target).hostname : undefined
  const names = list.split(/[,\s]+/).map(name =>
    name
      .replace(/^\*?\./, '')
      .replace(/:\d+$/, '')
      .toLowerCase(),
  )
  return names.some(name => name === '*' || (host !== undefined && name !== '' && `.${host}`.endsWith(`.${name}`)))
}
