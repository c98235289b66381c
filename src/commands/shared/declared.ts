/** The commands, each with its settings, in the order of the help. Over 250 lines, since all settings stand side by side. */
import { CONFIG_FILE, type Command, command, MOCK_TARGET, type Secret } from '../../config/command.js'
import { DIFF_REPORTERS } from '../../diff/report/reporters.js'
import { DEFAULT_OUT } from '../../ground/own-command.js'
import { FLEET_REPORTERS } from '../../report/fleet/reporters.js'
import { isOwnReporter, placeOf } from '../../report/reporter.js'
import { defaultReporters, REPORTER_NAMES, REPORTERS } from '../../report/reporters.js'
import { CONFIGURATION } from '../../settings/configuration.js'
import { decimal, file, line, list, oneOf, text, time, toggle, whole } from '../../settings/kinds.js'
import { declared, type Layer, type Setting, setting } from '../../settings/setting.js'

/** Layers of the configuration file that hold settings of Cores: for all, and for each. */
const OF_CORES: readonly Layer[] = ['defaults', 'targets']
/** Layers that hold settings of runs. */
const OF_RUNS: readonly Layer[] = ['defaults', 'profiles']
/** Layers that hold settings of Cores and of runs. */
const ANYWHERE: readonly Layer[] = ['defaults', 'targets', 'profiles']

/** What `--max-refused-logons` means for what sends a few only, and spreads none over a wait. */
const FEW_REFUSED = 'most logons that may be refused, because accounts lock'

const TARGET_ABOUT = 'base URL of the Core, such as https://10.0.0.5, or its name in the configuration file'
export const TARGET = setting('target', text('URL|NAME'), TARGET_ABOUT, { env: 'CORE_URL', completes: 'targets' })
const SEVERAL_TARGETS = setting(
  'target',
  list('URL|NAME'),
  `${TARGET_ABOUT}; several, or a pattern of names, are run as a fleet; ${MOCK_TARGET} is the embedded mock Core`,
  { env: 'CORE_URL', completes: 'targets' },
)
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
const ONE_CORE = { target: TARGET, username: USERNAME, ...TRUST }
const ONE_CORE_OR_MOCK = { ...ONE_CORE, target: TARGET_OR_MOCK }
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
export const PIN = setting('pin', file(), 'facts that must not change: a result.json, or a file of names and values', {
  file: ANYWHERE,
})
const VERBOSE = setting('verbose', toggle, 'print every spec, also those that passed', { file: OF_RUNS })
const QUIET = setting('quiet', toggle, 'print only what went wrong and the verdict, and no progress', {
  file: OF_RUNS,
})
const JSON_SWITCH = setting('json', toggle, 'as JSON')
export const FROM = setting('from', file(), 'the result of a run', { default: 'reports/result.json' })
/** The file that may hold other settings; see `src/config/file.ts`. */
export const CONFIG = setting('config', file(), `the configuration file (default: ${CONFIG_FILE}, if it exists)`)
export const TARGET_NAME = setting(
  'name',
  text('NAME'),
  'the name of the Core in the configuration file (default: its name there, else its host)',
  { env: 'CORE_TARGET_NAME' },
)
/** URL that advances the clock of a mock Core; its key is {@link CONTROL_KEY}. */
const CONTROL_URL = setting('control-url', text('URL'), 'the control endpoint of a mock Core, to advance its clock', {
  file: ['targets'],
})
/** Settings that mean something only for a target of the user's own, by their names in a program. */
export const OF_A_TARGET = { username: USERNAME, ...TRUST, ...NAMES, controlUrl: CONTROL_URL, pin: PIN }
export const OUT = setting('out', file('FOLDER'), 'the folder for reports', { default: DEFAULT_OUT, file: OF_RUNS })
/**
 * Makes the `out` setting of a command whose files have another default place.
 * @param what the subject and verb of the help text, such as `the page goes`
 * @param where the file beside which they go by default
 */
function outBeside(what: string, where: string) {
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
export const ABANDON = setting('abandon', toggle, 'only revoke the tokens of that run, and drop the rest')
/** Makes the setting for the reports of a command. Its help text is made from the registry of reports. */
function reporterOption(command: 'run' | 'report') {
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
export const REPORTER = reporterOption('run')
export const PASSWORD: Secret = {
  env: 'CORE_PASSWORD',
  about: 'the password of that user; asked for on a terminal when not set',
}
export const CONTROL_KEY: Secret = {
  env: 'CORE_CONTROL_KEY',
  about: 'the key that the mock Core printed for --control-url',
}
const DIALECT = setting(
  'dialect',
  file(),
  'how it does what the reference leaves open: a dialect file, or the result.json of a run, to answer like that Core',
  { env: 'CORE_MOCK_DIALECT', file: ['defaults'] },
)
const ROUTES = setting(
  'routes',
  text('FILE'),
  'your own endpoints, behind its authentication: an OpenAPI document, or a short YAML file',
  { env: 'CORE_MOCK_ROUTES', file: OF_RUNS },
)
/** Settings for the contract of `client`, which holds every interaction that the client used. */
const CLIENT_CONTRACTS = {
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

/** The setting without the list of reports: the help of `run` has that list. */
const { names: _names, ...NAMELESS } = REPORTER
export const RESUME: Command = {
  name: 'resume',
  about: 'finish a run or a fleet that was detached, interrupted or killed',
  options: [
    { ...OUT, about: 'the report folder of that run or fleet, with its journal' },
    { ...SHOWN.detach, about: 'do what is due, then exit again if something has to wait longer' },
    ABANDON,
    { ...NAMELESS, about: 'which reports to write, as for run (default: those of the run)' },
    SHOWN.quiet,
    SHOWN.verbose,
    CORES,
    SINCE,
    CONFIG,
    // They may be repeated, with the value that the run was begun with.
    ...[SEVERAL_TARGETS, ...Object.values(OF_A_RUN)].map(({ default: _default, ...declared }: Setting) => ({
      ...declared,
      about: 'must be the same as when the run began',
    })),
  ],
  operands: { value: 'FOLDER', about: 'the same as --out', atLeast: 0, atMost: 1 },
  secrets: [
    { ...PASSWORD, about: 'the password that the run began with; asked for on a terminal when not set' },
    CONTROL_KEY,
  ],
}

const REPORTS = FLEET_REPORTERS.map(each => ({ name: each.name, about: `${each.about} (${placeOf(each)})` }))

export const MERGE = command({
  name: 'merge',
  about: 'combine the results of shards, or of single runs, into one fleet',
  settings: {
    outDir: { ...OUT, about: 'the folder for the fleet, with a folder for each Core' },
    // `run` has other reports, so this setting has its own variable.
    reporters: setting(
      'reporter',
      list('NAMES'),
      'which reports to write, see below (default all that can be made here)',
      { env: 'CORE_MERGE_REPORTER', names: { title: 'Reports', rows: REPORTS } },
    ),
    since: SINCE,
    quiet: { ...QUIET, about: 'print only what went wrong and the verdict' },
  },
  operands: {
    value: 'FOLDER…',
    about: 'report folders of shards or of single runs, or folders that contain such folders',
    atLeast: 1,
  },
})

export const REPORT = command({
  name: 'report',
  about: 'make reports from the result of an earlier run or fleet',
  settings: {
    reporter: reporterOption('report'),
    out: outBeside('the reports go', 'the result'),
    quiet: { ...QUIET, about: 'print only what went wrong and the verdict' },
    verbose: VERBOSE,
  },
  operands: {
    value: 'RESULT',
    about: 'the result of a run, or the fleet.json of many (default reports/result.json, else reports/fleet.json)',
    atLeast: 0,
    atMost: 1,
  },
})

export const DIFF = command({
  name: 'diff',
  about: 'show what changed between runs, and what that means for clients',
  settings: {
    outDir: OUT,
    // `run` has other reports, so this setting has its own variable.
    reporters: setting(
      'reporter',
      list('NAMES'),
      `which reports: ${DIFF_REPORTERS.map(({ name }) => name).join(', ')} (default all)`,
      { env: 'CORE_DIFF_REPORTER' },
    ),
    quiet: { ...QUIET, about: 'do not print harmless changes' },
    config: CONFIG,
  },
  operands: { value: 'RESULT…', about: 'two or more result.json, the oldest first; or two fleet.json', atLeast: 2 },
})

export const BASELINE_UPDATE = command({
  name: 'baseline update',
  about: 'update the list of known failures from a run: add what failed, remove what passed',
  settings: {
    from: FROM,
    baseline: { ...BASELINE, about: 'the file to update; created if needed' },
    reason: setting('reason', text('TEXT'), 'the reason of new entries (default: empty, for you to fill in)', {
      env: 'CORE_BASELINE_REASON',
    }),
  },
})

export const ATTEST = command({
  name: 'attest',
  about: 'sign the result of a run or a fleet for a firmware release (in-toto, DSSE)',
  settings: {
    artifact: setting('artifact', file(), 'the firmware file that the Core ran; its name and digest are attested'),
    digest: setting('digest', text('SHA256'), 'the SHA-256 of the firmware, instead of its file; needs --subject', {
      env: 'CORE_ARTIFACT_DIGEST',
    }),
    subject: setting('subject', text('NAME'), 'the name of the firmware (default: the name of its file)', {
      env: 'CORE_ATTEST_SUBJECT',
    }),
    key: setting('key', file(), 'the private key to sign with (PEM: Ed25519, or ECDSA on P-256 or P-384)', {
      env: 'CORE_ATTEST_KEY',
    }),
    out: outBeside('attestation.intoto.jsonl goes', 'the result'),
  },
  operands: {
    value: 'RESULT',
    about: 'a result.json, or a fleet.json (default reports/result.json, else reports/fleet.json)',
    atLeast: 0,
    atMost: 1,
  },
  secrets: [{ env: 'CORE_ATTEST_PASSPHRASE', about: 'the passphrase of the private key, if it has one' }],
})

export const ATTEST_VERIFY = command({
  name: 'attest verify',
  about: 'check an attestation against its key, result and firmware, and show what it claims',
  settings: {
    key: { ...ATTEST.settings.key, about: 'the public key or certificate of the signer (PEM)' },
    result: setting('result', file(), 'the attested result.json or fleet.json (default: beside the attestation)', {
      env: 'CORE_ATTEST_RESULT',
    }),
    artifact: { ...ATTEST.settings.artifact, about: 'the firmware file, to check that it is the attested one' },
  },
  operands: {
    value: 'ATTESTATION',
    about: 'the file that attest wrote (default reports/attestation.intoto.jsonl)',
    atLeast: 0,
    atMost: 1,
  },
})

const { accessControl, idleLifetime, idleTolerance, profile, maxTokens, measureLifetime, only, seed } = CONFIGURATION

export const LIST = command({
  name: 'list',
  about: 'list the specs, or the requirements with the specs that test them',
  settings: {
    requirements: setting('requirements', toggle, 'list the requirements, with the specs that test them'),
    plan: setting('plan', toggle, 'show what waits when, and how long a run takes'),
    coverage: setting(
      'coverage',
      toggle,
      'show how much of what requests may differ in a run covers, or these results',
    ),
    json: JSON_SWITCH,
    only,
    specFolders: SPECS,
    accessControl,
    idleLifetime,
    idleTolerance,
    profile,
    maxTokens,
    measureLifetime,
    seed: { ...seed, about: 'with the coverage of a run: its seed' },
    config: CONFIG,
  },
  operands: {
    value: 'RESULT…',
    about: 'with --coverage: results, or folders with results in them, which add up',
    atLeast: 0,
  },
})

export const DOCTOR = command({
  name: 'doctor',
  about: 'check whether this machine can test a Core, and suggest settings',
  settings: {
    ...ONE_CORE,
    probePath: CONFIGURATION.probePath,
    tokenField: TOKEN_FIELD,
    refused: CONFIGURATION.refused,
    deadline: CONFIGURATION.deadline,
    maxRefusedLogons: { ...CONFIGURATION.maxRefusedLogons, about: FEW_REFUSED },
    write: setting(
      'write',
      toggle,
      'write the suggested settings into the configuration file, which is created if needed',
      { env: 'CORE_DOCTOR_WRITE' },
    ),
    name: TARGET_NAME,
    file: CONFIG,
  },
  operands: { value: 'TARGET', about: 'the Core, as for --target', atLeast: 0, atMost: 1, completes: 'targets' },
  secrets: [{ ...PASSWORD, about: 'the password of that user; without it, checks that need one are skipped' }],
})

export const INIT = command({
  name: 'init',
  about: 'write a configuration file and a CI workflow, and add the dependency to package.json; changes no other file',
  settings: {
    target: TARGET,
    username: USERNAME,
    name: TARGET_NAME,
    ci: setting(
      'ci',
      oneOf('github', 'gitlab', 'jenkins', 'none'),
      'for which CI (default: the one whose files are in this folder, else github)',
      { env: 'CORE_INIT_CI' },
    ),
  },
  operands: { value: 'TARGET', about: 'the base URL of the Core, such as https://10.0.0.5', atLeast: 0, atMost: 1 },
})

export const EXPLAIN = command({
  name: 'explain',
  about: 'explain a spec or a requirement: what is sent, in which order, and why',
  settings: { specs: SPECS, probePath: CONFIGURATION.probePath, config: CONFIG },
  operands: {
    value: 'ID',
    about: 'a spec, such as revocation-rejects, or a requirement, such as REVOKE-1',
    atLeast: 1,
    completes: 'topics',
  },
})

const PORTS = { atLeast: 0, atMost: 65535 }
const MOST = { atLeast: 1, atMost: 1000 }

export const MOCK = command({
  name: 'mock',
  about: 'start a mock Core on this machine, until you stop it',
  settings: {
    port: setting('port', whole(PORTS), 'the HTTPS port (default: a free one)', {
      env: 'CORE_MOCK_PORT',
      file: ['defaults'],
    }),
    controlPort: setting('control-port', whole(PORTS), 'port of the control endpoint (default: a free one)', {
      env: 'CORE_MOCK_CONTROL_PORT',
      file: ['defaults'],
    }),
    username: declared({ ...USERNAME, default: 'admin', about: 'the user who may log on' }),
    idleLifetime: CONFIGURATION.idleLifetime,
    accessControl: CONFIGURATION.accessControl,
    dialect: DIALECT,
    maxTokens: setting(
      'max-tokens',
      whole(MOST),
      'most tokens that are valid at a time; further logons are refused (default: no limit)',
      { env: 'CORE_MOCK_MAX_TOKENS' },
    ),
    connections: setting(
      'connections',
      whole(MOST),
      'most connections that it serves at a time; others wait (default: no limit)',
      { env: 'CORE_MOCK_CONNECTIONS', file: OF_RUNS },
    ),
    routes: ROUTES,
    timeScale: setting(
      'time-scale',
      decimal({ atLeast: 1, atMost: 100_000 }),
      'how much faster than real time its clock runs',
      { env: 'CORE_MOCK_TIME_SCALE', default: '1', file: ['defaults'] },
    ),
    certificate: setting('certificate', file(), 'write its certificate here (PEM), for clients to trust', {
      env: 'CORE_MOCK_CERTIFICATE',
      file: ['defaults'],
    }),
    json: { ...JSON_SWITCH, about: 'print its address as one line of JSON, and log to stderr' },
    defect: setting('defect', text('NAME'), 'give it this defect', { env: 'CORE_MOCK_DEFECT', completes: 'defects' }),
    defects: setting('defects', toggle, 'list the defects, and exit', { env: 'CORE_MOCK_DEFECTS' }),
    config: CONFIG,
  },
  secrets: [PASSWORD],
})

export const CLIENT = command({
  name: 'client',
  about: 'test a client: run its command against a mock Core in several scenarios',
  settings: {
    scenario: setting(
      'scenario',
      list('NAMES'),
      'which scenarios to run, such as token-expires; see docs/client.md (default all)',
      { completes: 'scenarios', file: ['defaults'] },
    ),
    timeoutMs: setting(
      'timeout',
      time({ atLeast: '1s', atMost: '1h' }),
      'kill the command after this time, in each scenario',
      { env: 'CORE_CLIENT_TIMEOUT', default: '60s', file: ['defaults'] },
    ),
    ignore: setting(
      'ignore',
      list('RULES', { item: 'the name of a rule', mayBeEmpty: true }),
      'skip these rules; the report says so',
      { env: 'CORE_CLIENT_IGNORE', file: OF_RUNS },
    ),
    anyCertificate: setting(
      'allow-any-certificate',
      toggle,
      'the client is meant to accept any certificate: do not test that',
      { env: 'CORE_CLIENT_ANY_CERTIFICATE', file: OF_RUNS },
    ),
    // 40 s: beyond the 30 s that many libraries wait.
    hangMs: setting(
      'hang',
      time({ atLeast: '1s', atMost: '1h' }),
      'how long it may wait for an answer that never comes; less than --timeout',
      { env: 'CORE_CLIENT_HANG', default: '40s', file: OF_RUNS },
    ),
    dialectFile: {
      ...DIALECT,
      about: 'how the mock Core does what the reference leaves open: a dialect file, or the result.json of a run',
    },
    routesFile: {
      ...ROUTES,
      about: 'your own endpoints, behind the authentication: an OpenAPI document, or a short YAML file',
    },
    outDir: { ...OUT, about: 'the folder for client.junit.xml' },
    ...CLIENT_CONTRACTS,
    config: CONFIG,
  },
  operands: { value: 'COMMAND…', about: "the client's command with its arguments", atLeast: 1, afterDashes: true },
})

export const CONTRACTS_GENERATE = command({
  name: 'contracts generate',
  about: 'write contracts for client teams from the result of a run',
  settings: { from: FROM, ...CONTRACTS },
})

export const CONTRACTS_OPENAPI = command({
  name: 'contracts openapi',
  about: 'write an OpenAPI document of a Core from what a run observed',
  settings: {
    from: FROM,
    // It has its own variable, since CORE_OUT names the folder of the reports.
    out: setting('out', text('FILE'), 'the file to write (default stdout); JSON if its name ends in .json', {
      env: 'CORE_OPENAPI_OUT',
    }),
    json: { ...JSON_SWITCH, about: 'as JSON (default YAML)' },
  },
})

/** Settings for setting up provider states, beside those that name the Core. */
export const PROVIDER = {
  accessControl: CONFIGURATION.accessControl,
  idleLifetime: CONFIGURATION.idleLifetime,
  idleTolerance: CONFIGURATION.idleTolerance,
  probePath: CONFIGURATION.probePath,
  tokenField: TOKEN_FIELD,
  refused: CONFIGURATION.refused,
  profile: declared({
    ...CONFIGURATION.profile,
    about: 'quick leaves out what needs an expired token; full and long wait for it',
  }),
  state: setting(
    'state',
    list('WORDS=STATE'),
    'what a provider state in a contract means; or use a table in the configuration file',
  ),
  maxRefusedLogons: declared({ ...CONFIGURATION.maxRefusedLogons, default: '20', about: FEW_REFUSED }),
  deadline: CONFIGURATION.deadline,
  patience: CONFIGURATION.patience,
  controlUrl: CONTROL_URL,
}

/** Settings of the broker that contracts come from and results go to. */
const BROKER = {
  broker: setting('broker', text('URL'), 'base URL of a Pact broker, which selects the contracts to verify', {
    file: OF_RUNS,
  }),
  provider: setting('provider', text('NAME'), 'the name of the Core at the broker', { default: 'core', file: OF_RUNS }),
  selector: setting(
    'selector',
    list('WORDS', { item: 'a selector' }),
    'which versions of consumers: main, matching, deployed, released, deployed-or-released, latest, branch=NAME, environment=NAME, tag=NAME, each also with consumer=NAME after a space (default main and deployed-or-released, with --branch also matching)',
    { file: OF_RUNS },
  ),
  publish: setting(
    'publish',
    toggle,
    'publish the results to the broker; needs a Core (not the mock Core) and --version',
  ),
  version: setting('version', text('VERSION'), 'the version of the Core to publish results for, such as its firmware', {
    env: 'CORE_PROVIDER_VERSION',
  }),
  branch: setting('branch', text('NAME'), 'the branch of that version, for pending contracts and matching selectors', {
    env: 'CORE_PROVIDER_BRANCH',
  }),
}

/** Credentials for the broker. All tools of Pact read these names. */
const BROKER_SECRETS: Secret[] = [
  { env: 'PACT_BROKER_TOKEN', about: 'bearer token for the broker' },
  { env: 'PACT_BROKER_USERNAME', about: 'or the name for its basic authentication' },
  { env: 'PACT_BROKER_PASSWORD', about: 'and the password for it' },
]

export const CONTRACTS_VERIFY = command({
  name: 'contracts verify',
  about: 'verify contracts against a Core; without a target, against a mock Core',
  settings: {
    ...ONE_CORE_OR_MOCK,
    ...PROVIDER,
    config: CONFIG,
    ...BROKER,
    outDir: { ...OUT, about: 'the folder for contracts.junit.xml' },
  },
  operands: {
    value: 'FILE|URL…',
    about: 'contracts in Pact specification 2, 3 or 4; optional with --broker',
    atLeast: 0,
  },
  secrets: [PASSWORD, CONTROL_KEY, ...BROKER_SECRETS],
})

export const CONTRACTS_STATES = command({
  name: 'contracts states',
  about: 'serve provider states on this machine, so that any Pact verifier can verify contracts against a Core',
  settings: {
    ...ONE_CORE_OR_MOCK,
    ...PROVIDER,
    config: CONFIG,
    port: setting('port', whole({ atLeast: 0, atMost: 65535 }, 'PORT'), 'where it listens (default: a free port)', {
      env: 'CORE_STATES_PORT',
    }),
    json: { ...JSON_SWITCH, about: 'print its addresses as one line of JSON' },
  },
  secrets: [PASSWORD, CONTROL_KEY],
})

export const COMPLETION: Command = {
  name: 'completion',
  about: 'print the completion script of a shell: bash, zsh or fish',
  options: [],
  operands: {
    value: 'SHELL',
    about: 'bash, zsh, fish; docs/doctor.md says where to put the script',
    atLeast: 1,
    atMost: 1,
  },
  secrets: [],
}
