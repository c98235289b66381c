/** The commands with their options: the help texts, the parser and the known variables are made from these. */
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
