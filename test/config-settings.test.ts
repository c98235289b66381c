import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SCENARIOS } from '../dist/client/scenarios.js'
import { contractsVerifyConfig } from '../dist/commands/contracts/verify-config.js'
import { fleetConfig } from '../dist/commands/fleet/config.js'
import { COMMANDS } from '../dist/commands/index.js'
import { Settings } from '../dist/config/settings.js'
import { ConfigError } from '../dist/ground/config-error.js'
import { RECORDED, recordKey } from '../dist/settings/record.js'
import {
  client,
  commandOf,
  diff,
  type Given,
  generate,
  mock,
  openapiIsJson,
  refusal,
  report,
  run,
  verify,
  warnings,
  withSettings,
} from './config-support.js'
import { makeFolder } from './support/folder.js'

const test = suite('settings')

const TARGET = { CORE_URL: 'https://10.0.0.5' }
const SHA256 = Array(32).fill('AA').join(':')
const CONTROL = { CORE_CONTROL_KEY: 'key' }
const NAMED = SCENARIOS.map(({ name }) => name)
const DEPLOYED = [{ mainBranch: true }, { deployedOrReleased: true }]
const DIFF_REPORTERS = ['console', 'markdown', 'html', 'json']

/** A text that a command makes something else of, at its place, and what stands there where nothing is given. */
type Row = readonly [flag: string, text: string, at: string, becomes: unknown, otherwise?: unknown]

/** Texts that are read, not only taken over. What else a flag does shows where its command is run. */
const READ: [command: string, read: (given: Given) => unknown, env: Record<string, string>, rows: Row[]][] = [
  [
    'run',
    run,
    { ...TARGET, ...CONTROL },
    [
      ['target', 'https://two:8443', 'target.url.href', 'https://two:8443/', 'https://10.0.0.5/'],
      ['fingerprint', SHA256, 'target.trust', { kind: 'fingerprint', sha256: SHA256 }, { kind: 'system' }],
      ['control-url', 'http://127.0.0.1:2/', 'control.url', 'http://127.0.0.1:2'],
      ['reporter', 'json,console', 'reporters', ['console', 'json'], ['console', 'junit', 'json', 'html']],
      ['only', ' b , c,,b', 'configuration.only', ['b', 'c'], []],
      ['explore', '30m', 'configuration.explore.durationMs', 1_800_000, null],
      ['explore', '2000', 'configuration.explore', { requests: 2000, durationMs: null }],
    ],
  ],
  [
    'contracts generate',
    generate,
    { CORE_CONSUMER: 'x' },
    [['consumer', 'b,d.e_f-1', 'consumers', ['b', 'd.e_f-1'], ['x']]],
  ],
  [
    'contracts verify',
    verify,
    { ...TARGET, ...CONTROL, CORE_BROKER: 'https://broker' },
    [
      ['idle-lifetime', '1.5h', 'idleLifetimeMs', 5_400_000, 3_600_000],
      ['idle-tolerance', '2.5%', 'idleTolerance', 0.025, 0.05],
      ['max-refused-logons', '0', 'maxRefusedLogons', 0, 20],
      ['deadline', '100ms', 'deadlineMs', 100, 10_000],
      ['state', 'Logged  on=a valid token', 'meanings', { 'logged on': 'a valid token' }, {}],
      ['state', 'a, b=no token, c=nothing', 'meanings', { 'a, b': 'no token', c: 'nothing' }],
      ['state', 'x = y = A revoked token', 'meanings', { 'x = y': 'a revoked token' }],
      ['broker', 'https://one/base', 'broker.url.href', 'https://one/base/', 'https://broker/'],
      ['selector', 'latest,branch=feat/a', 'selectors', [{ latest: true }, { branch: 'feat/a' }], DEPLOYED],
      ['selector', 'deployed consumer=web', 'selectors', [{ deployed: true, consumer: 'web' }]],
      ['selector', 'tag=t,environment=lab', 'selectors', [{ tag: 't', latest: true }, { environment: 'lab' }]],
    ],
  ],
  [
    'report',
    report,
    {},
    [['reporter', 'html,console', 'reporters', ['console', 'html'], ['console', 'junit', 'html']]],
  ],
  ['mock', mock, {}, [['time-scale', '2.5', 'timeScale', 2.5, 1]]],
  [
    'client',
    client,
    {},
    [
      ['scenario', 'slow,normal', 'scenarios', ['normal', 'slow'], NAMED],
      ['scenario', 'all', 'scenarios', NAMED],
      ['ignore', 'revokes,exit', 'ignore', ['exit', 'revokes'], []],
      ['ignore', 'host,host', 'ignore', ['host']],
    ],
  ],
  ['diff', diff, {}, [['reporter', 'markdown,console', 'reporters', ['console', 'markdown'], DIFF_REPORTERS]]],
]

/** Returns what stands at a place, without what cannot be compared: of scenarios their names, of meanings their states. */
function valueAt(config: unknown, place: string): unknown {
  const value = place.split('.').reduce((object, key) => (object as Record<string, unknown> | undefined)?.[key], config)
  if (value instanceof Map) return Object.fromEntries([...value].map(([words, [meaning]]) => [words, meaning.state]))
  return Array.isArray(value) ? value.map(item => item.name ?? item) : value
}

test('what a command makes of a text, and of none', () => {
  for (const [command, read, env, rows] of READ)
    for (const [at, [flag, text, place, becomes, otherwise]] of rows.entries()) {
      assert.equal(valueAt(read({ env, args: [`--${flag}`, text] }), place), becomes, `${command} --${flag} ${text}`)
      const isFirst = rows.findIndex(row => row[0] === flag) === at
      if (isFirst) assert.equal(valueAt(read({ env }), place), otherwise, `${command} --${flag}: default`)
    }
})

test('each setting that a run records is read as it is declared', () => {
  const texts = ['7s', '1.5h', '7', '2.5%', 'off', 'quick', '/api/a', 'a,b', 'status=302,body.success=false']
  const { configuration: usual } = run({ env: TARGET })
  for (const setting of RECORDED) {
    const { flag, takes, usual: otherwise } = setting
    const key = recordKey(setting) as keyof typeof usual
    if (flag !== 'explore') assert.equal(usual[key], otherwise, `--${flag}: default`)
    if (takes.inProgram === 'switch') continue
    const accepted = texts.filter(text => takes.read(text) !== undefined)
    assert.ok(accepted.length, `--${flag} takes a text`)
    for (const text of accepted) {
      const { configuration } = run({ env: TARGET, args: [`--${flag}`, text] })
      assert.equal(configuration[key], takes.read(text), `--${flag} ${text}`)
    }
  }
})

test('a flag beats the environment, and that beats .env; empty variables count as unset', () => {
  for (const { name, options, operands } of COMMANDS)
    for (const { flag, env, takes } of options) {
      const isSwitch = takes.inProgram === 'switch'
      const args = isSwitch ? [`--${flag}`] : [`--${flag}`, 'flag']
      const rest = operands ? ['--', ...Array(operands.atLeast).fill('x')] : []
      const text = ({ args: own = [], ...given }: Given) =>
        withSettings(name, { ...given, args: [...own, ...rest] }, settings => settings.get(flag)?.text)
      const dotenv = `${env}="file"\n`
      const variable = { [env]: 'variable' }
      const found = [
        text({}),
        text({ args, env: variable, dotenv }),
        text({ args: [isSwitch ? `--${flag}` : `--${flag}=flag`] }),
        text({ env: variable, dotenv }),
        text({ dotenv }),
        text({ env: { [env]: '' }, dotenv }),
      ]
      const given = isSwitch ? 'true' : 'flag'
      assert.equal(found, [undefined, given, given, 'variable', 'file', 'file'], `${name} --${flag}`)
    }
})

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
  assert.is(openapiIsJson({}), false)
  assert.is(openapiIsJson({ args: ['--out', 'core.json'] }), true)
  assert.is(openapiIsJson({ args: ['--out', 'core.yml'], env: { CORE_JSON: '1' } }), false)
  assert.is(openapiIsJson({ args: ['--out', 'core', '--json'] }), true)
})

test('a command has no two options of one variable', () => {
  for (const { options } of COMMANDS) assert.is(new Set(options.map(({ env }) => env)).size, options.length)
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

test('what a client is asked for: scenarios and rules that there are, times that fit, and what is left out by name', () => {
  const MESSAGES: [args: string[], message: RegExp][] = [
    [['--scenario', 'expires'], /there is no scenario 'expires'/],
    [['--scenario', 'tokenexpires'], /did you mean 'token-expires'\?/],
    [['--ignore', 'no-lop'], /--ignore: there is no rule 'no-lop'.*no-loop/],
    [['--hang', '2m'], /--hang must be less than --timeout/],
    [
      ['--allow-any-certificate', '--scenario', 'untrusted-certificate'],
      /--allow-any-certificate leaves out untrusted-certificate and/,
    ],
    [['--timeout', '5'], /--timeout must be a time from 1s to 1h/],
    [['node', 'client.mjs'], /what belongs to COMMAND… comes after --/],
  ]
  for (const [args, message] of MESSAGES) assert.match(refusal({ args }, client), message)
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
  const broker = ['--broker', 'https://b']
  const MESSAGES: [args: string[], message: RegExp, env?: Record<string, string>][] = [
    [['--broker', 'https://a:Hunter2@b'], /^--broker holds credentials: put them into PACT_BROKER_USERNAME/],
    [['--broker', 'broker.example'], /is not a URL/],
    [['--broker', 'ftp://b'], /is not a URL/],
    [['--broker', 'file:///b'], /is not a URL/],
    [[...broker, '--publish', ...url], /^--publish needs the version/],
    [['--publish', '--version', '1', ...url], /^--publish needs the broker/],
    [[...broker, '--publish', '--version', '1'], /a file tells no place for its results/],
    [['--selector', 'main'], /^--selector is about a broker/],
    [[...broker, '--selector', 'mian'], /'mian' selects nothing; did you mean 'main'\?/],
    [[...broker, '--selector', 'matching'], /add --branch/],
    [
      broker,
      /_TOKEN and PACT_BROKER_USERNAME exclude each other/,
      { PACT_BROKER_TOKEN: 'a', PACT_BROKER_USERNAME: 'b' },
    ],
    [broker, /no header can carry/, { PACT_BROKER_TOKEN: 'a\nb' }],
  ]
  for (const [args, message, env = {}] of MESSAGES) {
    const told = refusal({ args, env }, verify)
    assert.match(told, message)
    assert.not.match(told, /Hunter2/)
  }
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
  const password = (given: Given) => withSettings('mock', given, settings => settings.secret('CORE_PASSWORD'))
  assert.is(password({ env: { CORE_PASSWORD: 'p' } }), 'p')
  assert.is(password({}), undefined)
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
  const flags = '--password --passwd --pwd -pass --PASSWORD --core-password --pass-word --passphrase'
  for (const flag of flags.split(' ')) {
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
  for (const dotenv of [Buffer.from('\ufeffCORE_URL=x\n', 'utf16le'), Buffer.from('CORE_USERNAME=J\xfcrg\n', 'latin1')])
    assert.is(refusal({ dotenv }), '.env is not UTF-8 text: save it as UTF-8')
  const folder = makeFolder()
  mkdirSync(join(folder, '.env'))
  assert.throws(
    () => new Settings(commandOf('run'), [], {}, folder, COMMANDS),
    (error: unknown) =>
      error instanceof ConfigError &&
      error.message === '.env cannot be read: it is a folder; fix that, or move the file away',
  )
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
