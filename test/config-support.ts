/** Reads the settings of a command as a user would make them, in a folder of their own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { baselineUpdateConfig } from '../dist/config/baseline-update.js'
import { clientConfig } from '../dist/config/client.js'
import { contractsGenerateConfig } from '../dist/config/contracts.js'
import { contractsOpenapiConfig } from '../dist/config/contracts-openapi.js'
import { contractsStatesConfig, contractsVerifyConfig } from '../dist/config/contracts-verify.js'
import { diffConfig } from '../dist/config/diff.js'
import { ConfigError } from '../dist/config/error.js'
import { listConfig } from '../dist/config/list.js'
import { mockConfig } from '../dist/config/mock.js'
import { reportConfig } from '../dist/config/report.js'
import { resumeConfig } from '../dist/config/resume.js'
import { runConfig } from '../dist/config/run.js'
import { Settings } from '../dist/config/settings.js'
import { COMMANDS, type Command } from '../dist/options/index.js'

/** A file that exists. */
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
  const folder = mkdtempSync(join(tmpdir(), 'core-conformance-config-'))
  try {
    if (dotenv !== undefined) writeFileSync(join(folder, '.env'), dotenv)
    return use(new Settings(commandOf(name), args, env, folder, COMMANDS))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export const run = (given: Given) => withSettings('run', given, runConfig)
export const resume = (given: Given) => withSettings('resume', given, resumeConfig)
export const report = (given: Given) => withSettings('report', given, reportConfig)
export const list = (given: Given) => withSettings('list', given, listConfig)
export const mock = (given: Given) => withSettings('mock', given, mockConfig)
export const contractsOpenapi = (given: Given) => withSettings('contracts openapi', given, contractsOpenapiConfig)
export const client = (given: Given) =>
  withSettings('client', { ...given, args: [...(given.args ?? []), '--', 'command'] }, clientConfig)
export const generate = (given: Given) => withSettings('contracts generate', given, contractsGenerateConfig)
export const verify = (given: Given) =>
  withSettings('contracts verify', { ...given, args: [...(given.args ?? []), 'a.json'] }, contractsVerifyConfig)
export const states = (given: Given) => withSettings('contracts states', given, contractsStatesConfig)
export const baselineUpdate = (given: Given) => withSettings('baseline update', given, baselineUpdateConfig)
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
