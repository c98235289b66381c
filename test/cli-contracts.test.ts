/** Contracts written by the product as users meet it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { assertSecretless, cli, inFolder, withCore } from './cli-support.js'
import { contractIn, type Interaction, named } from './support/contract-files.js'
import { long } from './support/long.js'

const test = suite('contracts')

/** The only specs that interactions come from. */
const SPECS =
  'access-with-token,access-without-token*,logon-issues-token,logon-wrong-password,revocation-rejects,idle-expires'
const given = (interactions: Interaction[], state: string) =>
  interactions.find(({ providerStates }) => providerStates[0]?.name === state)

long(test)('what a run has proved, for each consumer; the next run, and the result alone, give the same bytes', () =>
  inFolder(async folder => {
    const args = ['run', '--only', SPECS, '--consumer', 'web-app,mobile.app']
    const { stdout, stderr } = await cli(args, { cwd: folder, code: 0 })
    assert.is(stderr, '')
    assert.match(
      stdout,
      /\nContracts: contracts\/web-app-core\.json, contracts\/mobile\.app-core\.json \(7 interactions\)\n$/,
    )
    assert.equal(readdirSync(join(folder, 'contracts')).sort(), ['mobile.app-core.json', 'web-app-core.json'])
    const { text, interactions } = contractIn(folder, 'contracts/web-app-core.json')
    assert.equal(named(interactions), [
      'a logon: right credentials',
      'a logon: wrong credentials',
      'a request for the users: a revoked token',
      'a request for the users: a valid token',
      'a request for the users: an expired token',
      'a request for the users: no token',
      'a revocation: a valid token',
    ])
    const statuses = interactions.map(({ response }) => response.status)
    assert.equal(statuses, [201, 401, 401, 200, 401, 401, 204])
    assert.ok(text.endsWith('}\n') && !text.endsWith('\n\n'))
    assert.not.match(text, /admin|ffi|pact-js|16\.|127\.0\.0\.1/)
    const other = readFileSync(join(folder, 'contracts/mobile.app-core.json'), 'utf8')
    assert.is(other.replace('mobile.app', 'web-app'), text)

    await cli([...args, '--contracts', 'again'], { cwd: folder, code: 0 })
    assert.is(readFileSync(join(folder, 'again/web-app-core.json'), 'utf8'), text)
    const third = ['contracts', 'generate', '--consumer', 'web-app', '--contracts', 'third']
    const generated = await cli(third, { cwd: folder, code: 0 })
    assert.is(generated.stderr, '')
    assert.match(generated.stdout, /^Contract: third\/web-app-core\.json \(7 interactions\)\n$/)
    assert.is(readFileSync(join(folder, 'third/web-app-core.json'), 'utf8'), text)
  }),
)

test('a Core of the user: its own dialect, and no secret, name or address of it', () =>
  withCore({ lifetimeMs: 1000 }, async (core, folder) => {
    const env = { ...core.env, CORE_CONSUMER: 'app', CORE_IDLE_LIFETIME: '1s', LOG_LEVEL: 'trace', RUST_LOG: 'trace' }
    const args = ['run', '--only', SPECS, '--strict-token', '--fields', 'name']
    const { stdout, stderr } = await cli(args, { cwd: folder, env, code: 0 })
    const { text, interactions } = contractIn(folder, 'contracts/app-core.json')
    const logon = given(interactions, 'right credentials')
    assert.is(logon?.response.status, 200)
    assert.match(JSON.stringify(logon?.response.body), /"session":\{"token":"ExampleToken/)
    assert.match(
      logon?.comments.text.at(-1) ?? '',
      /^Observed on 127\.0\.0\.1, since .*token of 37 characters, base64url, at \/session\/token$/,
    )
    assert.equal(given(interactions, 'a valid token')?.response.body?.content, [{ name: 'text' }])
    assertSecretless([text, stdout, stderr], core.secrets)
    assert.not.match(text, /anna/)
    assert.is(core.live.size, 0)
  }))

test('some interactions by name; one that is not there ends it before anything is sent', () =>
  withCore({}, async (core, folder) => {
    const run = (code: number, names: string, ...more: string[]) => {
      const args = ['--only', SPECS, '--profile', 'quick', '--consumer', 'app', '--interactions', names]
      return cli(['run', ...args, ...more], { cwd: folder, env: core.env, code })
    }
    const wrong = await run(2, 'logon,user')
    assert.match(wrong.stderr, /--interactions: there is no interaction 'user'; did you mean 'users'\? \(known: .*\)\n/)
    assert.is(core.requests.length, 0)
    // If the contracts cannot be written, nothing is sent.
    writeFileSync(join(folder, 'contracts'), 'a file')
    const blocked = await run(2, 'logon')
    assert.match(blocked.stderr, /contracts: .*choose another folder with --contracts\./)
    assert.is(core.requests.length, 0)
    const { stdout } = await run(0, 'logon', '--contracts', 'c')
    assert.match(stdout, /\nContract: c\/app-core\.json \(1 interaction\)\n$/)
    assert.equal(named(contractIn(folder, 'c/app-core.json').interactions), ['a logon: right credentials'])
  }))

test('a field that no answer has would pin nothing: no contract is written, and the nearest name is told', () =>
  withCore({}, async (core, folder) => {
    const args = ['--consumer', 'app', '--fields', 'nme']
    const ran = await cli(['run', '--only', 'access-with-token', ...args], { cwd: folder, env: core.env })
    const told = "no answer that goes into the contract has a field 'nme' with a value; did you mean 'name'?"
    assert.equal([ran.code, ran.stderr.includes(`no contract was written: ${told}\n`)], [3, true], ran.stderr)
    const generated = await cli(['contracts', 'generate', ...args], { cwd: folder })
    assert.equal([generated.code, generated.stderr.includes(told)], [2, true], generated.stderr)
    assert.not.ok(existsSync(join(folder, 'contracts/app-core.json')))
    await cli(['contracts', 'generate', '--consumer', 'app', '--fields', 'name'], { cwd: folder, code: 0 })
  }))

test('a new contract takes the place of the old; where nothing was proved the old stays, and the exit is not 0', () =>
  inFolder(async folder => {
    mkdirSync(join(folder, 'contracts'))
    writeFileSync(join(folder, 'contracts/app-core.json'), '{"interactions":[{"description":"stale"}]}')
    const run = (code: number, ...args: string[]) =>
      cli(['run', '--consumer', 'app', '--only', 'logon-issues-token', ...args], { cwd: folder, code })
    const nothing = await run(3, '--interactions', 'logon', '--access-control', 'off')
    assert.match(nothing.stderr, /no contract was written: the run did not prove logon\n/)
    assert.match(readFileSync(join(folder, 'contracts/app-core.json'), 'utf8'), /stale/)
    await run(0)
    assert.equal(named(contractIn(folder, 'contracts/app-core.json').interactions), ['a logon: right credentials'])
    assert.equal(readdirSync(join(folder, 'contracts')), ['app-core.json'])
  }))

long(test)("a team's own interactions, in YAML beside the specs", () =>
  inFolder(async folder => {
    mkdirSync(join(folder, 'ours'))
    const own = (name: string, description: string) => `area: ours
specs:
  - id: ours-unknown
    title: our client is told that its token is unknown
    requirements: [ACCESS-1]
    given:
      - logon: a
      - send: access
        token: a
        expect: accepted
    steps:
      - send: access
        token: unknown
        path: "{probe-path}?page=1"
        headers: { X-Client: ours }
        expect: rejected
        interaction: { name: ${name}, description: ${description}, state: a token that was never issued }
`
    const run = (code: number, text: string) => {
      writeFileSync(join(folder, 'ours/ours.yaml'), text)
      const args = ['run', '--specs', 'ours', '--only', 'ours,access-without-token*', '--consumer', 'app']
      return cli(args, { cwd: folder, code })
    }
    const clash = await run(2, own('users', 'our request'))
    assert.match(
      clash.stderr,
      /ours\/ours\.yaml:\d+:\d+: duplicate interaction 'users', first at specs\/access\.yaml:\d+\n/,
    )
    await run(0, own('users-unknown', 'our request'))
    const found = given(contractIn(folder, 'contracts/app-core.json').interactions, 'a token that was never issued')
    assert.is(found?.description, 'our request')
    assert.equal(found?.request.headers?.['X-Client'], ['ours'])
    assert.match(JSON.stringify(found?.request), /"query":\{"page":\["1"\]\}/)
    await cli(['contracts', 'verify', 'contracts/app-core.json'], { cwd: folder, code: 0 })
  }),
)

test.run()
