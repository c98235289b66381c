/**
 * Reads the configuration file: defaults for any flag, targets by name and profiles by name. Its schema is
 * `contracts/config.schema.json`. Teams share the file, so a password in it is refused.
 */

import { dirname, isAbsolute, join } from 'node:path'
import { count } from '../ground/count.js'
import type { Meanings } from '../pact/read/meanings.js'
import { readDocument, type SuiteDocument } from '../suite/document.js'
import { SuiteError } from '../suite/problem.js'
import type { Miss } from '../suite/schema-words.js'
import { ConfigError } from './error.js'
import { type StateTable, statesOf } from './state-table.js'

/** A value of the file, with its name in messages. */
export interface FileSetting {
  text: string
  /** `idle-lifetime (core-conformance.config.yaml:4:3)` */
  label: string
}

/** Settings by flag name. */
export type Layer = ReadonlyMap<string, FileSetting>

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
export type Layers = Pick<ReadonlyMap<string, Layer>, 'get' | 'has' | 'keys'>

type Values = Record<string, string | number | boolean | string[]>

/** The values of a target: flags, and labels. */
type TargetValues = Values & { labels?: Record<string, string | number | boolean> }

interface Content {
  defaults?: Values
  targets?: Record<string, TargetValues>
  profiles?: Record<string, Values>
  states?: StateTable
}

/** Whether a value of a flag is a path. */
export type IsPath = (flag: string, text: string) => boolean

/**
 * Reads a configuration file.
 * @param path the path of the file
 * @param shown the path as messages show it
 * @param label the flag or variable that names the file; undefined for the default path
 * @param isPath tells values that are paths: a relative path starts at the folder of the file
 * @throws ConfigError with every problem, each with line and column
 */
export function readConfigFile(path: string, shown: string, label: string | undefined, isPath: IsPath): ConfigFile {
  try {
    const document = readDocument<Content | null>(path, shown, 'config', refuseSecrets)
    const { defaults = {}, targets = {}, profiles = {}, states = {} } = document.value ?? {}
    const layer = (path: string[], values: Values) => layerOf(document, shown, path, values, isPath)
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
        if (!target.has('label')) target.set('label', { text: name, label: `target ${name}` })
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

/** A value of the file. Its line and column are looked up on demand, since few values appear in a message. */
class FromFile implements FileSetting {
  constructor(
    readonly text: string,
    private readonly document: SuiteDocument<unknown>,
    private readonly path: string[],
    private readonly key: string,
  ) {}

  get label(): string {
    const { file, line, column } = this.document.problemAt([...this.path, this.key], '')
    return `${this.key} (${file}:${line}:${column})`
  }
}

function layerOf(
  document: SuiteDocument<unknown>,
  shown: string,
  path: string[],
  values: Values,
  isPath: IsPath,
): Map<string, FileSetting> {
  const layer = new Map<string, FileSetting>()
  for (const key of Object.keys(values)) {
    const value = values[key]
    // A relative path starts at the folder of the configuration file.
    const textOf = (each: unknown) => (isPath(key, String(each)) ? fromFolder(shown, String(each)) : String(each))
    const text = Array.isArray(value) ? value.map(textOf).join(',') : textOf(value)
    layer.set(key, new FromFile(text, document, path, key))
  }
  return layer
}

function fromFolder(file: string, path: string): string {
  const folder = dirname(file)
  return folder === '.' || isAbsolute(path) ? path : join(folder, path)
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
      if (isSecret(key) && !isWords(path)) misses.push({ path: [...path], message: `'${key}' ${NO_SECRETS}` })
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

function isSecret(key: string): boolean {
  return /pass(word|wd|phrase|code)?$|pwd|secret|credential|control-?key|^token$/i.test(key)
}

/** A URL with a user or a password before its host. URL parsers accept `https:` without slashes. */
const WITH_CREDENTIALS = /(?:(?:https?|wss?|ftp):|[/\\]{2})[/\\]*[^/?#\s\\]*@/i
const NO_CREDENTIALS =
  'this URL holds credentials: put them into CORE_USERNAME and CORE_PASSWORD, in the environment or in .env, and give the plain URL'

const NO_SECRETS =
  'has no place in a file that is shared: take it out, and set CORE_PASSWORD (or CORE_CONTROL_KEY) in the environment or in .env'
