/**
 * The commands with their options. The help texts, the parser and the known variables are made from this list. What does a command
 * returns its exit code, and throws a ConfigError for the first value that cannot be used; `src/cli.ts` tells what was thrown.
 */

import type { Command } from '../config/command.js'
import { ATTEST, ATTEST_VERIFY } from './attest/settings.js'
import { BASELINE_UPDATE } from './baseline/settings.js'
import { CLIENT } from './client/settings.js'
import { COMPLETION } from './completion/settings.js'
import { CONTRACTS_GENERATE, CONTRACTS_OPENAPI } from './contracts/settings.js'
import { CONTRACTS_STATES, CONTRACTS_VERIFY } from './contracts/verify-settings.js'
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
