import type { Command } from './option.js'
import { ACCESS_CONTROL, CONTROL_KEY, CONTROL_URL, IDLE_LIFETIME, ONLY, PASSWORD, SPECS, TARGET } from './shared.js'

/** `core-conformance run`. */
export const RUN: Command = {
  name: 'run',
  about: 'run the suite against a Core; without a target, against a mock Core',
  options: [
    ...TARGET,
    ACCESS_CONTROL,
    IDLE_LIFETIME,
    {
      flag: 'idle-tolerance',
      env: 'CORE_IDLE_TOLERANCE',
      value: 'PERCENT',
      about: 'how much sooner or later it may be (default 5%)',
    },
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
    {
      flag: 'profile',
      env: 'CORE_PROFILE',
      value: 'quick|full',
      about: 'quick leaves out what needs waiting (default full)',
    },
    ONLY,
    SPECS,
    { flag: 'out', env: 'CORE_OUT', value: 'FOLDER', about: 'where the reports go (default reports)' },
    {
      flag: 'reporter',
      env: 'CORE_REPORTER',
      value: 'NAMES',
      list: true,
      about: 'which reports: console, junit, json (default all)',
    },
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
    CONTROL_URL,
  ],
  secrets: [PASSWORD, CONTROL_KEY],
}
