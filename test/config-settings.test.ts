import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SCENARIOS } from '../dist/client/scenarios.js'
import type { BaselineUpdateConfig } from '../dist/commands/baseline/config.js'
import type { ClientConfig } from '../dist/commands/client/config.js'
import type { ContractsGenerateConfig } from '../dist/commands/contracts/config.js'
import type { ContractsOpenapiConfig } from '../dist/commands/contracts/openapi-config.js'
import type {
  ContractsStatesConfig,
  ContractsVerifyConfig,
  ProviderConfig,
} from '../dist/commands/contracts/verify-config.js'
import { contractsVerifyConfig } from '../dist/commands/contracts/verify-config.js'
import type { DiffConfig } from '../dist/commands/diff/config.js'
import { fleetConfig } from '../dist/commands/fleet/config.js'
import { COMMANDS } from '../dist/commands/index.js'
import type { ListConfig } from '../dist/commands/list/config.js'
import type { MockConfig } from '../dist/commands/mock/config.js'
import type { RunConfig } from '../dist/commands/one-core/config.js'
import type { ResumeConfig } from '../dist/commands/one-core/resume-config.js'
import type { ReportConfig } from '../dist/commands/report/config.js'
import { ConfigError } from '../dist/config/error.js'
import { Settings } from '../dist/config/settings.js'
import { type ConfigurationRecord, RECORDED, recordedValue } from '../dist/settings/record.js'
import {
  baselineUpdate,
  client,
  commandOf,
  contractsOpenapi,
  diff,
  type Given,
  generate,
  list,
  mock,
  refusal,
  report,
  resume,
  run,
  states,
  verify,
  warnings,
  withSettings,
} from './config-support.js'

const test = suite('settings')

const TARGET = { CORE_URL: 'https://10.0.0.5' }
const [AA, BB, CC] = ['AA', 'BB', 'CC'].map(pair => Array(32).fill(pair).join(':')) as [string, string, string]

/** A flag with its variable, its default, and three values with their results. */
interface Row<C> {
  flag: string
  env: string
  read: (config: C) => unknown
  otherwise?: unknown
  values: [flag: string, env: string, dotenv: string]
  becomes: [flag: unknown, env: unknown, dotenv: unknown]
}

const fingerprintOf = ({ target }: RunConfig) =>
  target?.trust.kind === 'fingerprint' ? target.trust.sha256 : target?.trust.kind
const same = (...values: [string, string, string]) => ({ values, becomes: values })

/** The common settings of `run` and `list --plan`. */
const PACING: Row<ConfigurationRecord>[] = [
  {
    flag: 'access-control',
    env: 'CORE_ACCESS_CONTROL',
    read: ({ accessControl }) => accessControl,
    otherwise: 'on',
    ...same('off', 'on', 'off'),
  },
  {
    flag: 'idle-lifetime',
    env: 'CORE_IDLE_LIFETIME',
    read: ({ idleLifetimeMs }) => idleLifetimeMs,
    otherwise: 3_600_000,
    values: ['90s', '5m', '1.5h'],
    becomes: [90_000, 300_000, 5_400_000],
  },
  {
    flag: 'idle-tolerance',
    env: 'CORE_IDLE_TOLERANCE',
    read: ({ idleTolerance }) => idleTolerance,
    otherwise: 0.05,
    values: ['1%', '25%', '2.5%'],
    becomes: [0.01, 0.25, 0.025],
  },
  {
    flag: 'profile',
    env: 'CORE_PROFILE',
    read: ({ profile }) => profile,
    otherwise: 'full',
    ...same('quick', 'full', 'quick'),
  },
  {
    flag: 'max-tokens',
    env: 'CORE_MAX_TOKENS',
    read: ({ maxTokens }) => maxTokens,
    otherwise: null,
    values: ['1', '1000', '12'],
    becomes: [1, 1000, 12],
  },
]

const RUN: Row<RunConfig>[] = [
  {
    flag: 'target',
    env: 'CORE_URL',
    read: ({ target }) => target?.url.href,
    otherwise: 'https://10.0.0.5/',
    values: ['https://one', 'https://two:8443/', 'https://[::1]:1'],
    becomes: ['https://one/', 'https://two:8443/', 'https://[::1]:1/'],
  },
  { flag: 'username', env: 'CORE_USERNAME', read: ({ username }) => username, ...same('a', 'b', 'c') },
  { flag: 'label', env: 'CORE_LABEL', read: ({ target }) => target?.label, ...same('staging', 'lab 2', 'c') },
  { flag: 'firmware', env: 'CORE_FIRMWARE', read: ({ target }) => target?.firmware, ...same('4.2.1', '5', 'rc-3') },
  { flag: 'fingerprint', env: 'CORE_FINGERPRINT', read: fingerprintOf, otherwise: 'system', ...same(AA, BB, CC) },
  {
    flag: 'probe-path',
    env: 'CORE_PROBE_PATH',
    read: ({ configuration }) => configuration.probePath,
    otherwise: '/api/v0/cores/self/users',
    ...same('/api/a', '/api/b?c=d', '/api/'),
  },
  { flag: 'token-field', env: 'CORE_TOKEN_FIELD', read: ({ tokenField }) => tokenField, ...same('a', '/b/c', 'd') },
  {
    flag: 'only',
    env: 'CORE_ONLY',
    read: ({ configuration }) => configuration.only,
    otherwise: [],
    values: ['a', ' b , c,,b', 'd'],
    becomes: [['a'], ['b', 'c'], ['d']],
  },
  {
    flag: 'specs',
    env: 'CORE_SPECS',
    read: ({ specFolders }) => specFolders,
    otherwise: [],
    values: ['a', 'b,c', 'd/'],
    becomes: [['a'], ['b', 'c'], ['d/']],
  },
  { flag: 'pin', env: 'CORE_PIN', read: ({ known }) => known.pins, ...same('a', '/b.yaml', 'c/d.json') },
  { flag: 'baseline', env: 'CORE_BASELINE', read: ({ known }) => known.baseline, ...same('a', '/b', 'c/d') },
  { flag: 'out', env: 'CORE_OUT', read: ({ outDir }) => outDir, otherwise: 'reports', ...same('a', '/b', 'c/d') },
  {
    flag: 'reporter',
    env: 'CORE_REPORTER',
    read: ({ reporters }) => reporters,
    otherwise: ['console', 'junit', 'json', 'html'],
    values: ['junit', 'json,console', 'json'],
    becomes: [['junit'], ['console', 'json'], ['json']],
  },
  {
    flag: 'concurrency',
    env: 'CORE_CONCURRENCY',
    read: ({ configuration }) => configuration.concurrency,
    otherwise: 4,
    values: ['1', '32', '7'],
    becomes: [1, 32, 7],
  },
  {
    flag: 'max-refused-logons',
    env: 'CORE_MAX_REFUSED_LOGONS',
    read: ({ configuration }) => configuration.maxRefusedLogons,
    otherwise: 150,
    values: ['0', '1000', '3'],
    becomes: [0, 1000, 3],
  },
  {
    flag: 'deadline',
    env: 'CORE_DEADLINE',
    read: ({ configuration }) => configuration.deadlineMs,
    otherwise: 10_000,
    values: ['100ms', '10m', '3s'],
    becomes: [100, 600_000, 3000],
  },
  {
    flag: 'patience',
    env: 'CORE_PATIENCE',
    read: ({ configuration }) => configuration.patienceMs,
    otherwise: 900_000,
    values: ['1s', '1d', '3m'],
    becomes: [1000, 86_400_000, 180_000],
  },
  {
    flag: 'explore',
    env: 'CORE_EXPLORE',
    read: ({ configuration }) => configuration.explore,
    otherwise: { requests: null, durationMs: null },
    values: ['0', '30m', '2000'],
    becomes: [
      { requests: 0, durationMs: null },
      { requests: null, durationMs: 1_800_000 },
      { requests: 2000, durationMs: null },
    ],
  },
  {
    flag: 'seed',
    env: 'CORE_SEED',
    read: ({ configuration }) => configuration.seed,
    otherwise: 1,
    values: ['0', '7', '2147483647'],
    becomes: [0, 7, 2147483647],
  },
  {
    flag: 'control-url',
    env: 'CORE_CONTROL_URL',
    read: ({ control }) => control?.url,
    values: ['http://127.0.0.1:1', 'http://127.0.0.1:2/', 'http://localhost:3'],
    becomes: ['http://127.0.0.1:1', 'http://127.0.0.1:2', 'http://localhost:3'],
  },
]

/** The settings of generated contracts, with a consumer. */
const CONTRACTS: Row<ContractsGenerateConfig | RunConfig['contracts']>[] = [
  {
    flag: 'consumer',
    env: 'CORE_CONSUMER',
    read: ({ consumers }) => consumers,
    otherwise: ['x'],
    values: ['a', 'b,c', 'd.e_f-1'],
    becomes: [['a'], ['b', 'c'], ['d.e_f-1']],
  },
  {
    flag: 'contracts',
    env: 'CORE_CONTRACTS',
    read: ({ dir }) => dir,
    otherwise: 'contracts',
    ...same('a', '/b', 'c/d'),
  },
  {
    flag: 'interactions',
    env: 'CORE_INTERACTIONS',
    read: ({ interactions }) => interactions,
    otherwise: [],
    values: ['logon', 'users,logon', 'a'],
    becomes: [['logon'], ['users', 'logon'], ['a']],
  },
  {
    flag: 'fields',
    env: 'CORE_FIELDS',
    read: ({ fields }) => fields,
    otherwise: [],
    values: ['name', 'id,name', 'all'],
    becomes: [['name'], ['id', 'name'], ['all']],
  },
]

/** The settings of `client`, which lacks names of interactions: a client's own requests have none. */
const CLIENT_CONTRACTS: Row<ClientConfig['contracts']>[] = [
  {
    flag: 'consumer',
    env: 'CORE_CONSUMER',
    read: ({ consumers }) => consumers,
    otherwise: ['x'],
    values: ['a', 'b,c', 'd.e_f-1'],
    becomes: [['a'], ['b', 'c'], ['d.e_f-1']],
  },
  {
    flag: 'contracts',
    env: 'CORE_CONTRACTS',
    read: ({ dir }) => dir,
    otherwise: 'contracts',
    ...same('a', '/b', 'c/d'),
  },
  {
    flag: 'fields',
    env: 'CORE_FIELDS',
    read: ({ fields }) => fields,
    otherwise: [],
    values: ['name', 'id,name', 'all'],
    becomes: [['name'], ['id', 'name'], ['all']],
  },
]

const GENERATE: Row<ContractsGenerateConfig>[] = [
  ...CONTRACTS,
  {
    flag: 'from',
    env: 'CORE_FROM',
    read: ({ from }) => from,
    otherwise: 'reports/result.json',
    ...same('a', '/b', 'c/d'),
  },
]

/** The common settings of `contracts verify` and `contracts states`. */
const PROVIDER: Row<ProviderConfig>[] = [
  {
    flag: 'target',
    env: 'CORE_URL',
    read: ({ target }) => target?.url.href,
    otherwise: 'https://10.0.0.5/',
    values: ['https://one', 'https://two:8443/', 'https://[::1]:1'],
    becomes: ['https://one/', 'https://two:8443/', 'https://[::1]:1/'],
  },
  { flag: 'username', env: 'CORE_USERNAME', read: ({ username }) => username, ...same('a', 'b', 'c') },
  {
    flag: 'fingerprint',
    env: 'CORE_FINGERPRINT',
    read: ({ target }) => (target?.trust.kind === 'fingerprint' ? target.trust.sha256 : target?.trust.kind),
    otherwise: 'system',
    ...same(AA, BB, CC),
  },
  {
    flag: 'access-control',
    env: 'CORE_ACCESS_CONTROL',
    read: ({ accessControl }) => accessControl,
    otherwise: 'on',
    ...same('off', 'on', 'off'),
  },
  {
    flag: 'idle-lifetime',
    env: 'CORE_IDLE_LIFETIME',
    read: ({ idleLifetimeMs }) => idleLifetimeMs,
    otherwise: 3_600_000,
    values: ['90s', '5m', '1.5h'],
    becomes: [90_000, 300_000, 5_400_000],
  },
  {
    flag: 'idle-tolerance',
    env: 'CORE_IDLE_TOLERANCE',
    read: ({ idleTolerance }) => idleTolerance,
    otherwise: 0.05,
    values: ['1%', '25%', '2.5%'],
    becomes: [0.01, 0.25, 0.025],
  },
  {
    flag: 'probe-path',
    env: 'CORE_PROBE_PATH',
    read: ({ probePath }) => probePath,
    otherwise: '/api/v0/cores/self/users',
    ...same('/api/a', '/api/b?c=d', '/api/'),
  },
  { flag: 'token-field', env: 'CORE_TOKEN_FIELD', read: ({ tokenField }) => tokenField, ...same('a', '/b/c', 'd') },
  {
    flag: 'profile',
    env: 'CORE_PROFILE',
    read: ({ profile }) => profile,
    otherwise: 'full',
    ...same('quick', 'full', 'quick'),
  },
  {
    flag: 'state',
    env: 'CORE_STATE',
    read: ({ meanings }) => Object.fromEntries([...meanings].map(([words, [meaning]]) => [words, meaning?.state])),
    otherwise: {},
    values: ['Logged  on=a valid token', 'a, b=no token, c=nothing', 'x = y = A revoked token'],
    becomes: [{ 'logged on': 'a valid token' }, { 'a, b': 'no token', c: 'nothing' }, { 'x = y': 'a revoked token' }],
  },
  {
    flag: 'max-refused-logons',
    env: 'CORE_MAX_REFUSED_LOGONS',
    read: ({ maxRefusedLogons }) => maxRefusedLogons,
    otherwise: 20,
    values: ['0', '1000', '3'],
    becomes: [0, 1000, 3],
  },
  {
    flag: 'deadline',
    env: 'CORE_DEADLINE',
    read: ({ deadlineMs }) => deadlineMs,
    otherwise: 10_000,
    values: ['100ms', '10m', '3s'],
    becomes: [100, 600_000, 3000],
  },
  {
    flag: 'control-url',
    env: 'CORE_CONTROL_URL',
    read: ({ control }) => control?.url,
    values: ['http://127.0.0.1:1', 'http://127.0.0.1:2/', 'http://localhost:3'],
    becomes: ['http://127.0.0.1:1', 'http://127.0.0.1:2', 'http://localhost:3'],
  },
]

const VERIFY: Row<ContractsVerifyConfig>[] = [
  { flag: 'out', env: 'CORE_OUT', read: ({ outDir }) => outDir, otherwise: 'reports', ...same('a', '/b', 'c/d') },
  {
    flag: 'broker',
    env: 'CORE_BROKER',
    read: ({ broker }) => broker?.url.href,
    otherwise: 'https://broker/',
    values: ['https://one/base', 'http://two:9292', 'https://three/'],
    becomes: ['https://one/base/', 'http://two:9292/', 'https://three/'],
  },
  {
    flag: 'provider',
    env: 'CORE_PROVIDER',
    read: ({ provider }) => provider,
    otherwise: 'core',
    ...same('a', 'b c', 'd'),
  },
  {
    flag: 'selector',
    env: 'CORE_SELECTOR',
    read: ({ selectors }) => selectors,
    otherwise: [{ mainBranch: true }, { deployedOrReleased: true }],
    values: ['latest,branch=feat/a', 'deployed consumer=web', 'tag=t,environment=lab'],
    becomes: [
      [{ latest: true }, { branch: 'feat/a' }],
      [{ deployed: true, consumer: 'web' }],
      [{ tag: 't', latest: true }, { environment: 'lab' }],
    ],
  },
  { flag: 'branch', env: 'CORE_PROVIDER_BRANCH', read: ({ branch }) => branch, ...same('a', 'b/c', 'd') },
]

const STATES: Row<ContractsStatesConfig>[] = [
  {
    flag: 'port',
    env: 'CORE_STATES_PORT',
    read: ({ port }) => port,
    otherwise: 0,
    values: ['1', '65535', '8080'],
    becomes: [1, 65535, 8080],
  },
]

const LIST: Row<ListConfig>[] = [
  {
    flag: 'only',
    env: 'CORE_ONLY',
    read: ({ only }) => only,
    otherwise: [],
    values: ['a', 'b,c', 'd'],
    becomes: [['a'], ['b', 'c'], ['d']],
  },
  {
    flag: 'specs',
    env: 'CORE_SPECS',
    read: ({ specFolders }) => specFolders,
    otherwise: [],
    values: ['a', 'b,c', 'd'],
    becomes: [['a'], ['b', 'c'], ['d']],
  },
]

const RESUME: Row<ResumeConfig>[] = [
  { flag: 'out', env: 'CORE_OUT', read: ({ outDir }) => outDir, otherwise: 'reports', ...same('a', '/b', 'c/d') },
  {
    flag: 'reporter',
    env: 'CORE_REPORTER',
    read: ({ reporters }) => reporters,
    values: ['junit', 'json,console', 'json'],
    becomes: [['junit'], ['console', 'json'], ['json']],
  },
]

const REPORT: Row<ReportConfig>[] = [
  { flag: 'out', env: 'CORE_OUT', read: ({ outDir }) => outDir, otherwise: 'reports', ...same('a', '/b', 'c/d') },
  {
    flag: 'reporter',
    env: 'CORE_REPORTER',
    read: ({ reporters }) => reporters,
    otherwise: ['console', 'junit', 'html'],
    values: ['junit', 'html,console', 'json'],
    becomes: [['junit'], ['console', 'html'], ['json']],
  },
]

const MOCK: Row<MockConfig>[] = [
  {
    flag: 'max-tokens',
    env: 'CORE_MOCK_MAX_TOKENS',
    read: ({ maxTokens }) => maxTokens,
    otherwise: undefined,
    values: ['1', '20', '3'],
    becomes: [1, 20, 3],
  },
  {
    flag: 'connections',
    env: 'CORE_MOCK_CONNECTIONS',
    read: ({ connections }) => connections,
    otherwise: undefined,
    values: ['1', '8', '4'],
    becomes: [1, 8, 4],
  },
  { flag: 'routes', env: 'CORE_MOCK_ROUTES', read: ({ routesFile }) => routesFile, ...same('a', 'b', 'c') },
  {
    flag: 'port',
    env: 'CORE_MOCK_PORT',
    read: ({ port }) => port,
    otherwise: 0,
    values: ['1', '65535', '0'],
    becomes: [1, 65535, 0],
  },
  {
    flag: 'control-port',
    env: 'CORE_MOCK_CONTROL_PORT',
    read: ({ controlPort }) => controlPort,
    otherwise: 0,
    values: ['1', '2', '3'],
    becomes: [1, 2, 3],
  },
  {
    flag: 'username',
    env: 'CORE_USERNAME',
    read: ({ username }) => username,
    otherwise: 'admin',
    ...same('a', 'b', 'c'),
  },
  {
    flag: 'idle-lifetime',
    env: 'CORE_IDLE_LIFETIME',
    read: ({ idleLifetimeMs }) => idleLifetimeMs,
    otherwise: 3_600_000,
    values: ['1s', '2s', '7d'],
    becomes: [1000, 2000, 604_800_000],
  },
  {
    flag: 'access-control',
    env: 'CORE_ACCESS_CONTROL',
    read: ({ accessControl }) => accessControl,
    otherwise: 'on',
    ...same('off', 'on', 'off'),
  },
  { flag: 'dialect', env: 'CORE_MOCK_DIALECT', read: ({ dialectFile }) => dialectFile, ...same('a', 'b', 'c') },
  { flag: 'defect', env: 'CORE_MOCK_DEFECT', read: ({ defect }) => defect, ...same('a', 'b', 'c') },
  {
    flag: 'time-scale',
    env: 'CORE_MOCK_TIME_SCALE',
    read: ({ timeScale }) => timeScale,
    otherwise: 1,
    values: ['1', '60', '2.5'],
    becomes: [1, 60, 2.5],
  },
  {
    flag: 'certificate',
    env: 'CORE_MOCK_CERTIFICATE',
    read: ({ certificateFile }) => certificateFile,
    ...same('a', 'b', 'c'),
  },
]

const CLIENT: Row<ClientConfig>[] = [
  {
    flag: 'scenario',
    env: 'CORE_SCENARIO',
    read: ({ scenarios }) => scenarios.map(({ name }) => name),
    otherwise: SCENARIOS.map(({ name }) => name),
    values: ['slow,normal', 'restart', 'all'],
    becomes: [['normal', 'slow'], ['restart'], SCENARIOS.map(({ name }) => name)],
  },
  {
    flag: 'timeout',
    env: 'CORE_CLIENT_TIMEOUT',
    read: ({ timeoutMs }) => timeoutMs,
    otherwise: 60_000,
    values: ['1s', '2m', '1h'],
    becomes: [1000, 120_000, 3_600_000],
  },
  {
    flag: 'ignore',
    env: 'CORE_CLIENT_IGNORE',
    read: ({ ignore }) => ignore,
    otherwise: [],
    values: ['no-loop', 'revokes,exit', 'host,host'],
    becomes: [['no-loop'], ['exit', 'revokes'], ['host']],
  },
  {
    flag: 'hang',
    env: 'CORE_CLIENT_HANG',
    read: ({ hangMs }) => hangMs,
    otherwise: 40_000,
    values: ['1s', '30s', '59s'],
    becomes: [1000, 30_000, 59_000],
  },
  { flag: 'dialect', env: 'CORE_MOCK_DIALECT', read: ({ dialectFile }) => dialectFile, ...same('a', 'b', 'c') },
  { flag: 'routes', env: 'CORE_MOCK_ROUTES', read: ({ routesFile }) => routesFile, ...same('a', 'b', 'c') },
  { flag: 'out', env: 'CORE_OUT', read: ({ outDir }) => outDir, otherwise: 'reports', ...same('a', '/b', 'c/d') },
]

const CONTRACTS_OPENAPI: Row<ContractsOpenapiConfig>[] = [
  {
    flag: 'from',
    env: 'CORE_FROM',
    read: ({ from }) => from,
    otherwise: 'reports/result.json',
    ...same('a', '/b', 'c/d.json'),
  },
  { flag: 'out', env: 'CORE_OPENAPI_OUT', read: ({ out }) => out, ...same('a', '/b.yaml', 'c/d.json') },
]

const DIFF: Row<DiffConfig>[] = [
  { flag: 'out', env: 'CORE_OUT', read: ({ outDir }) => outDir, otherwise: 'reports', ...same('a', '/b', 'c/d') },
  {
    flag: 'reporter',
    env: 'CORE_DIFF_REPORTER',
    read: ({ reporters }) => reporters,
    otherwise: ['console', 'markdown', 'html', 'json'],
    values: ['json', 'markdown,console', 'console'],
    becomes: [['json'], ['console', 'markdown'], ['console']],
  },
]

const BASELINE_UPDATE: Row<BaselineUpdateConfig>[] = [
  {
    flag: 'from',
    env: 'CORE_FROM',
    read: ({ from }) => from,
    otherwise: 'reports/result.json',
    ...same('a', '/b', 'c/d.json'),
  },
  {
    flag: 'baseline',
    env: 'CORE_BASELINE',
    read: ({ baseline }) => baseline,
    otherwise: 'known.yaml',
    ...same('a', '/b', 'c/d.yaml'),
  },
  { flag: 'reason', env: 'CORE_BASELINE_REASON', read: ({ reason }) => reason, ...same('a', 'b c', 'd') },
]

/** Texts for settings; each setting that a run records accepts three of them. */
const TEXTS = [
  '7s',
  '5m',
  '1.5h',
  '1',
  '7',
  '32',
  '1%',
  '2.5%',
  '25%',
  'off',
  'on',
  'off',
  '/api/a',
  '/api/b',
  'a',
  'b',
  'c',
  'closed',
  'status=302,body.success=false',
  'header.location=/login',
]
/** The recorded settings without a row above, from their declarations alone. */
const RECORDED_ROWS = RECORDED.filter(
  ({ flag, takes }) => takes.inProgram !== 'switch' && ![...RUN, ...PACING].some(row => row.flag === flag),
).map((setting): Row<RunConfig> => {
  const { flag, env, takes, usual: otherwise } = setting
  const values = TEXTS.filter(text => takes.read(text) !== undefined).slice(0, 3) as Row<unknown>['values']
  const becomes = values.map(text => takes.read(text)) as Row<unknown>['becomes']
  return { flag, env, read: ({ configuration }) => recordedValue(configuration, setting), otherwise, values, becomes }
})

/** Checks that a flag beats the environment, and the environment beats `.env`; empty variables count as unset. */
function checkOrigins<C>(configure: (given: Given) => C, base: Record<string, string>, row: Row<C>): void {
  const { flag, env, read, values, becomes } = row
  const read1 = (given: Given) => {
    const { env: own = {}, ...rest } = given
    return read(configure({ ...rest, env: { ...base, ...own } }))
  }
  const [args, variable, dotenv] = [[`--${flag}`, values[0]], { [env]: values[1] }, `${env}="${values[2]}"\n`]
  const { [env]: _own, ...others } = base
  assert.equal(read(configure({ env: base })), row.otherwise, `${flag}: default`)
  assert.equal(read1({ args }), becomes[0], `${flag}: flag`)
  assert.equal(read1({ args: [`--${flag}=${values[0]}`] }), becomes[0], `${flag}: flag with =`)
  assert.equal(read1({ env: variable }), becomes[1], `${flag}: environment`)
  assert.equal(read(configure({ env: others, dotenv })), becomes[2], `${flag}: .env`)
  assert.equal(read1({ args, env: variable, dotenv }), becomes[0], `${flag}: flag first`)
  assert.equal(read1({ env: variable, dotenv }), becomes[1], `${flag}: environment before .env`)
  // An empty CORE_URL has a test of its own below.
  if (env !== 'CORE_URL') assert.equal(read1({ env: { [env]: '' }, dotenv }), becomes[2], `${flag}: empty`)
}

for (const row of RUN) {
  test(`run --${row.flag} and ${row.env}`, () => checkOrigins(run, { ...TARGET, CORE_CONTROL_KEY: 'key' }, row))
}
for (const row of RECORDED_ROWS) {
  test(`run --${row.flag} and ${row.env}, as declared`, () => checkOrigins(run, TARGET, row))
}
for (const row of PACING) {
  const { read, ...rest } = row
  const inRun = { ...rest, read: ({ configuration }: RunConfig) => read(configuration) }
  test(`run --${row.flag} and ${row.env}`, () => checkOrigins(run, TARGET, inRun))
  const inList = { ...rest, read: ({ pacing }: ListConfig) => read(pacing) }
  test(`list --${row.flag} and ${row.env}`, () => checkOrigins(list, {}, inList))
}
for (const row of RESUME) test(`resume --${row.flag} and ${row.env}`, () => checkOrigins(resume, {}, row))
const CONSUMER = { CORE_CONSUMER: 'x' }
for (const row of CONTRACTS) {
  test(`run --${row.flag} and ${row.env}`, () => checkOrigins(given => run(given).contracts, CONSUMER, row))
}
for (const row of GENERATE) {
  test(`contracts generate --${row.flag} and ${row.env}`, () => checkOrigins(generate, CONSUMER, row))
}
for (const row of [...PROVIDER, ...VERIFY]) {
  const base = { ...TARGET, CORE_CONTROL_KEY: 'key', CORE_BROKER: 'https://broker' }
  test(`contracts verify --${row.flag} and ${row.env}`, () => checkOrigins(verify, base, row))
}
for (const row of [...PROVIDER, ...STATES]) {
  const base = { ...TARGET, CORE_CONTROL_KEY: 'key' }
  test(`contracts states --${row.flag} and ${row.env}`, () => checkOrigins(states, base, row))
}
for (const row of REPORT) test(`report --${row.flag} and ${row.env}`, () => checkOrigins(report, {}, row))
for (const row of LIST) test(`list --${row.flag} and ${row.env}`, () => checkOrigins(list, {}, row))
for (const row of CLIENT_CONTRACTS) {
  test(`client --${row.flag} and ${row.env}`, () => checkOrigins(given => client(given).contracts, CONSUMER, row))
}
for (const row of CLIENT) test(`client --${row.flag} and ${row.env}`, () => checkOrigins(client, {}, row))
for (const row of MOCK) test(`mock --${row.flag} and ${row.env}`, () => checkOrigins(mock, {}, row))
for (const row of DIFF) test(`diff --${row.flag} and ${row.env}`, () => checkOrigins(diff, {}, row))
for (const row of BASELINE_UPDATE) {
  test(`baseline update --${row.flag} and ${row.env}`, () =>
    checkOrigins(baselineUpdate, { CORE_BASELINE: 'known.yaml' }, row))
}
for (const row of CONTRACTS_OPENAPI) {
  test(`contracts openapi --${row.flag} and ${row.env}`, () => checkOrigins(contractsOpenapi, {}, row))
}

test('reports go beside the result that they are made of', () => {
  assert.is(report({}).from, 'reports/result.json')
  assert.is(report({ args: ['old/4.1.json'] }).outDir, 'old')
  assert.is(report({ args: ['4.1.json'] }).outDir, '.')
  assert.match(refusal({ args: ['a.json', 'b.json'] }, report), /RESULT/)
})

test('a label and a firmware are names that can be read, and of a target', () => {
  for (const flag of ['label', 'firmware']) {
    for (const value of [' ', 'x'.repeat(101), 'a\u001b[31m', 'a\u202eb']) {
      const message = `--${flag} must be a name of 1 to 100 characters that can be read`
      assert.is(refusal({ args: [`--${flag}`, value], env: TARGET }), message)
    }
    assert.match(refusal({ args: [`--${flag}`, '4.2'] }), new RegExp(`^--${flag} without a target: `))
  }
})

test('an OpenAPI document is JSON where that is asked for, or its file is called so', () => {
  const format = (given: Given) => contractsOpenapi(given).format
  assert.is(format({}), 'yaml')
  assert.is(format({ args: ['--out', 'core.json'] }), 'json')
  assert.is(format({ args: ['--out', 'core.yml'], env: { CORE_JSON: '1' } }), 'yaml')
  assert.is(format({ args: ['--out', 'core', '--json'] }), 'json')
})

const withTarget = (given: Given): Given => ({ ...given, env: { ...TARGET, ...given.env } })

const withBroker = ({ args = [], ...given }: Given): Given => ({
  ...given,
  args: [...args, '--broker', 'https://broker', '--version', '4.2', 'https://broker/pact'],
})

const withConsumer = ({ args = [], ...given }: Given): Given => ({ ...given, args: [...args, '--consumer', 'x'] })

test('switches: on by their flag, on or off by their variable', () => {
  for (const [read, flag, env] of [
    [(given: Given) => list(given).requirements, '--requirements', 'CORE_REQUIREMENTS'],
    [(given: Given) => list(given).json, '--json', 'CORE_JSON'],
    [(given: Given) => list(given).plan, '--plan', 'CORE_PLAN'],
    [(given: Given) => list(given).pacing.measureLifetime, '--measure-lifetime', 'CORE_MEASURE_LIFETIME'],
    [(given: Given) => run(given).configuration.measureLifetime, '--measure-lifetime', 'CORE_MEASURE_LIFETIME'],
    [(given: Given) => run(given).quiet, '--quiet', 'CORE_QUIET'],
    [(given: Given) => run(given).verbose, '--verbose', 'CORE_VERBOSE'],
    [(given: Given) => run(withTarget(given)).detach, '--detach', 'CORE_DETACH'],
    [(given: Given) => resume(given).quiet, '--quiet', 'CORE_QUIET'],
    [(given: Given) => resume(given).verbose, '--verbose', 'CORE_VERBOSE'],
    [(given: Given) => diff(given).quiet, '--quiet', 'CORE_QUIET'],
    [(given: Given) => report(given).quiet, '--quiet', 'CORE_QUIET'],
    [(given: Given) => report(given).verbose, '--verbose', 'CORE_VERBOSE'],
    [(given: Given) => resume(given).detach, '--detach', 'CORE_DETACH'],
    [(given: Given) => resume(given).abandon, '--abandon', 'CORE_ABANDON'],
    [(given: Given) => contractsOpenapi(given).format === 'json', '--json', 'CORE_JSON'],
    [(given: Given) => mock(given).lists, '--defects', 'CORE_MOCK_DEFECTS'],
    [(given: Given) => mock(given).json, '--json', 'CORE_JSON'],
    [(given: Given) => states(given).json, '--json', 'CORE_JSON'],
    [(given: Given) => verify(withTarget(withBroker(given))).publish !== undefined, '--publish', 'CORE_PUBLISH'],
    [(given: Given) => run(withConsumer(given)).contracts.pinStatuses, '--pin-statuses', 'CORE_PIN_STATUSES'],
    [(given: Given) => client(withConsumer(given)).contracts.pinStatuses, '--pin-statuses', 'CORE_PIN_STATUSES'],
    [
      (given: Given) => client(given).ignore.includes('certificate'),
      '--allow-any-certificate',
      'CORE_CLIENT_ANY_CERTIFICATE',
    ],
    [(given: Given) => generate(withConsumer(given)).strictToken, '--strict-token', 'CORE_STRICT_TOKEN'],
    [(given: Given) => generate(withConsumer(given)).pinStatuses, '--pin-statuses', 'CORE_PIN_STATUSES'],
  ] as const) {
    assert.is(read({}), false)
    assert.is(read({ args: [flag] }), true)
    assert.is(read({ env: { [env]: '1' } }), true)
    assert.is(read({ dotenv: `${env}=true\n` }), true)
    assert.is(read({ env: { [env]: '0' }, dotenv: `${env}=1\n` }), false)
    assert.is(read({ args: [flag], env: { [env]: '0' } }), true)
    assert.is(refusal({ env: { [env]: 'maybe' } }, read), `${env} must be 1 or 0`)
  }
})

test('every option of every command is tested, and has one variable', () => {
  // --config is tested in config-file.test.ts.
  const flags = (rows: readonly { flag: string }[]) => rows.map(({ flag }) => flag)
  const recorded = flags(RECORDED)
  const tested: Record<string, string[]> = {
    run: [
      ...recorded,
      ...flags(RUN),
      ...flags(PACING),
      ...flags(CONTRACTS),
      'pin-statuses',
      'strict-token',
      'measure-lifetime',
      'insecure',
      'ca-file',
      'quiet',
      'verbose',
      'detach',
      'config',
      // for many Cores, see `config-fleet.test.ts`
      ...['targets', 'all-targets', 'cores', 'shard', 'since'],
    ],
    resume: [
      ...recorded,
      ...flags(RESUME),
      'quiet',
      'verbose',
      'detach',
      'abandon',
      'config',
      // for the continued run, see `cli-resume.test.ts`
      ...['target', 'username', 'insecure', 'ca-file', 'fingerprint', 'label', 'firmware', 'control-url'],
      ...['token-field', 'specs'],
      // for many Cores, see `config-fleet.test.ts`
      ...['cores', 'since'],
    ],
    // See `config-fleet.test.ts`.
    merge: ['out', 'reporter', 'since', 'quiet'],
    report: [...flags(REPORT), 'quiet', 'verbose'],
    list: [...flags(LIST), ...flags(PACING), 'measure-lifetime', 'requirements', 'plan', 'json', 'config'],
    mock: [...flags(MOCK), 'defects', 'json', 'config'],
    client: [
      ...flags(CLIENT),
      ...flags(CLIENT_CONTRACTS),
      'allow-any-certificate',
      'pin-statuses',
      'strict-token',
      'config',
    ],
    diff: [...flags(DIFF), 'quiet', 'config'],
    'baseline update': flags(BASELINE_UPDATE),
    // See `cli-doctor.test.ts`.
    doctor: [
      ...['target', 'username', 'insecure', 'ca-file', 'fingerprint', 'probe-path', 'token-field', 'deadline'],
      ...['max-refused-logons', 'refused', 'write', 'name', 'config'],
    ],
    // See `cli-explain.test.ts`.
    explain: ['specs', 'probe-path', 'config'],
    // See `cli-init.test.ts`.
    init: ['target', 'username', 'name', 'ci'],
    completion: ['specs', 'config'],
    // See `cli-attest.test.ts`.
    attest: ['artifact', 'digest', 'subject', 'key', 'out'],
    'attest verify': ['key', 'result', 'artifact'],
    'contracts openapi': [...flags(CONTRACTS_OPENAPI), 'json'],
    'contracts generate': [...flags(GENERATE), 'pin-statuses', 'strict-token'],
    'contracts verify': [
      ...flags(PROVIDER),
      'refused',
      ...flags(VERIFY),
      'publish',
      'version',
      'insecure',
      'ca-file',
      'config',
    ],
    'contracts states': [...flags(PROVIDER), 'refused', ...flags(STATES), 'json', 'insecure', 'ca-file', 'config'],
  }
  for (const { name, options } of COMMANDS) {
    assert.equal(flags(options).sort(), [...new Set(tested[name])].sort(), name)
    assert.is(new Set(options.map(({ env }) => env)).size, options.length)
  }
  const rows = {
    run: [...RUN, ...PACING, ...CONTRACTS],
    'contracts generate': GENERATE,
    'contracts verify': [...PROVIDER, ...VERIFY],
    'contracts states': [...PROVIDER, ...STATES],
    resume: RESUME,
    report: REPORT,
    list: [...LIST, ...PACING],
    mock: MOCK,
    client: [...CLIENT, ...CLIENT_CONTRACTS],
    diff: DIFF,
    'baseline update': BASELINE_UPDATE,
    'contracts openapi': CONTRACTS_OPENAPI,
  }
  const variable = (name: string, flag: string) => commandOf(name).options.find(option => option.flag === flag)?.env
  for (const [name, tested] of Object.entries(rows)) {
    for (const { flag, env } of tested) assert.is(variable(name, flag), env)
  }
  assert.is(variable('run', 'insecure'), 'CORE_INSECURE')
  assert.is(variable('run', 'ca-file'), 'CORE_CA_FILE')
})

test('consumers are names that can be part of a file name, and differ in more than capital letters', () => {
  const message = (name: string) =>
    `--consumer: '${name}' cannot be the name of a consumer, since it becomes a part of a file name: use letters, digits, dots, hyphens and underscores, at most 64`
  for (const name of ['../up', 'a/b', 'a b', '.hidden', 'dot.', 'a..b', 'ä', 'a'.repeat(65), 'a\\b', '-x']) {
    assert.is(refusal({ args: [`--consumer=${name}`] }), message(name))
  }
  assert.equal(generate({ args: ['--consumer', 'a'.repeat(64)] }).consumers, ['a'.repeat(64)])
  assert.match(refusal({ args: ['--consumer', 'App,app'] }), /two consumers are called 'app' but for capital letters/)
  for (const args of [['--contracts', 'x'], ['--interactions', 'logon'], ['--pin-statuses']]) {
    assert.is(refusal({ args }), `${args[0]} is about contracts, and no consumer is named: add --consumer NAME`)
  }
  for (const args of [['--contracts', 'x'], ['--pin-statuses']]) {
    assert.is(refusal({ args }, client), `${args[0]} is about contracts, and no consumer is named: add --consumer NAME`)
  }
  assert.is(refusal({ args: ['--consumer', 'a/b'] }, client), message('a/b'))
  assert.equal(client({}).contracts.consumers, [])
  assert.match(refusal({}, generate), /which client is the contract for\? Name it with --consumer, or CORE_CONSUMER/)
  assert.equal(run({}).contracts.consumers, [])
})

test('what provider states mean is said with words and a known state', () => {
  const MESSAGES: [state: string, message: RegExp][] = [
    ['logged on', /^--state: 'logged on' has no '=': write WORDS=STATE$/],
    ['=a valid token', /^--state: no words stand before the '=' of '=a valid token'$/],
    [
      'x=a valid tokn',
      /^--state: 'a valid tokn' is no state that can be brought about; did you mean 'a valid token'\?; known: a valid token, .*, nothing$/,
    ],
    ['x=no token,X=nothing', /^--state: 'x' is said to mean two things$/],
  ]
  for (const [state, message] of MESSAGES) assert.match(refusal({ args: ['--state', state] }, verify), message)
})

test('a broker: its credentials come from the environment or .env, and what it lacks is said', () => {
  const access = (given: Given) => {
    const { broker, publish } = verify({ ...given, env: { ...TARGET, CORE_BROKER: 'https://broker', ...given.env } })
    return [broker?.authorization, broker?.secrets.length, publish?.version]
  }
  assert.equal(access({}), [undefined, 0, undefined])
  assert.equal(access({ env: { PACT_BROKER_TOKEN: 'abc' } }), ['Bearer abc', 1, undefined])
  const basic = `Basic ${Buffer.from('anna:p:w').toString('base64')}`
  assert.equal(access({ dotenv: 'PACT_BROKER_USERNAME=anna\nPACT_BROKER_PASSWORD=p:w\n' }), [basic, 2, undefined])
  const url = ['https://broker/pact']
  assert.equal(access({ args: ['--publish', ...url], env: { CORE_PROVIDER_VERSION: '4.2' } })[2], '4.2')
  const refused = (args: string[], env: Record<string, string> = {}) => refusal({ args, env }, verify)
  assert.match(
    refused(['--broker', 'https://a:Hunter2@b']),
    /^--broker holds credentials: put them into PACT_BROKER_USERNAME/,
  )
  assert.not.match(refused(['--broker', 'https://a:Hunter2@b']), /Hunter2/)
  for (const value of ['broker.example', 'ftp://b', 'file:///b'])
    assert.match(refused(['--broker', value]), /is not a URL/)
  assert.match(refused(['--broker', 'https://b', '--publish', ...url]), /^--publish needs the version/)
  assert.match(refused(['--publish', '--version', '1', ...url]), /^--publish needs the broker/)
  assert.match(
    refused(['--broker', 'https://b', '--publish', '--version', '1']),
    /a file tells no place for its results/,
  )
  assert.match(refused(['--selector', 'main']), /^--selector is about a broker/)
  assert.match(
    refused(['--broker', 'https://b', '--selector', 'mian']),
    /'mian' selects nothing; did you mean 'main'\?/,
  )
  assert.match(refused(['--broker', 'https://b', '--selector', 'matching']), /add --branch/)
  const both = { PACT_BROKER_TOKEN: 'a', PACT_BROKER_USERNAME: 'b' }
  assert.match(
    refused(['--broker', 'https://b'], both),
    /PACT_BROKER_TOKEN and PACT_BROKER_USERNAME exclude each other/,
  )
  assert.match(refused(['--broker', 'https://b'], { PACT_BROKER_TOKEN: 'a\nb' }), /no header can carry/)
  assert.match(
    refusal({}, given => withSettings('contracts verify', given, contractsVerifyConfig)),
    /^which contracts\? Name files or URLs, or a broker with --broker/,
  )
})

test('passwords and keys come from the environment, then from .env; empty is not set', () => {
  const env = { ...TARGET, CORE_CONTROL_URL: 'http://127.0.0.1:1' }
  const dotenv = 'CORE_PASSWORD=\'from # file\'\nCORE_CONTROL_KEY="file"\n'
  const read = (own: Record<string, string>) => {
    const { password, control } = run({ env: { ...env, ...own }, dotenv })
    return [password, control?.key]
  }
  assert.equal(read({}), ['from # file', 'file'])
  assert.equal(read({ CORE_PASSWORD: ' env ', CORE_CONTROL_KEY: 'key' }), [' env ', 'key'])
  assert.equal(read({ CORE_PASSWORD: '', CORE_CONTROL_KEY: '' }), ['from # file', 'file'])
  assert.is(run({ env: TARGET }).password, undefined)
  assert.is(mock({ env: { CORE_PASSWORD: 'p' } }).password, 'p')
  assert.is(mock({}).password, undefined)
})

test('a list may be given several times; of anything else the last counts', () => {
  const { configuration, specFolders } = run({
    args: ['--only', 'a', '--specs', 's', '--only=b,c', '--profile', 'full', '--profile', 'quick', '--specs', 't'],
  })
  assert.equal(configuration.only, ['a', 'b', 'c'])
  assert.equal(specFolders, ['s', 't'])
  assert.is(configuration.profile, 'quick')
})

test('passwords on the command line are refused, and repeated nowhere', () => {
  const SECRET = 'Hunter2-Secret'
  const REFUSED = 'passwords are not taken from the command line, where others can read them: set CORE_PASSWORD'
  for (const flag of [
    '--password',
    '--pass',
    '--passwd',
    '--pwd',
    '-pass',
    '--PASSWORD',
    '--core-password',
    '--pass-word',
    '--passphrase',
  ]) {
    for (const args of [
      [flag, SECRET],
      [`${flag}=${SECRET}`],
      ['--username', 'a', flag, SECRET],
      ['--', flag, SECRET],
    ]) {
      assert.is(refusal({ args }), REFUSED, args.join(' '))
      assert.is(refusal({ args }, mock), REFUSED, args.join(' '))
    }
  }
  assert.is(refusal({ args: ['-p', SECRET] }), 'unknown option -p')
  assert.is(refusal({ args: [`-p${SECRET}`] }), 'unknown option -p')
  assert.is(refusal({ args: [`--secret=${SECRET}`] }), 'unknown option --secret')
  const place = (given: Given) => withSettings('run', given, fleetConfig)
  for (const args of [[SECRET], ['--only', 'a', SECRET], ['--', SECRET], ['--insecure', SECRET]]) {
    assert.match(refusal({ args }, place), /^target 1: there is no target of that name in the configuration file/)
    assert.not.match(refusal({ args }, mock), /Hunter/)
  }
})

test('flags that are not there, or lack their value, or have one too many', () => {
  const MESSAGES: [args: string[], message: string][] = [
    [['--traget', 'https://a'], 'unknown option --traget; did you mean --target?'],
    [['--Target=https://a:b@c'], 'unknown option --Target; did you mean --target?'],
    [['--no-insecure'], 'unknown option --no-insecure; did you mean --insecure?'],
    [['--port', '1'], '--port is an option of mock, not of run'],
    [['--frobnicate'], 'unknown option --frobnicate'],
    [['-x'], 'unknown option -x'],
    [['--target'], '--target needs a value'],
    [['--target', '--insecure'], '--target needs a value'],
    [['--idle-lifetime', '-5m'], '--idle-lifetime needs a value'],
    [['--insecure=1'], '--insecure takes no value'],
    [['--help=1'], '--help takes no value'],
    [['--specs', ''], '--specs is empty: give it a value, or leave it out'],
    [['--target='], '--target is empty: give it a value, or leave it out'],
    [['--username='], '--username is empty: give it a value, or leave it out'],
    [[''], 'one of TARGET… is empty'],
  ]
  for (const [args, message] of MESSAGES) assert.is(refusal({ args }), message)
  assert.is(refusal({ args: ['--target', 'https://a'] }, mock), '--target is an option of run, not of mock')
})

test('--help and -h are seen, and then nothing is read that could be wrong', () => {
  const dotenv = Buffer.from('CORE_URL=x', 'utf16le')
  for (const args of [['--help'], ['-h'], ['--only', 'x', '--help']]) {
    assert.ok(withSettings('run', { args, dotenv }, ({ help }) => help))
  }
  assert.not(withSettings('run', {}, ({ help }) => help))
})

test('.env: comments, quotes, export, a byte order mark and the line ends of Windows', () => {
  const dotenv = `\ufeffCORE_USERNAME=anna\r\n# CORE_PROFILE=quick\r\nexport CORE_OUT='a b'\r\n\r\nCORE_ONLY = "x#y"  # a note\r\n`
  const { username, configuration, outDir } = run({ env: TARGET, dotenv })
  assert.equal([username, configuration.profile, outDir, configuration.only], ['anna', 'full', 'a b', ['x#y']])
  assert.equal(warnings({ dotenv }), [])
})

test(".env: a value that ends before its '#' is told, with its name and not with its value", () => {
  const ended = (name: string) =>
    `the value of ${name} in .env ends before its '#'; put it in quotes if the '#' belongs to it`
  assert.equal(warnings({ dotenv: 'CORE_PASSWORD=a#b\n' }), [ended('CORE_PASSWORD')])
  assert.equal(warnings({ dotenv: 'CORE_PASSWORD=#b\n' }), [ended('CORE_PASSWORD')])
  assert.equal(warnings({ dotenv: 'A=1\n  export CORE_PASSWORD = a b#c\r\nCORE_USERNAME=x#y' }), [
    ended('CORE_PASSWORD'),
    ended('CORE_USERNAME'),
  ])
  for (const right of ['"a#b"', "'a#b'", '`a#b`', 'a # a note', '# a note', 'a']) {
    assert.equal(warnings({ dotenv: `CORE_PASSWORD= ${right}\n` }), [], right)
  }
})

test('.env: what cannot be read, or is no text, stops the run', () => {
  assert.is(
    refusal({ dotenv: Buffer.from('\ufeffCORE_URL=https://a\n', 'utf16le') }),
    '.env is not UTF-8 text: save it as UTF-8',
  )
  assert.is(
    refusal({ dotenv: Buffer.from('CORE_USERNAME=J\xfcrg\n', 'latin1') }),
    '.env is not UTF-8 text: save it as UTF-8',
  )
  const folder = mkdtempSync(join(tmpdir(), 'core-conformance-config-'))
  try {
    mkdirSync(join(folder, '.env'))
    assert.throws(
      () => new Settings(commandOf('run'), [], {}, folder, COMMANDS),
      (error: unknown) =>
        error instanceof ConfigError &&
        error.message === '.env cannot be read: it is a folder; fix that, or move the file away',
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('variables that are misspelt, or called like the flag, are told', () => {
  const means = (name: string, near: string) => `${name} means nothing here; did you mean ${near}?`
  const env = { CORE_TARGET: 'x', CORE_ULR: 'x', core_username: 'x', CORE_PASWORD: 'x', CORE_PORT: '1' }
  assert.equal(warnings({ env }), [
    means('CORE_PASWORD', 'CORE_PASSWORD'),
    means('CORE_PORT', 'CORE_MOCK_PORT'),
    means('CORE_TARGET', 'CORE_URL'),
    means('CORE_ULR', 'CORE_URL'),
    means('core_username', 'CORE_USERNAME'),
  ])
  // Other products may have such variables in the environment; `.env` is for this product.
  const foreign = { CORE_PEER_TLS_ROOTCERT_FILE: 'x', COREPACK_HOME: 'x', SCORE_URL: 'x' }
  assert.equal(warnings({ env: foreign }), [])
  assert.equal(warnings({ dotenv: 'CORE_FAVOURITE=1\nCORE_URI=x\nOTHER=1\n' }), [
    'CORE_FAVOURITE in .env means nothing here',
    means('CORE_URI in .env', 'CORE_URL'),
  ])
  // A variable of another command is known.
  assert.equal(warnings({ env: { CORE_MOCK_PORT: '1' } }), [])
  assert.equal(warnings({ env: { CORE_URL: 'x' } }, 'mock'), [])
})

test.run()
