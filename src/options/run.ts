import { CONTRACTS } from './contracts.js'
import type { Command, Option } from './option.js'
import {
  BASELINE,
  CONFIG,
  CONTROL_KEY,
  CONTROL_URL,
  DEADLINE,
  DEFAULT_CORES,
  EXPLORING,
  MAX_REFUSED_LOGONS,
  NAMES,
  ONLY,
  OUT,
  PACING,
  PASSWORD,
  PATIENCE,
  PROBE_PATH,
  QUIET,
  reporterOption,
  SEVERAL_TARGETS,
  SINCE,
  SPECS,
  TARGET,
  TOKEN_FIELD,
  VERBOSE,
} from './shared.js'

/** What only means something for many Cores. */
const FLEET: Option[] = [
  {
    flag: 'targets',
    env: 'CORE_TARGETS',
    value: 'FILE',
    about: 'run the Cores of this file too: a URL, a name or a pattern of names a line, # before a comment',
  },
  { flag: 'all-targets', env: 'CORE_ALL_TARGETS', about: 'run all Cores of the configuration file' },
  {
    flag: 'cores',
    env: 'CORE_CORES',
    value: 'N',
    about: `of many Cores, how many at a time, 1 to 1000 (default ${DEFAULT_CORES})`,
  },
  {
    flag: 'shard',
    env: 'CORE_SHARD',
    value: 'K/N|auto|auto/N',
    about: 'of many Cores, run the share K of N; auto takes K and N from what the CI says of its parallel jobs',
  },
  SINCE,
]

/** `core-conformance run`. */
export const RUN: Command = {
  name: 'run',
  about: 'run the suite against a Core, or many at once; without a target, against a mock Core',
  options: [
    ...TARGET.map(option => (option.flag === 'target' ? SEVERAL_TARGETS : option)),
    ...FLEET,
    ...NAMES,
    ...PACING,
    PROBE_PATH,
    TOKEN_FIELD,
    ONLY,
    SPECS,
    {
      flag: 'pin',
      env: 'CORE_PIN',
      value: 'FILE',
      about: 'these facts are to stay: result.json, or names and values',
    },
    BASELINE,
    OUT,
    reporterOption('run'),
    QUIET,
    VERBOSE,
    {
      flag: 'concurrency',
      env: 'CORE_CONCURRENCY',
      value: 'N',
      about: 'how many connections at a time, 1 to 32 (default 4)',
    },
    MAX_REFUSED_LOGONS,
    DEADLINE,
    PATIENCE,
    ...EXPLORING,
    {
      flag: 'detach',
      env: 'CORE_DETACH',
      about: 'do what needs no long waiting, and end; resume goes on with the rest',
    },
    CONTROL_URL,
    ...CONTRACTS,
    CONFIG,
  ],
  operands: {
    value: 'TARGET…',
    about: "the Cores, as --target names them; 'lab-*' is every target of the configuration file that fits",
    atLeast: 0,
  },
  secrets: [PASSWORD, CONTROL_KEY],
}
