/** The commands with their options: the help texts, the parser and the known variables are made from these. */

import { variableOf } from '../settings/setting.js'
import { ATTEST, ATTEST_VERIFY } from './attest.js'
import { BASELINE_UPDATE } from './baseline-update.js'
import { CLIENT } from './client.js'
import type { Command } from './command.js'
import { COMPLETION } from './completion.js'
import { CONTRACTS_GENERATE } from './contracts.js'
import { CONTRACTS_OPENAPI } from './contracts-openapi.js'
import { CONTRACTS_STATES, CONTRACTS_VERIFY } from './contracts-verify.js'
import { DIFF } from './diff.js'
import { DOCTOR } from './doctor.js'
import { EXPLAIN } from './explain.js'
import { INIT } from './init.js'
import { LIST } from './list.js'
import { MERGE } from './merge.js'
import { MOCK } from './mock.js'
import { REPORT } from './report.js'
import { RESUME } from './resume.js'
import { RUN } from './run.js'

export type { Command, Operands, Secret } from './command.js'

/** The commands, in the order of the help. */
export const COMMANDS: Command[] = [
  RUN,
  RESUME,
  MERGE,
  REPORT,
  DIFF,
  BASELINE_UPDATE,
  ATTEST,
  ATTEST_VERIFY,
  LIST,
  DOCTOR,
  INIT,
  EXPLAIN,
  MOCK,
  CLIENT,
  CONTRACTS_GENERATE,
  CONTRACTS_VERIFY,
  CONTRACTS_STATES,
  CONTRACTS_OPENAPI,
  COMPLETION,
]

/** Every environment variable that means something, with what it means to which command. */
export const KNOWN_ENV: ReadonlySet<string> = new Set(
  COMMANDS.flatMap(({ options, secrets }) => [...options, ...secrets].map(({ env }) => env)),
)

/** The variables by what somebody who knows only the flags would call them: `CORE_TARGET` for `CORE_URL`. */
export const ENV_BY_FLAG: ReadonlyMap<string, string> = new Map(
  // Of flags of the same name the first command's is meant.
  [...COMMANDS]
    .reverse()
    .flatMap(({ options }) => options.map(({ flag, env }): [string, string] => [variableOf(flag), env])),
)
