/**
 * The commands with their options. The help texts, the parser and the known variables are made from this list. The code of a
 * command throws a ConfigError for the first value that cannot be used; `src/cli.ts` tells what was thrown.
 */

import type { Command } from '../config/command.js'
import type { Settings } from '../config/settings.js'
import type { Terminal } from '../terminal.js'
import { ATTEST, ATTEST_VERIFY } from './attest/settings.js'
import { BASELINE_UPDATE } from './baseline/settings.js'
import { CLIENT } from './client/settings.js'
import { COMPLETION } from './completion/settings.js'
import { CONTRACTS_GENERATE, CONTRACTS_OPENAPI, CONTRACTS_STATES, CONTRACTS_VERIFY } from './contracts/settings.js'
import { DIFF } from './diff/settings.js'
import { DOCTOR } from './doctor/settings.js'
import { EXPLAIN } from './explain/settings.js'
import { INIT } from './init/settings.js'
import { LIST } from './list/settings.js'
import { MERGE } from './merge/settings.js'
import { MOCK } from './mock/settings.js'
import { REPORT } from './report/settings.js'
import { RESUME } from './resume/settings.js'
import { RUN } from './run/settings.js'

export type { Command } from '../config/command.js'

/** A command with its code, which is loaded when the command is used. The code returns the exit code. */
interface Loadable extends Command {
  load(): Promise<(settings: Settings, terminal: Terminal) => Promise<number>>
}

/** The commands, in the order of the help. */
export const COMMANDS: readonly Loadable[] = [
  { ...RUN, load: async () => (await import('./run/run.js')).run },
  { ...RESUME, load: async () => (await import('./resume/resume.js')).resume },
  { ...MERGE, load: async () => (await import('./merge/merge.js')).merge },
  { ...REPORT, load: async () => (await import('./report/report.js')).report },
  { ...DIFF, load: async () => (await import('./diff/diff.js')).diff },
  { ...BASELINE_UPDATE, load: async () => (await import('./baseline/update.js')).baselineUpdate },
  { ...ATTEST, load: async () => (await import('./attest/attest.js')).attest },
  { ...ATTEST_VERIFY, load: async () => (await import('./attest/verify.js')).attestVerify },
  { ...LIST, load: async () => (await import('./list/list.js')).list },
  { ...DOCTOR, load: async () => (await import('./doctor/doctor.js')).doctor },
  { ...INIT, load: async () => (await import('./init/init.js')).init },
  { ...EXPLAIN, load: async () => (await import('./explain/explain.js')).explain },
  { ...MOCK, load: async () => (await import('./mock/mock.js')).mock },
  { ...CLIENT, load: async () => (await import('./client/client.js')).client },
  { ...CONTRACTS_GENERATE, load: async () => (await import('./contracts/generate.js')).contractsGenerate },
  { ...CONTRACTS_VERIFY, load: async () => (await import('./contracts/verify.js')).contractsVerify },
  { ...CONTRACTS_STATES, load: async () => (await import('./contracts/states.js')).contractsStates },
  { ...CONTRACTS_OPENAPI, load: async () => (await import('./contracts/openapi.js')).contractsOpenapi },
  { ...COMPLETION, load: async () => (await import('./completion/completion.js')).completion },
]
