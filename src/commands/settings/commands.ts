/** The commands, each with its settings, in the order of the help. Over 250 lines, since all of them stand side by side. */
import { type Command, command, type Secret } from '../../config/command.js'
import { DIFF_REPORTERS } from '../../diff/report/reporters.js'
import { FLEET_REPORTERS } from '../../report/fleet/reporters.js'
import { placeOf } from '../../report/reporter.js'
import { CONFIGURATION } from '../../settings/configuration.js'
import { decimal, file, list, oneOf, text, time, toggle, whole } from '../../settings/kinds.js'
import { declared, type Setting, setting } from '../../settings/setting.js'
import {
  ABANDON,
  BASELINE,
  CLIENT_CONTRACTS,
  CONFIG,
  CONTRACTS,
  CONTROL_KEY,
  CONTROL_URL,
  CORES,
  DIALECT,
  FEW_REFUSED,
  FLEET,
  FROM,
  JSON_SWITCH,
  OF_A_RUN,
  OF_RUNS,
  ONE_CORE,
  ONE_CORE_OR_MOCK,
  OUT,
  outBeside,
  PASSWORD,
  PIN,
  QUIET,
  REPORTER,
  ROUTES,
  reporterOption,
  SEVERAL_TARGETS,
  SHOWN,
  SINCE,
  SPECS,
  TARGET,
  TARGET_NAME,
  TOKEN_FIELD,
  USERNAME,
  VERBOSE,
} from './shared.js'

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

/** The setting without the list of reports: the help of `run` has that list. */
const { names: _names, ...NAMELESS } = REPORTER
/** `core-conformance resume`. */
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

/** `core-conformance merge`. */
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

/** `core-conformance report`. */
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

/** `core-conformance diff`. */
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

/** `core-conformance baseline update`. */
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

/** `core-conformance attest`. */
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

/** `core-conformance attest verify`. */
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

/** `core-conformance list`. */
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

/** `core-conformance doctor`. */
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

/** `core-conformance init`. */
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

/** `core-conformance explain`. */
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

/** `core-conformance mock`. */
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

/** `core-conformance client`. */
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

/** `core-conformance contracts generate`. */
export const CONTRACTS_GENERATE = command({
  name: 'contracts generate',
  about: 'write contracts for client teams from the result of a run',
  settings: { from: FROM, ...CONTRACTS },
})

/** `core-conformance contracts openapi`. */
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

/** `core-conformance contracts verify`. */
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

/** `core-conformance contracts states`. */
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

/** `core-conformance completion`. */
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
