import type { Command } from '../../config/command.js'
import { CONFIGURATION } from '../../settings/configuration.js'
import { CONTRACTS } from '../contracts/settings.js'
import { CORES, FLEET, SINCE } from '../fleet/settings.js'
import {
  BASELINE,
  CONFIG,
  CONTROL_KEY,
  CONTROL_URL,
  NAMES,
  OUT,
  PASSWORD,
  PIN,
  REPORTER,
  SEVERAL_TARGETS,
  SHOWN,
  SPECS,
  TOKEN_FIELD,
  TRUST,
  USERNAME,
} from '../shared/settings.js'

/**
 * Settings that decide how a run of one Core goes, by their names in a program. If the user gives them to `resume` again, they
 * must be the same.
 */
export const OF_A_RUN = {
  username: USERNAME,
  ...TRUST,
  ...NAMES,
  ...CONFIGURATION,
  tokenField: TOKEN_FIELD,
  specs: SPECS,
  controlUrl: CONTROL_URL,
}

/** `core-conformance run`. */
export const RUN: Command = {
  name: 'run',
  about: 'run the suite against a Core, or many at once; without a target, against a mock Core',
  options: [
    SEVERAL_TARGETS,
    ...Object.values(FLEET),
    CORES,
    SINCE,
    ...Object.values(OF_A_RUN),
    PIN,
    BASELINE,
    OUT,
    REPORTER,
    ...Object.values(SHOWN),
    ...Object.values(CONTRACTS),
    CONFIG,
  ],
  operands: {
    value: 'TARGET…',
    about: "the Cores, as for --target; 'lab-*' means every target in the configuration file whose name matches",
    atLeast: 0,
    completes: 'targets',
  },
  secrets: [PASSWORD, CONTROL_KEY],
}
