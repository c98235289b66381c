/** Reads `.env`, and warns about variables that no command reads. */
import { isUtf8 } from 'node:buffer'
import { parse as parseDotenv } from 'dotenv'
import { ConfigError } from '../ground/config-error.js'
import { MOST_FILE_BYTES, readRegular, Unreadable } from '../ground/file.js'
import { nearest, systemReason } from '../suite/problem.js'
import { type Command, variablesByFlag, variablesOf } from './command.js'
import { isTargetSecret } from './target-secrets.js'

/**
 * Reads the variables of `.env`.
 * @param folder the folder with the `.env`
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
    const near = variablesByFlag(commands).get(name.toUpperCase()) ?? nearest(name, known)
    if (near) return [`${name}${where} means nothing here; did you mean ${near}?`]
    return where ? [`${name}${where} means nothing here`] : []
  })
}
