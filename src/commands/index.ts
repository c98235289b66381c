/**
 * The commands with their options. The help texts, the parser and the known variables are made from this list. The code of a command, and
 * what reads for it, throws before anything is sent: a ConfigError for the first value or file that cannot be used, a ResultFileError,
 * SuiteError or SelectionError for results and specs; and a plain Error for what the system refuses. `src/cli.ts` tells what was thrown.
 */

import type { Command } from '../config/command.js'
import type { Settings } from '../config/settings.js'
import type { Terminal } from '../terminal.js'
import * as settings from './shared/declared.js'

export type { Command } from '../config/command.js'

/** A command with its code, which is loaded when the command is used. The code returns the exit code. */
interface Loadable extends Command {
  load(): Promise<(settings: Settings, terminal: Terminal) => Promise<number>>
}

/** The commands, in the order of the help. */
export const COMMANDS: readonly Loadable[] = [
  { ...settings.RUN, load: async () => (await import('./run.js')).run },
  { ...settings.RESUME, load: async () => (await import('./resume.js')).resume },
  { ...settings.MERGE, load: async () => (await import('./merge.js')).merge },
  { ...settings.REPORT, load: async () => (await import('./report.js')).report },
  { ...settings.DIFF, load: async () => (await import('./diff.js')).diff },
  { ...settings.BASELINE_UPDATE, load: async () => (await import('./baseline.js')).baselineUpdate },
  { ...settings.ATTEST, load: async () => (await import('./attest/attest.js')).attest },
  { ...settings.ATTEST_VERIFY, load: async () => (await import('./attest/verify.js')).attestVerify },
  { ...settings.LIST, load: async () => (await import('./list.js')).list },
  { ...settings.DOCTOR, load: async () => (await import('./doctor.js')).doctor },
  { ...settings.INIT, load: async () => (await import('./init.js')).init },
  { ...settings.EXPLAIN, load: async () => (await import('./explain.js')).explain },
  { ...settings.MOCK, load: async () => (await import('./mock.js')).mock },
  { ...settings.CLIENT, load: async () => (await import('./client.js')).client },
  { ...settings.CONTRACTS_GENERATE, load: async () => (await import('./contracts/generate.js')).contractsGenerate },
  { ...settings.CONTRACTS_VERIFY, load: async () => (await import('./contracts/verify.js')).contractsVerify },
  { ...settings.CONTRACTS_STATES, load: async () => (await import('./contracts/states.js')).contractsStates },
  { ...settings.CONTRACTS_OPENAPI, load: async () => (await import('./contracts/openapi.js')).contractsOpenapi },
  { ...settings.COMPLETION, load: async () => (await import('./completion.js')).completion },
]
