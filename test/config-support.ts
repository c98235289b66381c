/** Reads the settings of a command as a user would make them, in a folder of their own. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { clientConfig } from '../dist/commands/client.js'
import { contractsGenerateConfig } from '../dist/commands/contracts/generate.js'
import { isJson } from '../dist/commands/contracts/openapi.js'
import { contractsVerifyConfig } from '../dist/commands/contracts/verify-config.js'
import { diffConfig } from '../dist/commands/diff.js'
import { COMMANDS, type Command } from '../dist/commands/index.js'
import { runConfig } from '../dist/commands/one-core/config.js'
import { reportConfig } from '../dist/commands/report.js'
import { MOCK } from '../dist/commands/shared/declared.js'
import { Settings } from '../dist/config/settings.js'
import { ConfigError } from '../dist/ground/config-error.js'
import { makeFolder } from './support/folder.js'

const THIS = fileURLToPath(import.meta.url)

/** The inputs of a user. */
export interface Given {
  args?: string[]
  env?: Record<string, string>
  /** The content of `.env`. */
  dotenv?: string | Buffer
}

export function commandOf(name: string): Command {
  const command = COMMANDS.find(candidate => candidate.name === name)
  if (!command) throw new Error(`no command ${name}`)
  return command
}

/** Calls back with the settings of a command; its folder is gone afterwards. */
export function withSettings<T>(
  name: string,
  { args = [], env = {}, dotenv }: Given,
  use: (settings: Settings) => T,
): T {
  const folder = makeFolder()
  if (dotenv !== undefined) writeFileSync(join(folder, '.env'), dotenv)
  return use(new Settings(commandOf(name), args, env, folder, COMMANDS))
}

/** The inputs of a user, with the files of the working directory by their paths. */
export interface GivenFiles extends Given {
  files?: Record<string, string | Buffer>
}

/** Calls back with the settings of a command that has read its configuration file; its folder is the working directory meanwhile. */
export async function loaded<T>(
  name: string,
  { args = [], env = {}, dotenv, files = {} }: GivenFiles,
  use: (settings: Settings) => T,
): Promise<T> {
  const [before, folder] = [process.cwd(), makeFolder()]
  process.chdir(folder)
  try {
    for (const [path, content] of Object.entries({ ...files, ...(dotenv !== undefined && { '.env': dotenv }) })) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
    }
    const made = new Settings(commandOf(name), args, env, folder, COMMANDS)
    await made.load()
    return use(made)
  } finally {
    process.chdir(before)
  }
}

/** Returns the message that refuses the inputs of a user, whose settings were {@link loaded}. */
export async function refusalOf(answer: Promise<unknown>): Promise<string> {
  const taken = await answer.catch((error: unknown) => error)
  assert.instance(taken, ConfigError)
  return (taken as ConfigError).message
}

export const run = (given: Given) => withSettings('run', given, runConfig)
export const report = (given: Given) => withSettings('report', given, reportConfig)
export const mock = (given: Given) => withSettings('mock', given, settings => settings.values(MOCK.settings))
export const openapiIsJson = (given: Given) => withSettings('contracts openapi', given, isJson)
export const client = (given: Given) =>
  withSettings('client', { ...given, args: [...(given.args ?? []), '--', 'command'] }, clientConfig)
export const generate = (given: Given) => withSettings('contracts generate', given, contractsGenerateConfig)
export const verify = (given: Given) =>
  withSettings('contracts verify', { ...given, args: [...(given.args ?? []), 'a.json'] }, contractsVerifyConfig)
export const diff = (given: Given) =>
  withSettings('diff', { ...given, args: [...(given.args ?? []), THIS, THIS] }, diffConfig)
export const warnings = (given: Given, name = 'run') => withSettings(name, given, settings => settings.warnings)

/** Returns the message that refuses the inputs of a user. */
export function refusal(given: Given, configure: (given: Given) => unknown = run): string {
  try {
    configure(given)
  } catch (error) {
    assert.instance(error, ConfigError)
    const { message } = error as ConfigError
    assert.not.match(message, /\n/, 'one line')
    return message
  }
  assert.unreachable(`was taken: ${JSON.stringify(given)}`)
  return ''
}
