import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeCertificate } from '../dist/mock/certificate.js'
import { REPORTER_NAMES } from '../dist/report/reporters.js'
import { commandOf, type Given, mock, refusal, run } from './config-support.js'
import { makeFolder } from './support/folder.js'

const test = suite<{ folder: string; pem: string }>('values of settings')

test.before(async context => {
  context.folder = makeFolder()
  context.pem = (await makeCertificate()).certificate
})
const URL_ = 'https://10.0.0.5'
const FINGERPRINT = Array(32).fill('AB').join(':')

/** What a message suggests for a time: the unit that a bare number lacks, else examples. */
const unitFor = (value: string) => (/^[1-9]\d*$/.test(value) ? `${value}s` : '30s, 5m or 1h')

type Message = (label: string, value: string) => string
const said =
  (text: string): Message =>
  label =>
    `${label} ${text}`
const insteadOf =
  (text: string): Message =>
  (label, value) =>
    `${label} must be ${text}, not '${value}'`
const time =
  (from: string, to: string): Message =>
  (label, value) =>
    `${label} must be a time from ${from} to ${to}, with its unit, such as ${unitFor(value)}; not '${value}'`
const otherThan =
  (text: string): Message =>
  (label, value) =>
    `${label} must be ${text}; not '${value}'`
const noReport: Message = (label, value) =>
  `${label}: there is no report '${value}'${value === 'JUnit' ? "; did you mean 'junit'?" : `; known: ${REPORTER_NAMES.join(', ')}`}`
const PINS = ['x', 'AB', FINGERPRINT.slice(3), `${FINGERPRINT}:AB`, FINGERPRINT.replace('A', 'G')]
const SHA1 = 'da39a3ee5e6b4b0d3255bfef95601890afd80709'
const TIMES = ['60', '1', 'h', '1 parsec', '0.5s', '8d', '1e3s', '1h30m', '0s', '0']
const PATHS = ['api/x', '/', '/apix', 'https://core/api/x', '/api/a b', '/api/#a', '/api/ü']
const EXPLORED =
  'a number of requests up to 100000, such as 2000, or a time from 1s to 1d with its unit, such as 30m; 0: nothing is explored'
const NOTHING: Message = label => `${label} names nothing: give it a value, or leave it out`

/** Every wrong value of a flag, with its message for a flag, the environment and `.env`. */
const WRONG: [flag: string, values: string[], message: Message][] = [
  [
    'target',
    ['10.0.0.5', 'core', '//core', 'https://', 'https://a b', ' '],
    said(`is not a URL: give the base URL, such as ${URL_}`),
  ],
  [
    'target',
    ['http://10.0.0.5', 'ftp://core', 'core:8443', 'javascript:alert(1)'],
    said(`must start with https://, such as ${URL_}`),
  ],
  [
    'target',
    ['https://core/api', 'https://core/?a=b', 'https://core/#a'],
    said(`must be the base URL, without a path, such as ${URL_}`),
  ],
  ['fingerprint', [...PINS, SHA1], said('must be a SHA-256 fingerprint: 64 hex digits, with or without colons')],
  ['access-control', ['On', 'yes', '0', 'protected'], insteadOf('on or off')],
  ['idle-lifetime', TIMES, time('1s', '7d')],
  [
    'idle-tolerance',
    ['5', '0.05', '0%', '0.9%', '26%', '5 %', '%'],
    otherThan('a percentage from 1% to 25%, such as 5%'),
  ],
  ['probe-path', PATHS, otherThan('a path below /api/, such as /api/v0/cores/self/users')],
  ['profile', ['fast', 'Quick'], insteadOf('quick, full or long')],
  ['only', [',', ' , '], NOTHING],
  ['specs', [','], NOTHING],
  ['reporter', ['pdf', 'JUnit'], noReport],
  ['concurrency', ['0', '33', '1.5', 'many', '4x'], insteadOf('a whole number from 1 to 32')],
  ['max-refused-logons', ['-1', '1001', 'none'], insteadOf('a whole number from 0 to 1000')],
  ['deadline', ['10', '99ms', '11m'], time('100ms', '10m')],
  ['patience', ['10', '0', '999ms', '2d'], time('1s', '1d')],
  ['explore', ['100001', '-1', '999ms', '2d', 'all'], otherThan(EXPLORED)],
  ['seed', ['-1', '2147483648', 'chance'], otherThan('random, or a whole number from 0 to 2147483647')],
  ['control-url', ['https://127.0.0.1:1'], said('must start with http://, such as http://10.0.0.5')],
]

function checkWrong(
  command: 'run' | 'mock',
  base: Record<string, string>,
  [flag, values, message]: (typeof WRONG)[number],
) {
  const configure = { run, mock }[command]
  const env = commandOf(command).options.find(option => option.flag === flag)?.env ?? ''
  assert.ok(env, flag)
  const { [env]: _own, ...others } = base
  for (const value of values) {
    assert.is(refusal({ args: [`--${flag}=${value}`], env: base }, configure), message(`--${flag}`, value))
    assert.is(refusal({ env: { ...base, [env]: value } }, configure), message(env, value))
    assert.is(refusal({ env: others, dotenv: `${env}="${value}"` }, configure), message(`${env} in .env`, value))
  }
}

for (const row of WRONG)
  test(`wrong values of --${row[0]}: ${row[1][0]}`, () =>
    checkWrong('run', { CORE_URL: URL_, CORE_CONTROL_KEY: 'k' }, row))

test('wrong values of a mock', () => {
  const port = (label: string, value: string) => `${label} must be a whole number from 0 to 65535, not '${value}'`
  checkWrong('mock', {}, ['port', ['65536', '-1', 'https'], port])
  checkWrong('mock', {}, ['control-port', ['65536'], port])
  for (const row of WRONG.filter(([flag]) => ['idle-lifetime', 'access-control'].includes(flag)))
    checkWrong('mock', {}, row)
})

test('a URL with credentials is refused, and they are repeated nowhere', () => {
  for (const url of [
    'https://anna:S3cret-X@10.0.0.5',
    'https://S3cret-X@10.0.0.5',
    'https://:S3cret-X@10.0.0.5',
    'http://anna:S3cret-X@10.0.0.5/api',
    'https://anna:S3cret-X@bad host',
  ]) {
    for (const given of [{ args: ['--target', url] }, { env: { CORE_URL: url } }, { dotenv: `CORE_URL=${url}` }]) {
      const message = refusal(given)
      assert.not.match(message, /S3cret|anna/)
      if (URL.canParse(url)) assert.match(message, /holds credentials: put them into CORE_USERNAME and CORE_PASSWORD/)
    }
  }
  const control = refusal({
    args: ['--target', URL_, '--control-url', 'http://a:S3cret-X@127.0.0.1'],
    env: { CORE_CONTROL_KEY: 'k' },
  })
  assert.match(control, /^--control-url holds credentials/)
  assert.not.match(control, /S3cret/)
})

test('an empty CORE_URL is refused, unless something before it names the target', () => {
  const empty = (label: string) => `${label} is empty: give it a URL, or leave it out for the mock Core`
  assert.is(refusal({ env: { CORE_URL: '' } }), empty('CORE_URL'))
  assert.is(refusal({ dotenv: 'CORE_URL=\n' }), empty('CORE_URL in .env'))
  assert.is(refusal({ env: { CORE_URL: '' }, dotenv: `CORE_URL=${URL_}` }), empty('CORE_URL'))
  assert.is(run({ args: ['--target', URL_], env: { CORE_URL: '' } }).target?.url.origin, URL_)
  assert.is(run({ env: { CORE_URL: URL_ }, dotenv: 'CORE_URL=' }).target?.url.origin, URL_)
  assert.is(run({}).target, undefined)
})

test('what is only for a target is refused without one, wherever it was set', () => {
  const stray = (labels: string, them = 'that') =>
    `${labels} without a target: name the Core with --target or CORE_URL, or leave ${them} out to run against the embedded mock Core`
  assert.is(refusal({ args: ['--insecure'] }), stray('--insecure'))
  assert.is(refusal({ args: ['--username', 'a', '--ca-file', 'b'] }), stray('--username, --ca-file', 'them'))
  assert.is(refusal({ env: { CORE_FINGERPRINT: FINGERPRINT } }), stray('CORE_FINGERPRINT'))
  assert.is(refusal({ args: ['--control-url', 'http://127.0.0.1:1'] }), stray('--control-url'))
  assert.is(refusal({ env: { CORE_CONTROL_URL: 'http://127.0.0.1:1' } }), stray('CORE_CONTROL_URL'))
  // A CI job that lost its CORE_URL still has these.
  assert.is(
    refusal({ env: { CORE_USERNAME: 'a', CORE_PASSWORD: 'S3cret-X' } }),
    stray('CORE_USERNAME, CORE_PASSWORD', 'them'),
  )
  assert.is(refusal({ dotenv: 'CORE_USERNAME=a\n' }), stray('CORE_USERNAME in .env'))
  assert.is(refusal({ env: { CORE_PASSWORD: 'S3cret-X' } }), stray('CORE_PASSWORD'))
  const { target } = run({ env: { CORE_INSECURE: '0', CORE_USERNAME: '', CORE_PASSWORD: '', CORE_FINGERPRINT: '' } })
  assert.is(target, undefined)
})

test('the control URL needs its key', () => {
  const env = { CORE_URL: URL_, CORE_CONTROL_URL: 'http://127.0.0.1:1' }
  assert.is(refusal({ env }), 'CORE_CONTROL_URL needs the key that the mock Core printed, in CORE_CONTROL_KEY')
  assert.equal(run({ env: { ...env, CORE_CONTROL_KEY: 'k' } }).control, { url: 'http://127.0.0.1:1', key: 'k' })
})

const trust = (given: Given) => run({ ...given, env: { CORE_URL: URL_, ...given.env } }).target?.trust

test('fingerprints in the forms that tools print', () => {
  const plain = FINGERPRINT.replaceAll(':', '')
  for (const form of [
    FINGERPRINT,
    FINGERPRINT.toLowerCase(),
    plain,
    `sha256:${plain}`,
    // openssl x509 -fingerprint -sha256
    `sha256 Fingerprint=${FINGERPRINT}`,
    plain.replace(/(..)/g, '$1 ').trim(),
  ]) {
    assert.equal(trust({ args: ['--fingerprint', form] }), { kind: 'fingerprint', sha256: FINGERPRINT }, form)
  }
})

test('--insecure and its variable', () => {
  assert.equal(trust({}), { kind: 'system' })
  assert.equal(trust({ args: ['--insecure'] }), { kind: 'insecure' })
  for (const text of ['1', 'true', 'YES', 'on'])
    assert.equal(trust({ env: { CORE_INSECURE: text } }), { kind: 'insecure' })
  for (const text of ['0', 'false', 'No', 'off', ''])
    assert.equal(trust({ env: { CORE_INSECURE: text } }), { kind: 'system' })
  const wrong = refusal({ env: { CORE_URL: URL_ }, dotenv: 'CORE_INSECURE=2' })
  assert.is(wrong, 'CORE_INSECURE in .env must be 1 or 0')
})

test('a certificate that is trusted on the command line is not outdone by what lies around', () => {
  const pinned = { kind: 'fingerprint', sha256: FINGERPRINT }
  assert.equal(trust({ args: ['--fingerprint', FINGERPRINT], env: { CORE_INSECURE: '1' } }), pinned)
  assert.equal(trust({ env: { CORE_FINGERPRINT: FINGERPRINT }, dotenv: 'CORE_INSECURE=1' }), pinned)
  assert.equal(trust({ args: ['--insecure'], env: { CORE_FINGERPRINT: FINGERPRINT } }), { kind: 'insecure' })
  // The environment overrides .env.
  assert.equal(trust({ env: { CORE_INSECURE: '0' }, dotenv: 'CORE_INSECURE=1' }), { kind: 'system' })
  assert.equal(
    trust({ env: { CORE_INSECURE: '0' }, dotenv: `CORE_FINGERPRINT=${FINGERPRINT}\nCORE_INSECURE=1` }),
    pinned,
  )
})

test('two kinds of trust from one origin exclude each other', () => {
  for (const [given, both] of [
    [{ args: ['--insecure', '--fingerprint', FINGERPRINT] }, '--insecure and --fingerprint'],
    [{ env: { CORE_CA_FILE: 'x', CORE_FINGERPRINT: FINGERPRINT } }, 'CORE_CA_FILE and CORE_FINGERPRINT'],
    [{ dotenv: 'CORE_CA_FILE=x\nCORE_INSECURE=1\n' }, 'CORE_INSECURE in .env and CORE_CA_FILE in .env'],
  ] as [Given, string][]) {
    const message = refusal({ ...given, env: { CORE_URL: URL_, ...given.env } })
    assert.is(message, `${both} exclude each other: choose one`)
  }
  assert.equal(trust({ args: ['--fingerprint', FINGERPRINT], dotenv: 'CORE_CA_FILE=x' }), {
    kind: 'fingerprint',
    sha256: FINGERPRINT,
  })
})

test('--ca-file', ({ folder, pem }) => {
  const file = (name: string, content: string | Buffer) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const good = file('ca.pem', pem)
  assert.equal(trust({ args: ['--ca-file', good] }), { kind: 'ca', pem })
  const bundle = file('bundle.pem', `# the Cores\n${pem}\n${pem}`)
  assert.is(trust({ env: { CORE_CA_FILE: bundle } })?.kind, 'ca')

  const wrong = (path: string) => refusal({ args: ['--target', URL_, '--ca-file', path] }).replace(path, 'F')
  const broken = '--ca-file: F cannot be used: it holds no certificate in PEM, or a broken one'
  assert.is(wrong(join(folder, 'none.pem')), '--ca-file: F cannot be used: there is no such file')
  assert.is(wrong(folder), '--ca-file: F cannot be used: it is a folder')
  assert.is(wrong(file('text.pem', 'hello')), broken)
  assert.is(wrong(file('der.crt', Buffer.from(pem.replace(/-----.*-----|\s/g, ''), 'base64'))), broken)
  assert.is(wrong(file('key.pem', pem.replaceAll('CERTIFICATE', 'PRIVATE KEY'))), broken)
  const half = pem.slice(0, pem.length / 2)
  assert.is(wrong(file('second.pem', `${pem}\n${half}\n-----END CERTIFICATE-----\n`)), broken)
})

test.run()
