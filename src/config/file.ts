/**
 * The configuration file: defaults for any flag, targets by name and profiles by name. Its schema is
 * `contracts/config.schema.json`. It is shared with others, so a password has no place in it.
 */

import { dirname, isAbsolute, join } from 'node:path'
import { numbered } from '../ground/count.js'
import type { Meanings } from '../pact/read/meanings.js'
import { readDocument, type SuiteDocument } from '../suite/document.js'
import { SuiteError } from '../suite/problem.js'
import type { Miss } from '../suite/schema-words.js'
import { ConfigError } from './error.js'
import { type StateTable, statesOf } from './state-table.js'

/** A value of the file, and how messages call it. */
export interface FileSetting {
  text: string
  /** `idle-lifetime (core-conformance.config.yaml:4:3)` */
  label: string
}

/** Settings by the names of the flags. */
export type Layer = ReadonlyMap<string, FileSetting>

/** A configuration file that was read and checked. */
export interface ConfigFile {
  /** As the user would name it. */
  path: string
  defaults: Layer
  /** Each has a `url` beside what the flags are called. */
  targets: Layers
  profiles: Layers
  /** Words of the user for a target, by its name; empty where there are none. */
  labels(target: string): Readonly<Record<string, string>>
  /** What a team's own words for provider states mean. */
  states: Meanings
}

/** Layers by their names, in the order of the file. */
export type Layers = Pick<ReadonlyMap<string, Layer>, 'get' | 'has' | 'keys'>

type Values = Record<string, string | number | boolean | string[]>

/** A target may have labels beside what the flags are called. */
type TargetValues = Values & { labels?: Record<string, string | number | boolean> }

interface Content {
  defaults?: Values
  targets?: Record<string, TargetValues>
  profiles?: Record<string, Values>
  states?: StateTable
}

/** Whether the text of a setting is a path, by the name of its flag. */
export type IsPath = (flag: string, text: string) => boolean

/**
 * Reads a configuration file.
 * @param path where it is
 * @param shown how messages call it
 * @param label what named it; undefined when nothing did
 * @param isPath which settings are meant from where the file is
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
        // A report says which Core it is about by its label.
        if (!target.has('label')) target.set('label', { text: name, label: `target ${name}` })
        return target
      }),
      profiles: layers(profiles, (name, values) => layer(['profiles', name], values)),
      states: statesOf(states, (path, message) => document.problemAt(['states', ...path], message)),
    }
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error
    const found = numbered(error.problems.length, 'a problem', `${error.problems.length} problems`)
    throw new ConfigError(
      `the configuration file${label ? ` of ${label}` : ''} cannot be used, ${found}:\n${error.message}`,
    )
  }
}

/** Layers of which each is made when it is asked for: of tens of thousands of targets, a run takes a few. */
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

/** A setting that is looked up in the file when it is told: of most settings it never is. */
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
    // A relative path is meant from where the configuration file is.
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

/** Every key, however deep, that seems to give a secret, and every URL that holds one. */
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

/** Whether a key is words of a contract, or a name that it asks for a value by: what it leads to is the name of a state or value. */
function isWords([first, ...rest]: readonly (string | number)[]): boolean {
  return first === 'states' && (rest.length === 1 || rest.at(-2) === 'gives')
}

function isSecret(key: string): boolean {
  return /pass(word|wd|phrase|code)?$|pwd|secret|credential|control-?key|^token$/i.test(key)
}

/** A URL with a user or a password before its host; those of the web need no slashes. */
const WITH_CREDENTIALS = /(?:(?:https?|wss?|ftp):|[/\\]{2})[/\\]*[^/?#\s\\]*@/i
const NO_CREDENTIALS =
  'this URL holds credentials: put them into CORE_USERNAME and CORE_PASSWORD, in the environment or in .env, and give the plain URL'

const NO_SECRETS =
  'has no place in a file that is shared: take it out, and set CORE_PASSWORD (or CORE_CONTROL_KEY) in the environment or in .env'
