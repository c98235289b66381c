/** Finds the Cores that a command line names: by URL, by name, by a pattern of names, in a file, or all. */
import { CONFIG_FILE, MOCK_TARGET } from '../../config/command.js'
import { type Given, SAID } from '../../config/origin.js'
import { readGiven, type Settings } from '../../config/settings.js'
import type { Shard } from '../../fleet/types.js'
import { ConfigError } from '../../ground/config-error.js'
import { hint, nearest } from '../../suite/problem.js'
import { FLEET } from '../shared/declared.js'
import { givenFile } from '../shared/given.js'

/** One Core that the user named. */
export interface Named {
  /** Its base URL, or its name in the configuration file. */
  target: string
  /** The place that named it, for messages: `--target`, `labs.txt:3`. */
  label: string
  /** Whether a pattern named it, or the word for all, and not the user one by one. */
  isByPattern?: boolean
}

interface Word {
  text: string
  label: string
  /** Whether no flag stands before the word. Then it may be the value of a forgotten flag, such as a password. */
  isPlain?: boolean
}

/**
 * Returns the Cores that the user named. The command line beats the environment, which beats `.env`.
 * @returns undefined if the user named none; `isMany`: the way of naming may give several, so the run is a fleet, even of one
 * @throws ConfigError for an unknown name, a pattern that fits no name, a file that cannot be used, and a Core named twice
 */
export function selectionOf(settings: Settings): { named: Named[]; isMany: boolean } | undefined {
  for (const origin of SAID) {
    const of = (flag: string) => settings.given(flag, origin)
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
    // One word that is no pattern names the target of a run of one Core, which checks it. So does the word for the mock Core.
    if (!isMany && (!places.length || places[0] === MOCK_TARGET))
      return { named: words.map(({ text, label }) => ({ target: text, label })), isMany }
    const named = [...namedBy(words, settings), ...(isAll ? everyTarget(settings, all) : [])]
    return { named: once(named), isMany }
  }
  return undefined
}

/** Splits a list at its commas. Keeps an empty text: the run of one Core explains what an empty target may mean. */
function wordsOf({ text, label }: Given): Word[] {
  const parts = text.split(',').map(part => part.trim())
  if (parts.length > 1 && parts.some(part => !part))
    throw new ConfigError(`${label} has nothing between two commas, or at an end: take the comma away, or name a Core`)
  return parts.map(part => ({ text: part, label }))
}

/** Reads the words of a file, one a line. A `#` at the start of a word begins a comment. */
function linesOf({ text: path, label }: Given): Word[] {
  const content = givenFile(path, `${label}: ${path} cannot be used`).toString('utf8')
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

function namedBy(words: readonly Word[], settings: Settings): Named[] {
  const { configFile } = settings
  const names = [...(configFile?.targets.keys() ?? [])]
  const where = configFile ? configFile.path : `the configuration file, since there is no ${CONFIG_FILE}`
  return words.flatMap(word => {
    const { text, label } = word
    if (text.includes('://') || configFile?.targets.has(text)) return [{ target: text, label }]
    const near = /^[\w.-]+$/.test(text) ? hint(text, names) : ''
    // A word that does not look like a name may hold credentials: do not repeat it in a message.
    const isSafe = /^[\w.*?-]+$/.test(text) && (!word.isPlain || nearest(text, names) !== undefined)
    const shown = isSafe ? `'${text}'` : isPattern(word) ? 'the pattern' : 'of that name'
    if (text === MOCK_TARGET)
      throw new ConfigError(
        `${label}: the embedded mock Core is tested alone: leave '${MOCK_TARGET}' out, or the others`,
      )
    if (!isPattern(word))
      throw new ConfigError(`${label}: there is no target ${shown} in ${where}${near}; a URL begins with https://`)
    const escaped = text.replace(/[.+^${}()|[\]\\]/g, '\\$&')
    const pattern = new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`)
    const found = names.filter(name => pattern.test(name))
    if (!found.length) throw new ConfigError(`${label}: ${shown} fits no target of ${where}`)
    return found.map(target => ({ target, label, isByPattern: true }))
  })
}

function everyTarget({ configFile }: Settings, { label }: Given): Named[] {
  const names = [...(configFile?.targets.keys() ?? [])]
  if (!names.length)
    throw new ConfigError(
      `${label}: ${configFile ? `${configFile.path} names no targets` : `there is no ${CONFIG_FILE} that names targets`}`,
    )
  return names.map(target => ({ target, label, isByPattern: true }))
}

/** Drops a Core that a pattern names again. Refuses a Core that the user wrote twice: that is a mistake. */
function once(all: readonly Named[]): Named[] {
  const found = new Map<string, Named>()
  for (const named of all) {
    const { target, label } = named
    const before = found.get(target)
    if (before && !before.isByPattern && !named.isByPattern) {
      const what = target.includes('://') ? 'a Core' : `'${target}'`
      throw new ConfigError(`${label} names ${what} that ${before.label} has named already: name each Core once`)
    }
    // Its place is that of its first name.
    if (!before || before.isByPattern) found.set(target, named)
  }
  return [...found.values()]
}

/** A share of the Cores. Which list it is of shows once that is read. */
export type Share = Omit<Shard, 'of'>

/** Most shares that are allowed: a greater number is a typing mistake. */
const MOST = 1000

/**
 * Reads the share that `--shard` names. `2/5` names it directly. `auto` takes GitLab's `CI_NODE_INDEX` (from 1) and
 * `CI_NODE_TOTAL`. `auto/5` takes only the number from the environment: `CI_NODE_INDEX`, or the `JOB_COMPLETION_INDEX` (from 0)
 * of a Kubernetes Indexed Job.
 * @returns undefined if the user gave no `--shard`
 * @throws ConfigError for a text that is no share, and if the environment does not name the share
 */
export function shareOfSettings(settings: Settings): Share | undefined {
  const setting = settings.get('shard')
  if (!setting) return undefined
  const [, first = '', second] = /^(auto|\d{1,4})(?:\/(\d{1,4}))?$/.exec(setting.text) ?? []
  if (!first || (first !== 'auto' && second === undefined))
    throw new ConfigError(
      `${setting.label} must be K/N, such as 2/5, or auto, or auto/N; not '${setting.text.slice(0, 40)}'`,
    )
  const said = second === undefined ? undefined : Number(second)
  const named = { number: Number(first), total: said ?? 0 }
  const share = first === 'auto' ? surroundingShare(settings, setting, said) : named
  const { number, total } = share
  const refused = (must: string) => new ConfigError(`${setting.label} must ${must}`)
  if (total < 1 || total > MOST) throw refused(`have from 1 to ${MOST} shards, not ${total}`)
  if (number < 1 || number > total) throw refused(`name one of the shards from 1 to ${total}, not ${number}`)
  return share
}

function surroundingShare(settings: Settings, { label }: Given, total: number | undefined): Share {
  const variable = (name: string) => {
    const text = settings.surrounding(name)
    if (!text) return undefined
    if (!/^\d{1,6}$/.test(text)) throw new ConfigError(`${label}: ${name} is no whole number`)
    return Number(text)
  }
  const [index, ofCi, completion] = ['CI_NODE_INDEX', 'CI_NODE_TOTAL', 'JOB_COMPLETION_INDEX'].map(variable)
  if (total !== undefined && index !== undefined && ofCi !== undefined && ofCi !== total)
    throw new ConfigError(`${label} says ${total} shards, and CI_NODE_TOTAL says ${ofCi}: make them the same`)
  const all = total ?? ofCi
  if (index !== undefined && all !== undefined) return { number: index, total: all }
  if (completion !== undefined && all !== undefined) return { number: completion + 1, total: all }
  if (completion !== undefined || index !== undefined)
    throw new ConfigError(`${label} does not know how many shards there are: say auto/N`)
  throw new ConfigError(
    `${label} auto takes CI_NODE_INDEX and CI_NODE_TOTAL, or JOB_COMPLETION_INDEX, and none of them is set: say K/N`,
  )
}
