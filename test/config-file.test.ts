/** The configuration file: the settings that it sets, the sources that beat it, and the messages about a broken one. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { clientConfig } from '../dist/commands/client.js'
import { contractsStatesConfig, contractsVerifyConfig } from '../dist/commands/contracts/verify-config.js'
import { diffConfig } from '../dist/commands/diff.js'
import { doctorConfig } from '../dist/commands/doctor.js'
import { singleSettings } from '../dist/commands/fleet/config.js'
import { COMMANDS } from '../dist/commands/index.js'
import { type RunConfig, resumeConfig, runConfig } from '../dist/commands/one-core/config.js'
import { MOCK } from '../dist/commands/shared/declared.js'
import { configurationOf } from '../dist/commands/shared/target.js'
import { readConfigFile } from '../dist/config/file.js'
import { Settings } from '../dist/config/settings.js'
import { ConfigError } from '../dist/ground/config-error.js'
import { REPORTER_NAMES } from '../dist/report/reporters.js'
import { file } from '../dist/settings/kinds.js'
import { setting } from '../dist/settings/setting.js'
import { commandOf, type GivenFiles, loaded, refusalOf } from './config-support.js'
import { inFolder, makeFolder } from './support/folder.js'

const test = suite('configuration file')

const FILE = 'core-conformance.config.yaml'
const [AA, BB] = ['AA', 'BB'].map(pair => Array(32).fill(pair).join(':')) as [string, string]

const EXAMPLE = `# yaml-language-server: $schema=x
defaults:
  idle-lifetime: 90s
  concurrency: 2
  only: [access, idle*]
  quiet: true
  profile: nightly
targets:
  staging:
    url: https://10.0.0.5
    username: ci
    fingerprint: ${AA}
    idle-lifetime: 30s
  lab.2:
    url: https://10.0.0.6
    insecure: true
    access-control: off
    profile: quick
profiles:
  nightly:
    measure-lifetime: true
    idle-lifetime: 45s
    concurrency: 3
  smoke:
    profile: quick
    reporter: [console, tap]
`

interface Given extends GivenFiles {
  /** The configuration file; undefined: none. */
  file?: string | Buffer
  path?: string
}

const settings = <T>(name: string, { file, path = FILE, ...given }: Given, use: (settings: Settings) => T) =>
  loaded(name, { ...given, files: file === undefined ? {} : { [path]: file } }, use)

const run = (given: Given) => settings('run', { file: EXAMPLE, ...given }, runConfig)

/** As {@link run}, against the mock Core. */
const runMock = ({ env, ...given }: Given) => run({ ...given, env: { CORE_URL: 'mock', ...env } })

const refusal = (given: Given, name = 'run', configure: (settings: Settings) => unknown = runConfig) =>
  refusalOf(settings(name, given, configure))

const trust = ({ target }: RunConfig) =>
  target?.trust.kind === 'fingerprint' ? target.trust.sha256 : target?.trust.kind

test('defaults are for every run; flags, the environment and .env beat them', async () => {
  const { configuration, quiet, target, username } = await runMock({})
  assert.equal([target, username, quiet], [undefined, undefined, true])
  assert.equal([configuration.only, configuration.concurrency], [['access', 'idle*'], 3])
  const concurrency = async (given: Given) => (await runMock(given)).configuration.concurrency
  assert.is(await concurrency({ dotenv: 'CORE_CONCURRENCY=5\n' }), 5)
  assert.is(await concurrency({ dotenv: 'CORE_CONCURRENCY=5\n', env: { CORE_CONCURRENCY: '6' } }), 6)
  assert.is(await concurrency({ env: { CORE_CONCURRENCY: '6' }, args: ['--concurrency', '7'] }), 7)
  assert.is(await concurrency({ env: { CORE_CONCURRENCY: '' } }), 3, 'an empty variable is not set')
  assert.is((await runMock({ env: { CORE_QUIET: '0' } })).quiet, false)
})

test('a target by its name: where it is, who logs on, its trust, what is different about it', async () => {
  for (const given of [
    { args: ['--target', 'staging'] },
    { env: { CORE_URL: 'staging' } },
    { dotenv: 'CORE_URL=staging\n' },
  ]) {
    const config = await run(given)
    assert.is(config.target?.url.href, 'https://10.0.0.5/')
    assert.equal([config.username, trust(config)], ['ci', AA])
    assert.is(config.configuration.idleLifetimeMs, 30_000, 'what it says beats the profile')
  }
  // The line that repeats a failure says what the command line said, and leaves the rest to the file and the environment.
  const said = async (...args: string[]) => (await run({ args, env: { CORE_FINGERPRINT: BB } })).target?.flags
  assert.equal(await said('--target', 'staging'), { target: 'staging' })
  assert.equal(await said('--target', 'https://10.0.0.5', '--username', 'eve', '--insecure'), {
    username: 'eve',
    insecure: true,
  })
  const lab = await run({ args: ['--target', 'lab.2'] })
  assert.equal([trust(lab), lab.configuration.accessControl, lab.configuration.profile], ['insecure', 'off', 'quick'])
  assert.is(lab.configuration.measureLifetime, false, 'its profile in place of that of the defaults')
})

test('flags, the environment and .env beat what stands of a target', async () => {
  const args = ['--target', 'staging']
  assert.is((await run({ args: [...args, '--username', 'eve'] })).username, 'eve')
  assert.is((await run({ args, env: { CORE_IDLE_LIFETIME: '2m' } })).configuration.idleLifetimeMs, 120_000)
  assert.is(trust(await run({ args, dotenv: `CORE_FINGERPRINT=${BB}\n` })), BB)
  assert.is(trust(await run({ args, env: { CORE_INSECURE: '1' } })), 'insecure')
})

test('a URL is a target of its own, to which nothing of the named ones applies', async () => {
  const config = await run({ args: ['--target', 'https://10.0.0.5'] })
  assert.equal([config.username, trust(config), config.configuration.idleLifetimeMs], [undefined, 'system', 45_000])
})

test('a profile by its name', async () => {
  const nightly = await runMock({})
  assert.equal([nightly.configuration.profile, nightly.configuration.measureLifetime], ['full', true])
  assert.is(nightly.configuration.idleLifetimeMs, 45_000, 'it beats the defaults')
  const smoke = await runMock({ args: ['--profile', 'smoke'] })
  assert.equal([smoke.configuration.profile, smoke.reporters], ['quick', ['console', 'tap']])
  assert.equal([smoke.configuration.measureLifetime, smoke.configuration.idleLifetimeMs], [false, 90_000])
  assert.is((await runMock({ env: { CORE_PROFILE: 'quick' } })).configuration.measureLifetime, false)
})

test('a file with targets of which none is chosen is no run against the mock Core, which has a name of its own', async () => {
  const file = EXAMPLE
  const chosen =
    'which Core? core-conformance.config.yaml has the targets staging, lab.2, and none is chosen: choose one with --target staging'
  const mock = ', or --target mock for the embedded mock Core'
  assert.is(await refusal({ file }), `${chosen}, all of them with --all-targets${mock}`)
  const others: [string, (settings: Settings) => { target: unknown }][] = [
    ['contracts verify', contractsVerifyConfig],
    ['contracts states', contractsStatesConfig],
  ]
  for (const [name, configure] of others) {
    const args = name === 'contracts verify' ? ['a.json'] : []
    assert.is(await refusal({ file, args }, name, configure), `${chosen}${mock}`)
    const { target } = await settings(name, { file, args: [...args, '--target', 'mock'] }, configure)
    assert.is(target, undefined)
  }
  assert.is(await refusal({ file }, 'doctor', doctorConfig), chosen)
  assert.match(await refusal({ file, args: ['mock'] }, 'doctor', doctorConfig), /^which Core\? Give its base URL/)
  const many = `targets:\n${Array.from({ length: 10 }, (_, n) => `  lab-${n}: { url: "https://10.0.0.${n}" }\n`).join('')}`
  assert.match(await refusal({ file: many }), /has the targets lab-0, lab-1, .*, lab-7 and 2 more, and none/)
  assert.not.match(await refusal({ file: 'targets: { mock: { url: "https://10.0.0.5" } }\n' }), /embedded/)
  // A file that the user named, but that names no Core.
  for (const text of ['', 'defaults: { quiet: true }\n', 'targets: {}\n'])
    assert.match(
      await refusal({ file: text, path: 'mine.yaml', args: ['--config', 'mine.yaml'] }),
      /^which Core\? mine\.yaml \(--config\) names no targets: write one into it \(core-conformance doctor --write --config mine\.yaml URL\), .*--target mock/,
    )
  for (const args of [['--target', 'mock'], ['mock']])
    assert.is((await settings('run', { file, args }, made => runConfig(singleSettings(made)))).target, undefined)
  // A password for the targets of the file is no reason to refuse the mock Core that is asked for; a flag about a Core is.
  assert.is((await run({ args: ['--target', 'mock'], dotenv: 'CORE_PASSWORD=p\nCORE_USERNAME=u\n' })).target, undefined)
  assert.match(await refusal({ file, args: ['--target', 'mock', '--insecure'] }), /^--insecure without a target/)
  const own = `${EXAMPLE.replace('targets:', 'targets:\n  mock: { url: "https://10.0.0.8" }')}`
  assert.is((await run({ file: own, args: ['--target', 'mock'] })).target?.url.href, 'https://10.0.0.8/')
})

test('unknown names suggest near ones', async () => {
  const file = EXAMPLE
  const misspelt = await refusal({ file, args: ['--target', 'stagin'] })
  assert.is(misspelt, `there is no target 'stagin' in ${FILE}; did you mean 'staging'?; a URL begins with https://`)
  const strange = await refusal({ file, env: { CORE_URL: '10.0.0.9' } })
  assert.is(strange, `there is no target '10.0.0.9' in ${FILE}; known: staging, lab.2; a URL begins with https://`)
  const secret = await refusal({ file, args: ['--target', 'admin:Hunter2@10.0.0.5'] })
  assert.not.match(secret, /Hunter2/)
  const profile = await refusal({ file, args: ['--profile', 'nigthly'] })
  assert.is(profile, "--profile: there is no profile 'nigthly'; did you mean 'nightly'?")
  assert.match(await refusal({ args: ['--target', 'staging'] }), /--target is not a URL/, 'without a file')
})

test('other commands take what they know', async () => {
  const file = `defaults: { out: ci, dialect: d.yaml, port: 8443, timeout: 5s, idle-lifetime: 2m, reporter: [junit] }\n`
  assert.is((await settings('list', { file }, configurationOf)).idleLifetimeMs, 120_000)
  const mock = await settings('mock', { file }, made => made.values(MOCK.settings))
  assert.equal([mock.port, mock.dialect, mock.idleLifetime], [8443, 'd.yaml', 120_000])
  const client = await settings('client', { file, args: ['--', 'x'] }, clientConfig)
  assert.equal([client.timeoutMs, client.outDir], [5000, 'ci'])
  const resume = await settings('resume', { file }, resumeConfig)
  assert.equal([resume.outDir, resume.reporters], ['ci', undefined], 'a run keeps the reports that it began with')
  assert.is(await settings('contracts openapi', { file }, made => made.get('out')), undefined, 'it takes no such file')
})

test('a flag of the same name that means something else is another setting', async () => {
  await inFolder(async folder => {
    writeFileSync(join(folder, FILE), 'defaults: { out: ci, only: [a] }\n')
    const { options } = commandOf('run')
    const out = setting('out', file(), 'a file', { env: 'CORE_OTHER_OUT' })
    const other = { ...commandOf('run'), options: [...options.filter(({ flag }) => flag !== 'out'), out] }
    const made = new Settings(other, [], {}, folder, COMMANDS)
    await made.load()
    assert.equal([made.get('out'), made.get('only')?.text], [undefined, 'a'])
  })
})

test('--config names another file; paths in it are meant from where it is', async () => {
  const path = 'deep/er/mine.yaml'
  const file = 'defaults: { specs: [own, /abs], out: ../out }\ntargets: { a: { url: "https://a", label: The A } }\n'
  for (const given of [
    { args: ['--config', path] },
    { env: { CORE_CONFIG: path } },
    { dotenv: `CORE_CONFIG=${path}\n` },
  ]) {
    const { specFolders, outDir } = await runMock({ ...given, file, path })
    assert.equal([specFolders, outDir], [['deep/er/own', '/abs'], 'deep/out'])
  }
  assert.match(
    await refusal({ args: ['--config', 'none.yaml'] }),
    /--config has 1 problem:\nnone\.yaml:1:1: cannot be read/,
  )
  assert.equal((await run({ file, path })).specFolders, [], 'not read without --config')
})

test('an empty file, and one of comments, sets nothing', async () => {
  for (const file of ['', '# nothing yet\n', '{}']) {
    assert.is((await run({ file })).configuration.idleLifetimeMs, 3_600_000)
  }
})

test('a password in it is an error that says what to do, and is not repeated', async () => {
  const SECRET = 'Hunter2-Secret'
  for (const [file, place] of [
    [`targets:\n  a:\n    url: https://a\n    password: ${SECRET}\n`, "4:5: 'password'"],
    [`defaults:\n  CORE_PASSWORD: ${SECRET}\n`, "2:3: 'CORE_PASSWORD'"],
    [`passwd: ${SECRET}\n`, "1:1: 'passwd'"],
    [`defaults: { control-key: ${SECRET} }\n`, "1:13: 'control-key'"],
  ] as const) {
    const message = await refusal({ file })
    assert.ok(message.includes(`${FILE}:${place} has no place in a file that is shared`), message)
    assert.match(message, /set CORE_PASSWORD/)
    assert.not.match(message, SECRET)
  }
  const url = await refusal({ file: `targets: { a: { url: "https://admin:${SECRET}@a" } }`, args: ['--target', 'a'] })
  assert.match(url, new RegExp(`${FILE}:1:17: this URL holds credentials`))
  assert.not.match(url, SECRET)
  // Also where the target is not in use, and in any other URL.
  for (const text of ['targets:\n  b: { url: "https://x:§@b" }\n', 'defaults: { control-url: http://§@127.0.0.1 }\n']) {
    const other = await refusal({ file: text.replace('§', SECRET) })
    assert.match(other, /this URL holds credentials: put them into CORE_USERNAME and CORE_PASSWORD/)
    assert.not.match(other, SECRET)
  }
})

test('what is no file, leads out of its folder or is too large is refused by name, unread', async () => {
  const folder = makeFolder()
  const inside = join(folder, 'inside')
  mkdirSync(inside)
  const path = join(inside, 'config.yaml')
  writeFileSync(join(folder, 'secrets.yaml'), 'root: kanari-line\n')
  const refused = () => {
    try {
      readConfigFile(path, 'config.yaml', undefined, () => false)
    } catch (error) {
      return error instanceof ConfigError ? error.message : ''
    } finally {
      rmSync(path)
    }
    return 'taken'
  }
  symlinkSync('../secrets.yaml', path)
  const link = refused()
  assert.match(link, /config\.yaml:1:1: is a link out of its folder/)
  assert.not.match(link, /kanari/)
  symlinkSync('/dev/zero', path)
  assert.match(refused(), /is a link out of its folder/)
  execFileSync('mkfifo', [path])
  assert.match(refused(), /config\.yaml:1:1: is a pipe \(FIFO\), and not a file/)
  writeFileSync(path, `# ${'x'.repeat(5_000_000)}\n`)
  assert.match(refused(), /config\.yaml:1:1: is larger than 5 MB/)
  symlinkSync(path, path)
  assert.match(refused(), /cannot be read: it is a link to itself/)
  // A folder that is mounted into a container looks like this.
  mkdirSync(join(inside, '..data'))
  writeFileSync(join(inside, '..data', 'config.yaml'), 'targets: { a: { url: https://a } }\n')
  symlinkSync('..data/config.yaml', path)
  assert.equal([...readConfigFile(path, 'config.yaml', undefined, () => false).targets.keys()], ['a'])
})

test('a proxy in the environment is not used, and that is told where there is a target', async () => {
  const HTTPS_PROXY = 'http://proxy.example:3128'
  const warningsOf = async (env: Record<string, string>, name = 'run', ...args: string[]) =>
    (await settings(name, { args, env: { HTTPS_PROXY, ...env } }, ({ warnings }) => warnings)).join()
  const told = /^HTTPS_PROXY is set and not used/
  assert.match(await warningsOf({ CORE_URL: 'https://10.0.0.5' }), told)
  assert.match(await warningsOf({}, 'run', 'https://10.0.0.6', 'https://10.0.0.5'), told)
  assert.is(await warningsOf({}), '')
  assert.is(await warningsOf({ CORE_URL: 'https://10.0.0.5', HTTPS_PROXY: '' }), '')
  assert.is(await warningsOf({}, 'diff', 'a.json', 'b.json'), '')
  const CORE_URL = 'https://core.lab.example'
  for (const NO_PROXY of ['lab.example', 'x, .lab.example', '*.lab.example:443', '*', 'core.lab.example'])
    assert.is(await warningsOf({ CORE_URL, NO_PROXY }), '', NO_PROXY)
  for (const no_proxy of ['b.example', 'example.org', '', 'xcore.lab.example'])
    assert.match(await warningsOf({ CORE_URL, no_proxy }), told, no_proxy)
})

test('broken files: what is wrong, with file, line and column', async () => {
  for (const [file, ...problems] of [
    ['defaults:\n  idle-liftime: 1h\n', "2:3: unknown key 'idle-liftime'; did you mean 'idle-lifetime'?"],
    ['targets:\n  a: { username: x }\n', "2:3: the key 'url' is missing"],
    ['targets:\n  "a b": { url: x }\n', "2:3: 'a b' is not a valid name: use letters, digits, '.', '_' and '-'"],
    ['profiles: { quick: {} }\n', "1:13: 'quick' is not a valid name"],
    ['targets:\n  a: { url: "" }\n', "2:8: 'url' is empty"],
    ['defaults:\n  concurrency: 99\n', "2:3: 'concurrency' must be at most 32, not 99"],
    ['defaults:\n  quiet: maybe\n', "2:3: 'quiet' must be true or false"],
    ['defaults: { reporter: [jnuit] }\n', "1:24: 'jnuit' is not a valid item of 'reporter'; did you mean 'junit'?"],
    ['defaults:\n\tout: x\n', '2:1: a tab in the indentation: YAML wants spaces'],
    ['defaults: [\n', "a ']' is missing"],
    // Quotes would not help: the unit is what lacks, with quotes and without.
    ...['30', '"30"'].map(value => [
      `defaults: { idle-lifetime: ${value} }\n`,
      "1:13: '30' is not a valid 'idle-lifetime': use a time with its unit, such as 30s, 5m or 1h",
    ]),
    ['defaults: { idle-tolerance: 5 }\n', "'5' is not a valid 'idle-tolerance': use a percentage, such as 5%"],
    ['targets: { lab: { url: "https://a", firmware: 4.2 } }\n', `'firmware' must be text: put it in quotes, "4.2"`],
    ['- a\n', '1:1: the file must be'],
    ['defaults: { only: a }\nx: 1\n', "1:13: 'only' must be a list", "2:1: unknown key 'x'"],
  ]) {
    const message = await refusal({ file: file ?? '' })
    assert.match(message, /^the configuration file has \d+ problems?:\n/)
    for (const problem of problems) assert.ok(message.includes(problem), `${message}\n\nlacks\n\n${problem}`)
  }
  assert.match(await refusal({ file: Buffer.from('defaults: {}', 'utf16le') }), /save the file as UTF-8 text/)
  // A value that only its reader can judge is reported with its place too.
  const late = await refusal({ file: 'defaults:\n  idle-lifetime: 8d\n' })
  assert.is(
    late,
    `idle-lifetime (${FILE}:2:3) must be a time from 1s to 7d, with its unit, such as 30s, 5m or 1h; not '8d'`,
  )
})

test('the schemas say of settings what is declared', async () => {
  await inFolder(async folder => {
    execFileSync(process.execPath, [fileURLToPath(new URL('../tools/settings-schemas.mjs', import.meta.url)), folder])
    for (const name of ['config.schema.json', 'result.schema.json']) {
      const [is, made] = [new URL(`../contracts/${name}`, import.meta.url), join(folder, name)]
      assert.is(readFileSync(is, 'utf8'), readFileSync(made, 'utf8'), `contracts/${name}: npm run schemas`)
    }
  })
})

test('the schema knows every flag, and every report', () => {
  const schema = JSON.parse(readFileSync(new URL('../contracts/config.schema.json', import.meta.url), 'utf8'))
  const { properties: all } = schema.$defs.settings
  const { properties: target } = schema.properties.targets.additionalProperties
  // Settings of one call only; the words of `--state` have a table of their own.
  const NOT_HERE = [
    ...['config', 'target', 'requirements', 'plan', 'coverage', 'json', 'abandon', 'defect', 'defects', 'state'],
    ...['publish', 'version', 'branch', 'targets', 'all-targets', 'shard', 'since', 'write', 'name'],
  ]
  for (const { name, options } of COMMANDS.filter(({ options }) => options.some(({ flag }) => flag === 'config'))) {
    for (const { flag } of options) {
      if (!NOT_HERE.includes(flag)) assert.ok(all[flag] ?? target[flag], `${name} --${flag}`)
    }
  }
  const { properties: defaults } = schema.properties.defaults
  for (const key of Object.keys(all)) assert.ok(defaults[key], key)
  // Only targets may name a Core and the place of its clock.
  for (const key of ['url', 'control-url', 'labels']) assert.not(defaults[key], key)
  const [ours] = all.reporter.items.anyOf
  assert.equal(ours.enum, REPORTER_NAMES, 'the reports of the registry, in its order')
})

test('words of provider states: a state, or meanings by their parameters', async () => {
  const file = `states:
  The  user logged on: a valid token
  a user with the right password: right credentials
  a session:
    - params: { kind: expired }
      means: an expired token
    - means: A valid token
      gives: { token: token, account: username }
`
  const states = (given: Given) => settings('contracts states', given, contractsStatesConfig)
  const none = { params: {}, gives: {} }
  assert.equal(
    [...(await states({ file })).meanings],
    [
      ['the user logged on', [{ state: 'a valid token', ...none }]],
      ['a user with the right password', [{ state: 'right credentials', ...none }]],
      [
        'a session',
        [
          { state: 'an expired token', params: { kind: 'expired' }, gives: {} },
          { state: 'a valid token', params: {}, gives: { token: 'token', account: 'username' } },
        ],
      ],
    ],
  )
  const beaten = await states({ file, args: ['--state', 'a session=nothing'] })
  assert.equal(beaten.meanings.get('a session'), [{ state: 'nothing', ...none }], 'a flag beats the table')
  for (const [wrong, problem] of [
    [
      'states: { x: a valid tokn }',
      "'a valid tokn' is no state that can be brought about; did you mean 'a valid token'?",
    ],
    [
      'states: { x: [{ means: nothing, gives: { a: secret } }] }',
      "'secret' is nothing that a state brings: it brings token, username, password",
    ],
    ['states: { x: nothing, X: nothing }', "'X' stands here twice"],
    ['states: { x: [{ state: nothing }] }', "unknown key 'state'"],
    ['states: { x: [] }', "'x' needs at least one item"],
    [
      'states: { x: [{ means: nothing, params: { password: Hunter2 } }] }',
      "'password' has no place in a file that is shared",
    ],
  ] as const) {
    const message = await refusal({ file: wrong })
    assert.ok(message.includes(problem), message)
  }
})

test('the reports by default: in GitHub Actions github too', async () => {
  const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: '/s' }
  const { reporters, github } = await run({ env, file: '' })
  assert.equal([reporters, github], [['console', 'junit', 'json', 'html', 'github'], { summaryFile: '/s' }])
  const without = await run({ file: '' })
  assert.equal([without.reporters, without.github], [['console', 'junit', 'json', 'html'], undefined])
  assert.match(
    await refusal({ args: ['--reporter', 'github'] }),
    /^--reporter: the report 'github' goes to GitHub Actions/,
  )
  assert.equal((await run({ env, file: '', args: ['--reporter', 'junit'] })).reporters, ['junit'])
})

test('the example of the README is one', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const [, file = ''] = /^```yaml\n(# yaml-language-server: \S*config\.schema\.json\n[\s\S]*?)^```$/m.exec(readme) ?? []
  const args = ['--target', 'staging', '--profile', 'nightly', '--fingerprint', AA]
  const { target, configuration } = await run({ file, args })
  assert.is(target?.url.href, 'https://10.0.0.5/')
  assert.equal([configuration.idleLifetimeMs, configuration.measureLifetime], [30_000, true])
})

const RESULTS = { 'old.json': '{}', 'new.json': '{}' }
const diff = (args: string[], { file = EXAMPLE, files = {} }: Given = {}) =>
  loaded('diff', { args, files: { ...RESULTS, ...files, [FILE]: file } }, diffConfig)

test('diff takes files, the oldest first, also one that is called like a target, or that is there twice', async () => {
  const { files, outDir } = await diff(['old.json', 'lab.2', 'old.json'], { files: { 'lab.2': '{}' } })
  assert.equal([files, outDir], [['old.json', 'lab.2', 'old.json'], 'reports'])
  assert.is((await diff(['old.json', 'new.json'], { file: 'defaults: { out: there, detach: true }' })).outDir, 'there')
})

test('whoever names a Core is told how to get its result; what may be a secret is not repeated', async () => {
  const refused = (...args: string[]) => refusalOf(diff(args))
  assert.is(
    await refused('old.json', 'lab.2'),
    "'lab.2' is a Core, and diff compares results: run it first (core-conformance run lab.2 --out FOLDER), and give the result.json in that folder",
  )
  assert.match(await refused('https://10.0.0.1', 'new.json'), /^operand 1 is a Core, .* run URL --out FOLDER\)/)
  assert.is(
    await refused('old.json', 'none.json'),
    "'none.json' is nothing to compare: there is no such file; give a result.json, or a fleet.json",
  )
  for (const operand of ['admin:Hunter2@10.0.0.5', 'https://admin:Hunter2@10.0.0.5']) {
    const message = await refused('old.json', operand)
    assert.not.match(message, /Hunter2/)
    assert.match(message, /^operand 2 is /)
  }
  assert.match(await refused('old.json', 'new.json', '--profile', 'quick'), /^--profile is an option of run, not of/)
})

test.run()
