/** Options that several commands take. */
import { placeOf } from '../report/reporter.js'
import { defaultReporters, REPORTERS } from '../report/reporters.js'
import { PROFILES } from '../result.js'
import type { Option, Secret } from './option.js'

export const USERNAME: Option = { flag: 'username', env: 'CORE_USERNAME', value: 'NAME', about: 'the user who logs on' }
export const ACCESS_CONTROL: Option = {
  flag: 'access-control',
  env: 'CORE_ACCESS_CONTROL',
  value: 'on|off',
  about: 'whether the Core demands tokens (default on)',
}
export const IDLE_LIFETIME: Option = {
  flag: 'idle-lifetime',
  env: 'CORE_IDLE_LIFETIME',
  value: 'TIME',
  about: 'unused for so long, a token expires (default 1h)',
}
export const IDLE_TOLERANCE: Option = {
  flag: 'idle-tolerance',
  env: 'CORE_IDLE_TOLERANCE',
  value: 'PERCENT',
  about: 'how much sooner or later it may be (default 5%)',
}
export const PROBE_PATH: Option = {
  flag: 'probe-path',
  env: 'CORE_PROBE_PATH',
  value: 'PATH',
  about: 'authenticated GET (default /api/v0/cores/self/users)',
}
export const TOKEN_FIELD: Option = {
  flag: 'token-field',
  env: 'CORE_TOKEN_FIELD',
  value: 'NAME',
  about: 'where the token stands in the logon response: field, JSON Pointer or header',
}
export const PROFILE: Option = {
  flag: 'profile',
  env: 'CORE_PROFILE',
  value: PROFILES.join('|'),
  about: 'quick leaves out what needs waiting; long waits two lifetimes (default full)',
}
export const MAX_REFUSED_LOGONS: Option = {
  flag: 'max-refused-logons',
  env: 'CORE_MAX_REFUSED_LOGONS',
  value: 'N',
  about: 'how many logons may be refused, since accounts lock (default 40)',
}
export const DEADLINE: Option = {
  flag: 'deadline',
  env: 'CORE_DEADLINE',
  value: 'TIME',
  about: 'how long an answer may take, once connected (default 10s)',
}
export const PATIENCE: Option = {
  flag: 'patience',
  env: 'CORE_PATIENCE',
  value: 'TIME',
  about:
    'how much longer than planned a run may take for a Core that limits, refuses, hangs or breaks off (default 15m)',
}
/** How the explorer explores. */
export const EXPLORING: Option[] = [
  {
    flag: 'explore',
    env: 'CORE_EXPLORE',
    value: 'N|TIME',
    about: 'explore so many requests, or so long; 0: not (default: while a full run waits, 1500 at most)',
  },
  {
    flag: 'seed',
    env: 'CORE_SEED',
    value: 'N|random',
    about: 'what the explorer draws its sequences from (default 1)',
  },
]
export const ONLY: Option = {
  flag: 'only',
  env: 'CORE_ONLY',
  value: 'NAMES',
  list: true,
  about: 'run these specs or areas only; * matches any text, and what begins with ! is left out',
}
export const SPECS: Option = {
  flag: 'specs',
  env: 'CORE_SPECS',
  value: 'FOLDER',
  list: true,
  about: 'run the specs of this folder too',
}
export const BASELINE: Option = {
  flag: 'baseline',
  env: 'CORE_BASELINE',
  value: 'FILE',
  about: 'failures that are known, with their reasons (YAML)',
}
export const VERBOSE: Option = {
  flag: 'verbose',
  env: 'CORE_VERBOSE',
  about: 'every spec on the console, also those that passed',
}
/** What is made from a run after it. */
export const FROM: Option = {
  flag: 'from',
  env: 'CORE_FROM',
  value: 'FILE',
  about: 'the result of a run (default reports/result.json)',
}
/** The file that other settings may stand in; see `src/config/file.ts`. */
export const CONFIG: Option = {
  flag: 'config',
  env: 'CORE_CONFIG',
  value: 'FILE',
  about: 'the configuration file (default core-conformance.config.yaml, if it is there)',
}
/** How a Core of the user's own is reached and trusted. */
export const TARGET: Option[] = [
  {
    flag: 'target',
    env: 'CORE_URL',
    value: 'URL|NAME',
    about: 'base URL of the Core, such as https://10.0.0.5, or its name in the configuration file',
  },
  USERNAME,
  { flag: 'insecure', env: 'CORE_INSECURE', about: 'do not verify the certificate' },
  { flag: 'ca-file', env: 'CORE_CA_FILE', value: 'FILE', about: 'trust the certificates issued by this CA (PEM)' },
  { flag: 'fingerprint', env: 'CORE_FINGERPRINT', value: 'SHA256', about: 'trust exactly this certificate' },
]
/** The same where there may be many. */
export const SEVERAL_TARGETS: Option = {
  flag: 'target',
  env: 'CORE_URL',
  value: 'URL|NAME',
  list: true,
  about:
    'base URL of the Core, such as https://10.0.0.5, or its name in the configuration file; several, or a pattern of names, make a fleet',
}
/**
 * How many Cores are met at a time: all of a large lab, and few enough that their connections (four each) and journals fit in
 * the 1,024 files that a process may have open on most systems.
 */
export const DEFAULT_CORES = 200
/** What a fleet is compared with. */
export const SINCE: Option = {
  flag: 'since',
  env: 'CORE_SINCE',
  value: 'FILE',
  about: 'the fleet.json of an earlier run: say what changed since',
}
/** How reports call the Core. */
export const NAMES: Option[] = [
  { flag: 'label', env: 'CORE_LABEL', value: 'NAME', about: 'how the reports call the Core, such as staging' },
  { flag: 'firmware', env: 'CORE_FIRMWARE', value: 'VERSION', about: 'the firmware it runs, for the reports' },
]
/** Under which name a Core is written into the configuration file. */
export const TARGET_NAME: Option = {
  flag: 'name',
  env: 'CORE_TARGET_NAME',
  value: 'NAME',
  about: 'how the configuration file calls the Core (default its name there, else its host)',
}
/** Where a mock Core's clock is advanced; its key is {@link CONTROL_KEY}. */
export const CONTROL_URL: Option = {
  flag: 'control-url',
  env: 'CORE_CONTROL_URL',
  value: 'URL',
  about: 'advance the clock of a mock Core target here',
}
/** What decides how long a run takes, and how many tokens it holds. */
export const PACING: Option[] = [
  ACCESS_CONTROL,
  IDLE_LIFETIME,
  IDLE_TOLERANCE,
  PROFILE,
  {
    flag: 'max-tokens',
    env: 'CORE_MAX_TOKENS',
    value: 'N',
    about: 'how many tokens to hold at a time (default: what one lifetime needs)',
  },
  {
    flag: 'measure-lifetime',
    env: 'CORE_MEASURE_LIFETIME',
    about: 'measure the idle lifetime too, with nine tokens more',
  },
]
export const OUT: Option = {
  flag: 'out',
  env: 'CORE_OUT',
  value: 'FOLDER',
  about: 'where the reports go (default reports)',
}
/** Which reports a command makes; the text is made from the registry. */
export function reporterOption(command: 'run' | 'report'): Option {
  const always = defaultReporters(command, false)
  const inGithub = defaultReporters(command, true).filter(name => !always.includes(name))
  const more = inGithub.length ? `, and ${inGithub.join(', ')} in GitHub Actions` : ''
  return {
    flag: 'reporter',
    env: 'CORE_REPORTER',
    value: 'NAMES',
    list: true,
    about: `which reports, by the names below (default ${always.join(', ')}${more})`,
    names: {
      title: 'Reports',
      rows: [
        ...REPORTERS.map(reporter => ({ name: reporter.name, about: `${reporter.about} (${placeOf(reporter)})` })),
        { name: './NAME.mjs', about: 'of your own: the path of a module, see docs/reporters.md' },
      ],
    },
  }
}
export const QUIET: Option = {
  flag: 'quiet',
  env: 'CORE_QUIET',
  about: 'no progress, and of the report only what went wrong and the verdict',
}
export const PASSWORD: Secret = {
  env: 'CORE_PASSWORD',
  about: 'the password of that user; asked for on a terminal when not set',
}
export const CONTROL_KEY: Secret = {
  env: 'CORE_CONTROL_KEY',
  about: 'the key that the mock Core printed for --control-url',
}
