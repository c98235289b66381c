import { CONFIGURATION } from '../settings/configuration.js'
import { file, text, toggle } from '../settings/kinds.js'
import { setting } from '../settings/setting.js'
import type { Command } from './command.js'
import { CONTRACTS } from './contracts.js'
import {
  ANYWHERE,
  BASELINE,
  CONFIG,
  CONTROL_KEY,
  CONTROL_URL,
  CORES,
  DETACH,
  NAMES,
  OUT,
  PASSWORD,
  QUIET,
  reporterOption,
  SEVERAL_TARGETS,
  SINCE,
  SPECS,
  TOKEN_FIELD,
  TRUST,
  USERNAME,
  VERBOSE,
} from './shared.js'

/** What names many Cores. */
export const FLEET = {
  targets: setting({
    flag: 'targets',
    takes: file(),
    about: 'run the Cores of this file too: a URL, a name or a pattern of names a line, # before a comment',
  }),
  all: setting({ flag: 'all-targets', takes: toggle, about: 'run all Cores of the configuration file' }),
  shard: setting({
    flag: 'shard',
    takes: text('K/N|auto|auto/N'),
    about: 'of many Cores, run the share K of N; auto takes K and N from what the CI says of its parallel jobs',
  }),
}
/** Facts that are to stay. */
export const PIN = setting({
  flag: 'pin',
  takes: file(),
  about: 'these facts are to stay: result.json, or names and values',
  file: ANYWHERE,
})
/** Which reports a run makes. */
export const REPORTER = reporterOption('run')

/** What decides how a run of one Core goes; said again to `resume`, it has to be the same. */
export const OF_A_RUN = [
  USERNAME,
  ...Object.values(TRUST),
  ...Object.values(NAMES),
  ...Object.values(CONFIGURATION),
  TOKEN_FIELD,
  SPECS,
  CONTROL_URL,
]

/** `core-conformance run`. */
export const RUN: Command = {
  name: 'run',
  about: 'run the suite against a Core, or many at once; without a target, against a mock Core',
  options: [
    SEVERAL_TARGETS,
    ...Object.values(FLEET),
    CORES,
    SINCE,
    ...OF_A_RUN,
    PIN,
    BASELINE,
    OUT,
    REPORTER,
    QUIET,
    VERBOSE,
    DETACH,
    ...Object.values(CONTRACTS),
    CONFIG,
  ],
  operands: {
    value: 'TARGET…',
    about: "the Cores, as --target names them; 'lab-*' is every target of the configuration file that fits",
    atLeast: 0,
  },
  secrets: [PASSWORD, CONTROL_KEY],
}
