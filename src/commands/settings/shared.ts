/** Settings that several commands take. */

import { CONFIG_FILE, MOCK_TARGET, type Secret } from '../../config/command.js'
import { DEFAULT_OUT } from '../../ground/own-command.js'
import { isOwnReporter, placeOf } from '../../report/reporter.js'
import { defaultReporters, REPORTER_NAMES, REPORTERS } from '../../report/reporters.js'
import { CONFIGURATION } from '../../settings/configuration.js'
import { file, line, list, text, toggle, whole } from '../../settings/kinds.js'
import { type Layer, setting } from '../../settings/setting.js'

/** Layers of the configuration file that hold settings of Cores: for all, and for each. */
const OF_CORES: readonly Layer[] = ['defaults', 'targets']
/** Layers that hold settings of runs. */
export const OF_RUNS: readonly Layer[] = ['defaults', 'profiles']
/** Layers that hold settings of Cores and of runs. */
const ANYWHERE: readonly Layer[] = ['defaults', 'targets', 'profiles']

/** What `--max-refused-logons` means for what sends a few only, and spreads none over a wait. */
export const FEW_REFUSED = 'most logons that may be refused, because accounts lock'

const TARGET_ABOUT = 'base URL of the Core, such as https://10.0.0.5, or its name in the configuration file'
/** The Core to talk to. */
export const TARGET = setting('target', text('URL|NAME'), TARGET_ABOUT, { env: 'CORE_URL', completes: 'targets' })
/** The Cores to talk to, for a command that takes many. */
export const SEVERAL_TARGETS = setting(
  'target',
  list('URL|NAME'),
  `${TARGET_ABOUT}; several, or a pattern of names, are run as a fleet; ${MOCK_TARGET} is the embedded mock Core`,
  { env: 'CORE_URL', completes: 'targets' },
)
/** The Core to talk to, for a command that takes the embedded mock Core where none is given. */
const TARGET_OR_MOCK = { ...TARGET, about: `${TARGET_ABOUT}; ${MOCK_TARGET} is the embedded mock Core` }
export const USERNAME = setting('username', text('NAME'), 'the user who logs on', { file: OF_CORES })
/** Settings for trusting a Core of the user's own. */
export const TRUST = {
  /** Whether to accept any certificate. */
  insecure: setting('insecure', toggle, 'do not verify the certificate', { file: OF_CORES }),
  /** A PEM file of the CAs to trust. */
  caFile: setting('ca-file', file(), 'trust the certificates issued by this CA (PEM)', { file: OF_CORES }),
  /** The SHA-256 of the only certificate to trust. */
  fingerprint: setting('fingerprint', text('SHA256'), 'trust exactly this certificate', { file: OF_CORES }),
}
/** Settings for reaching and trusting a Core of the user's own. */
export const ONE_CORE = { target: TARGET, username: USERNAME, ...TRUST }
/** The same, for a command that takes the embedded mock Core where none is given. */
export const ONE_CORE_OR_MOCK = { ...ONE_CORE, target: TARGET_OR_MOCK }
/** Names of the Core in the reports. */
export const NAMES = {
  /** Name of the Core in the result, such as `staging`. */
  label: setting('label', line('NAME'), 'the name of the Core in the reports, such as staging', { file: ANYWHERE }),
  /** Firmware of the Core, for the result. */
  firmware: setting('firmware', line('VERSION'), 'the firmware version of the Core, for the reports', {
    file: ANYWHERE,
  }),
}
export const TOKEN_FIELD = setting(
  'token-field',
  text('NAME'),
  'where the logon response has the token: a field, a JSON Pointer or a header',
  { file: ANYWHERE },
)
export const SPECS = setting('specs', list('FOLDER', { isPath: () => true }), 'also use the specs in this folder', {
  file: OF_RUNS,
})
export const BASELINE = setting('baseline', file(), 'the list of known failures, with their reasons (YAML)', {
  file: ANYWHERE,
})
/** Facts that must not change. */
export const PIN = setting('pin', file(), 'facts that must not change: a result.json, or a file of names and values', {
  file: ANYWHERE,
})
export const VERBOSE = setting('verbose', toggle, 'print every spec, also those that passed', { file: OF_RUNS })
export const QUIET = setting('quiet', toggle, 'print only what went wrong and the verdict, and no progress', {
  file: OF_RUNS,
})
export const JSON_SWITCH = setting('json', toggle, 'as JSON')
/** The result to read, for commands that work on a finished run. */
export const FROM = setting('from', file(), 'the result of a run', { default: 'reports/result.json' })
/** The file that may hold other settings; see `src/config/file.ts`. */
export const CONFIG = setting('config', file(), `the configuration file (default: ${CONFIG_FILE}, if it exists)`)
/** The name under which a Core is written into the configuration file. */
export const TARGET_NAME = setting(
  'name',
  text('NAME'),
  'the name of the Core in the configuration file (default: its name there, else its host)',
  { env: 'CORE_TARGET_NAME' },
)
/** URL that advances the clock of a mock Core; its key is {@link CONTROL_KEY}. */
export const CONTROL_URL = setting(
  'control-url',
  text('URL'),
  'the control endpoint of a mock Core, to advance its clock',
  { file: ['targets'] },
)
/** Settings that mean something only for a target of the user's own, by their names in a program. */
export const OF_A_TARGET = { username: USERNAME, ...TRUST, ...NAMES, controlUrl: CONTROL_URL, pin: PIN }
export const OUT = setting('out', file('FOLDER'), 'the folder for reports', { default: DEFAULT_OUT, file: OF_RUNS })
/**
 * Makes the `out` setting of a command whose files have another default place.
 * @param what the subject and verb of the help text, such as `the page goes`
 * @param where the file beside which they go by default
 */
export function outBeside(what: string, where: string) {
  return setting('out', file('FOLDER'), `where ${what} (default beside ${where})`, { file: OF_RUNS })
}
/** How a run is shown, and whether it leaves what waits to `resume`. */
export const SHOWN = {
  quiet: QUIET,
  verbose: VERBOSE,
  detach: setting('detach', toggle, 'do everything but the long waits, then exit; resume does the rest', {
    file: OF_RUNS,
  }),
}
/** Only revoke the tokens that a run holds. */
export const ABANDON = setting('abandon', toggle, 'only revoke the tokens of that run, and drop the rest')
/** Makes the setting for the reports of a command. Its help text is made from the registry of reports. */
export function reporterOption(command: 'run' | 'report') {
  const always = defaultReporters(command, false)
  const inGithub = defaultReporters(command, true).filter(name => !always.includes(name))
  const more = inGithub.length ? `, and ${inGithub.join(', ')} in GitHub Actions` : ''
  const own = { type: 'string', pattern: '[/\\\\]', $comment: 'the path of a module of your own, such as ./mine.js' }
  const rows = REPORTERS.map(reporter => ({ name: reporter.name, about: `${reporter.about} (${placeOf(reporter)})` }))
  rows.push({ name: './NAME.mjs', about: 'your own reporter: the path of a module, see docs/reporters.md' })
  return setting(
    'reporter',
    list('NAMES', { schema: { anyOf: [{ enum: REPORTER_NAMES }, own] }, isPath: isOwnReporter }),
    `which reports to write, see below (default ${always.join(', ')}${more})`,
    { names: { title: 'Reports', rows }, file: OF_RUNS },
  )
}
/** The reports that a run makes. */
export const REPORTER = reporterOption('run')
export const PASSWORD: Secret = {
  env: 'CORE_PASSWORD',
  about: 'the password of that user; asked for on a terminal when not set',
}
export const CONTROL_KEY: Secret = {
  env: 'CORE_CONTROL_KEY',
  about: 'the key that the mock Core printed for --control-url',
}
/** The dialect of the mock Core: how it does what the reference leaves open. */
export const DIALECT = setting(
  'dialect',
  file(),
  'how it does what the reference leaves open: a dialect file, or the result.json of a run, to answer like that Core',
  { env: 'CORE_MOCK_DIALECT', file: ['defaults'] },
)
/** Endpoints that the mock Core serves beside those of the reference. */
export const ROUTES = setting(
  'routes',
  text('FILE'),
  'your own endpoints, behind its authentication: an OpenAPI document, or a short YAML file',
  { env: 'CORE_MOCK_ROUTES', file: OF_RUNS },
)
/** Settings for the contract of `client`, which holds every interaction that the client used. */
export const CLIENT_CONTRACTS = {
  consumers: setting(
    'consumer',
    list('NAME', { item: 'the name of a client' }),
    'write the contract of this client: NAME-core.json',
    { file: OF_RUNS },
  ),
  dir: setting('contracts', text('FOLDER'), 'the folder for contracts', { default: 'contracts', file: OF_RUNS }),
  pinStatuses: setting('pin-statuses', toggle, 'require the exact status seen, not any 2xx or 4xx', { file: OF_RUNS }),
  strictToken: setting('strict-token', toggle, 'require the token length and alphabet seen', { file: OF_RUNS }),
  fields: setting(
    'fields',
    list('NAMES', { item: 'the name of a field', mayBeEmpty: true }),
    'which fields of successful answers the client reads, or all (default: only the token)',
    { file: OF_RUNS },
  ),
}

/** Settings for the contracts of a run, where the user can choose interactions. */
export const CONTRACTS = {
  ...CLIENT_CONTRACTS,
  interactions: setting(
    'interactions',
    list('NAMES', { item: 'the name of an interaction' }),
    'which interactions to put into contracts (default: all that passed)',
    { file: OF_RUNS },
  ),
}
/** Settings that name many Cores. */
export const FLEET = {
  targets: setting(
    'targets',
    file(),
    'also run the Cores listed in this file: one URL, name or pattern per line; # starts a comment',
  ),
  all: setting('all-targets', toggle, 'run all Cores in the configuration file'),
  shard: setting(
    'shard',
    text('K/N|auto|auto/N'),
    'run share K of N of the Cores; auto takes K and N from the parallel jobs of your CI',
  ),
}
/**
 * How many Cores run at a time. The default covers a large lab. The connections (four for each Core) and journals of 200 Cores
 * fit into the 1,024 files that a process may have open on most systems.
 */
export const CORES = setting(
  'cores',
  whole({ atLeast: 1, atMost: 1000 }),
  'how many Cores to run at a time, 1 to 1000',
  { default: '200', file: ['defaults'] },
)
/** The earlier fleet to compare a fleet with. */
export const SINCE = setting('since', file(), 'the fleet.json of an earlier run, to show what changed since then')
/**
 * Settings that decide how a run of one Core goes, by their names in a program. If the user gives them to `resume` again, they
 * must be the same.
 */
export const OF_A_RUN = {
  /** The name of the user who logs on; needed with `target`, unless access control is off. */
  username: USERNAME,
  ...TRUST,
  ...NAMES,
  ...CONFIGURATION,
  /** Place of the token in the logon response: a field, a JSON Pointer or a header; default: the survey finds it. */
  tokenField: TOKEN_FIELD,
  /** Folders with your own specs. */
  specs: SPECS,
  /** The control endpoint of a target that is a mock Core. The run advances its clock instead of waiting. */
  controlUrl: CONTROL_URL,
}
