/**
 * Reads the configuration file: defaults for any flag, targets by name and profiles by name. Its schema is
 * `contracts/config.schema.json`. Teams share the file, so a password in it is refused.
 */
import { dirname, isAbsolute, join } from 'node:path'
import { ConfigError } from '../ground/config-error.js'
import { count } from '../ground/count.js'
import { MEANINGS, type Meaning, type Meanings, normalized, VALUES, type Value } from '../pact/read/meanings.js'
import { readDocument } from '../suite/document.js'
import { hint, type Miss, type Problem, SuiteError } from '../suite/problem.js'
import type { Given } from './origin.js'

/** Settings by flag name. */
export type Layer = ReadonlyMap<string, Given>

/** A configuration file that was read and checked. */
export interface ConfigFile {
  /** The path as the user names it. */
  path: string
  defaults: Layer
  /** Each layer has a `url` beside the flags. */
  targets: Layers
  profiles: Layers
  /** Returns the user's labels of a target, by its name; empty where it has none. */
  labels(target: string): Readonly<Record<string, string>>
  /** Meanings of a team's own words for provider states. */
  states: Meanings
}

/** Layers by their names, in the order of the file. */
type Layers = Pick<ReadonlyMap<string, Layer>, 'get' | 'has' | 'keys'>

type Values = Record<string, string | number | boolean | string[]>

/** The values of a target: flags, and labels. */
type TargetValues = Values & { labels?: Record<string, string | number | boolean> }

interface Content {
  defaults?: Values
  targets?: Record<string, TargetValues>
  profiles?: Record<string, Values>
  states?: StateTable
}

type IsPath = (flag: string, text: string) => boolean

/**
 * Reads a configuration file.
 * @param shown the path as messages show it
 * @param label the flag or variable that names the file; undefined for the default path
 * @param isPath tells values that are paths: a relative path starts at the folder of the file
 * @throws ConfigError with every problem, each with line and column
 */
export function readConfigFile(path: string, shown: string, label: string | undefined, isPath: IsPath): ConfigFile {
  try {
    const document = readDocument<Content | null>(path, shown, 'config', refuseSecrets)
    const { defaults = {}, targets = {}, profiles = {}, states = {} } = document.value ?? {}
    // A relative path starts at the folder of the configuration file.
    const folder = dirname(shown)
    const textOf = (key: string, text: string) =>
      folder !== '.' && isPath(key, text) && !isAbsolute(text) ? join(folder, text) : text
    const layer = (path: string[], values: Values) =>
      new Map<string, Given>(
        Object.entries(values).map(([key, value]) => {
          const text = [value].flat().map(each => textOf(key, String(each)))
          const given: Given = {
            text: text.join(','),
            origin: 'file',
            // Looked up on demand, since few values appear in a message.
            get label() {
              const { file, line, column } = document.problemAt([...path, key], '')
              return `${key} (${file}:${line}:${column})`
            },
          }
          return [key, given]
        }),
      )
    return {
      path: shown,
      defaults: layer(['defaults'], defaults),
      labels: name => {
        const labels = Object.hasOwn(targets, name) ? targets[name]?.labels : undefined
        return Object.fromEntries(Object.entries(labels ?? {}).map(([key, value]) => [key, String(value)]))
      },
      targets: layers(targets, (name, { labels: _labels, ...values }) => {
        const target = layer(['targets', name], values)
        // Reports name the Core by its label.
        if (!target.has('label')) target.set('label', { text: name, origin: 'file', label: `target ${name}` })
        return target
      }),
      profiles: layers(profiles, (name, values) => layer(['profiles', name], values)),
      states: statesOf(states, (path, message) => document.problemAt(['states', ...path], message)),
    }
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error
    const found = count(error.problems.length, 'problem')
    throw new ConfigError(`the configuration file${label ? ` of ${label}` : ''} has ${found}:\n${error.message}`)
  }
}

/** Makes each layer on demand: a file may have tens of thousands of targets, of which a run uses a few. */
function layers<V>(named: Record<string, V>, make: (name: string, values: V) => Layer): Layers {
  const names = new Map(Object.entries(named))
  return {
    has: name => names.has(name),
    keys: () => names.keys(),
    get: name => {
      const values = names.get(name)
      return values && make(name, values)
    },
  }
}

/** Returns every key at any depth that looks like a secret, and every URL with credentials. */
function refuseSecrets(value: unknown): Miss[] {
  const misses: Miss[] = []
  const path: (string | number)[] = []
  const look = (value: unknown): void => {
    if (typeof value === 'string' && WITH_CREDENTIALS.test(value))
      misses.push({ path: [...path], message: NO_CREDENTIALS })
    if (typeof value !== 'object' || value === null) return
    for (const key of Object.keys(value)) {
      path.push(Array.isArray(value) ? Number(key) : key)
      if (SECRET.test(key) && !isWords(path)) misses.push({ path: [...path], message: `'${key}' ${NO_SECRETS}` })
      else look((value as Record<string, unknown>)[key])
      path.pop()
    }
  }
  look(value)
  return misses
}

/** Whether a key is a contract's own word for a state or a value. Such a key leads to a name, not to a secret. */
function isWords([first, ...rest]: readonly (string | number)[]): boolean {
  return first === 'states' && (rest.length === 1 || rest.at(-2) === 'gives')
}

const SECRET = /pass(word|wd|phrase|code)?$|pwd|secret|credential|control-?key|^token$/i

/** A URL with a user or a password before its host. URL parsers accept `https:` without slashes. */
const WITH_CREDENTIALS = /(?:(?:https?|wss?|ftp):|[/\\]{2})[/\\]*[^/?#\s\\]*@/i
const NO_CREDENTIALS =
  'this URL holds credentials: put them into CORE_USERNAME and CORE_PASSWORD, in the environment or in .env, and give the plain URL'

const NO_SECRETS =
  'has no place in a file that is shared: take it out, and set CORE_PASSWORD (or CORE_CONTROL_KEY) in the environment or in .env'

/**
 * States by words. The value is a state, or a list of meanings. Of a list, the first meaning counts whose parameters
 * all come with the words.
 */
type StateTable = Record<
  string,
  string | { params?: Record<string, unknown>; means: string; gives?: Record<string, string> }[]
>

/**
 * Reads the table.
 * @returns the meanings by normalized words
 * @throws SuiteError with every unknown name, and every repeated key
 */
function statesOf(
  table: StateTable,
  problemAt: (path: (string | number)[], message: string) => Problem,
): Map<string, Meaning[]> {
  const problems: Problem[] = []
  const states = new Map<string, Meaning[]>()
  for (const [words, given] of Object.entries(table)) {
    const wrong = (path: (string | number)[], message: string) => problems.push(problemAt([words, ...path], message))
    const stateOf = (text: string, ...path: (string | number)[]) => {
      const state = normalized(text)
      if (!MEANINGS.includes(state))
        wrong(path, `'${text}' is no state that can be brought about${hint(state, MEANINGS)}`)
      return state
    }
    const valueNamed = (text: string, ...path: (string | number)[]): Value => {
      const value = VALUES.find(each => each === text)
      if (!value) wrong(path, `'${text}' is nothing that a state brings: it brings ${VALUES.join(', ')}`)
      return value ?? 'token'
    }
    const meanings =
      typeof given === 'string'
        ? [{ state: stateOf(given), params: {}, gives: {} }]
        : given.map(({ means, params = {}, gives = {} }, index) => ({
            state: stateOf(means, index, 'means'),
            params,
            gives: Object.fromEntries(
              Object.entries(gives).map(([name, value]) => [name, valueNamed(value, index, 'gives', name)]),
            ),
          }))
    if (states.has(normalized(words)))
      wrong([], `'${words}' stands here twice: neither capital letters nor spaces count`)
    states.set(normalized(words), meanings)
  }
  if (problems.length) throw new SuiteError(problems)
  return states
}
