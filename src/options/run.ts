import type { Command } from './option.js'
import {
  BASELINE,
  CONTROL_KEY,
  CONTROL_URL,
  ONLY,
  OUT,
  PACING,
  PASSWORD,
  QUIET,
  REPORTER,
  SPECS,
  TARGET,
} from './shared.js'

/** `core-conformance run`. */
export const RUN: Command = {
  name: 'run',
  about: 'run the suite against a Core; without a target, against a mock Core',
  options: [
    ...TARGET,
    ...PACING,
    {
      flag: 'probe-path',
      env: 'CORE_PROBE_PATH',
      value: 'PATH',
      about: 'authenticated GET (default /api/v0/cores/self/users)',
    },
    {
      flag: 'token-field',
      env: 'CORE_TOKEN_FIELD',
      value: 'NAME',
      about: 'where the token stands in the logon response: field or JSON Pointer',
    },
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
    REPORTER,
    QUIET,
    {
      flag: 'concurrency',
      env: 'CORE_CONCURRENCY',
      value: 'N',
      about: 'how many exchanges at a time, 1 to 32 (default 4)',
    },
    {
      flag: 'max-refused-logons',
      env: 'CORE_MAX_REFUSED_LOGONS',
      value: 'N',
      about: 'how many logons may be refused, since accounts lock (default 20)',
    },
    { flag: 'deadline', env: 'CORE_DEADLINE', value: 'TIME', about: 'how long one exchange may take (default 10s)' },
    {
      flag: 'detach',
      env: 'CORE_DETACH',
      about: 'do what needs no long waiting, and end; resume goes on with the rest',
    },
    CONTROL_URL,
  ],
  secrets: [PASSWORD, CONTROL_KEY],
}
