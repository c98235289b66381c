/** Which Cores a command line names: by URL, by name, by a pattern of names, in a file, or all. */

import { CONFIG_FILE } from '../../config/command.js'
import { ConfigError } from '../../config/error.js'
import type { Given } from '../../config/origin.js'
import { readGiven, type Settings } from '../../config/settings.js'
import { MOST_FILE_BYTES, readRegular, Unreadable } from '../../ground/file.js'
import { hint, nearest, systemReason } from '../../suite/problem.js'
import { FLEET } from './settings.js'

/** One Core that was named. */
export interface Named {
  /** Its base URL, or its name in the configuration file. */
  target: string
  /** What named it, as messages call that: `--target`, `labs.txt:3`. */
  label: string
}

/** The Cores that were named, and whether by what may be many: then they are a fleet, however many they are. */
export interface Selection {
  named: Named[]
  isMany: boolean
}

/** One word that names Cores. */
interface Word {
  text: string
  label: string
  /** It had no flag before it, and may be anything that was meant for one, such as a password. */
  isPlain?: boolean
}

/**
 * The Cores that are named: the command line beats the environment, which beats `.env`.
 * @returns undefined where none is
 * @throws ConfigError for a name that there is not, a pattern that nothing fits, a file that cannot be used, and a Core named twice
 */
export function selectionOf(settings: Settings): Selection | undefined {
  for (const origin of ['flag', 'environment', '.env'] as const) {
    const of = (flag: string) => settings.givenIn(flag).find(setting => setting.origin === origin)
    const [target, file, all] = [of('target'), of('targets'), of('all-targets')]
    const isAll = all !== undefined && all.text !== '' && readGiven(all, FLEET.all)
    const places = origin === 'flag' ? settings.operands : []
    if (!target && !file?.text && !isAll && !places.length) continue
    const words = [
      ...(target ? wordsOf(target) : []),
      ...places.map((text, index) => ({ text, label: `target ${index + 1}`, isPlain: true })),
      ...(file?.text ? linesOf(file) : []),
    ]
    const isMany = isAll || Boolean(file?.text) || words.length > 1 || words.some(isPattern)
    // What was named by one word is as it ever was.
    if (!isMany && !places.length) return { named: words.map(({ text, label }) => ({ target: text, label })), isMany }
    const named = [...namedBy(words, settings), ...(isAll ? everyTarget(settings, all) : [])]
    return { named: once(named), isMany }
  }
  return undefined
}

/** A list with commas. An empty one is left for whoever asks for a single target, who says what that may mean. */
function wordsOf({ text, label }: Given): Word[] {
  const parts = text.split(',').map(part => part.trim())
  if (parts.length > 1 && parts.some(part => !part))
    throw new ConfigError(`${label} has nothing between two commas, or at an end: take the comma away, or name a Core`)
  return parts.map(part => ({ text: part, label }))
}

/** The words of a file, one a line; what follows a `#` at the start of a word is for people. */
function linesOf({ text: path, label }: Given): Word[] {
  let content: string
  try {
    content = readRegular(path, MOST_FILE_BYTES).toString('utf8')
  } catch (error) {
    const why = error instanceof Unreadable ? `it ${error.message}` : systemReason(error, 'file')
    throw new ConfigError(`${label}: ${path} cannot be used: ${why}`)
  }
  if (content.includes('\0')) throw new ConfigError(`${label}: ${path} is no text: save it as UTF-8, a Core a line`)
  const words = content
    .replace(/^\ufeff/, '')
    .split(/\r\n|\r|\n/)
    .flatMap((line, index) => {
      const text = line.replace(/(^|\s)#.*$/, '').trim()
      const place = `${path}:${index + 1}`
      if (/[\s,]/.test(text)) throw new ConfigError(`${place} names more than one Core: write one a line`)
      return text ? [{ text, label: place }] : []
    })
  if (!words.length) throw new ConfigError(`${label}: ${path} names no Core: write a URL or a name a line`)
  return words
}

function isPattern({ text }: Word): boolean {
  return !text.includes('://') && /[*?]/.test(text)
}

function namedBy(words: readonly Word[], settings: Settings): (Named & { isByPattern?: boolean })[] {
  const { configFile } = settings
  const names = [...(configFile?.targets.keys() ?? [])]
  const where = configFile ? configFile.path : `the configuration file, since there is no ${CONFIG_FILE}`
  return words.flatMap(word => {
    const { text, label } = word
    if (text.includes('://') || configFile?.targets.has(text)) return [{ target: text, label }]
    const near = /^[\w.-]+$/.test(text) ? hint(text, names) : ''
    // What is no name may hold credentials, and is not repeated.
    const isSafe = /^[\w.*?-]+$/.test(text) && (!word.isPlain || nearest(text, names) !== undefined)
    const shown = isSafe ? `'${text}'` : isPattern(word) ? 'the pattern' : 'of that name'
    if (!isPattern(word)) {
      throw new ConfigError(`${label}: there is no target ${shown} in ${where}${near}; a URL begins with https://`)
    }
    const pattern = new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, asPattern)}$`)
    const found = names.filter(name => pattern.test(name))
    if (!found.length) throw new ConfigError(`${label}: ${shown} fits no target of ${where}`)
    return found.map(target => ({ target, label, isByPattern: true }))
  })
}

function asPattern(character: string): string {
  return character === '*' ? '.*' : character === '?' ? '.' : `\\${character}`
}

function everyTarget({ configFile }: Settings, { label }: Given): (Named & { isByPattern?: boolean })[] {
  const names = [...(configFile?.targets.keys() ?? [])]
  if (!names.length)
    throw new ConfigError(
      `${label}: ${configFile ? `${configFile.path} names no targets` : `there is no ${CONFIG_FILE} that names targets`}`,
    )
  return names.map(target => ({ target, label, isByPattern: true }))
}

/** What patterns name more than once is meant once; what was written twice is a slip. */
function once(named: readonly (Named & { isByPattern?: boolean })[]): Named[] {
  const found = new Map<string, Named>()
  for (const { target, label, isByPattern } of [...named].sort(
    (a, b) => Number(!!a.isByPattern) - Number(!!b.isByPattern),
  )) {
    const before = found.get(target)
    if (!before) found.set(target, { target, label })
    else if (!isByPattern) {
      const what = target.includes('://') ? 'a Core' : `'${target}'`
      throw new ConfigError(`${label} names ${what} that ${before.label} has named already: name each Core once`)
    }
  }
  // In the order in which they were named.
  return [...new Set(named.map(({ target }) => target))].flatMap(target => found.get(target) ?? [])
}
