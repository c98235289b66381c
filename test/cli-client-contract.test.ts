/** The contract of a client's requests, as its team meets it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { assertSecretless, cli, inFolder } from './cli-support.js'
import { contractIn, named } from './support/contract-files.js'
import { long } from './support/long.js'

const test = suite('client --consumer')
const fixture = (name: string) => fileURLToPath(new URL(`fixtures/clients/${name}`, import.meta.url))
const FAST = ['--scenario', 'normal,token-expires,token-revoked,wrong-password,restart']
const command = (name: string, ...fault: string[]) => ['--', process.execPath, fixture(name), ...fault]

/** Makes a client that writes its environment to a file, then does the same as another client. */
function telltale(folder: string, client: string): string[] {
  const script = join(folder, 'telltale.mjs')
  writeFileSync(
    script,
    `import { appendFileSync } from 'node:fs'
     appendFileSync('passwords', process.env.CORE_PASSWORD + '\\n')
     await import(${JSON.stringify(fixture(client))})`,
  )
  return ['--', process.execPath, script, 'argument-with-a-secret']
}

long(test)('a right client: exit 0, a line a scenario, JUnit, and a contract of what it used, and of no more', () =>
  inFolder(async folder => {
    const args = ['client', ...FAST, '--consumer', 'app', ...command('client.mjs')]
    const { stdout, stderr } = await cli(args, { cwd: folder, code: 0 })
    assert.match(stdout, /✓ token-expires: after the first/)
    assert.match(stdout, /✓ The client conforms/)
    assert.match(stdout, /Report: reports\/client\.junit\.xml/)
    assert.match(stderr, /client: the logon was refused/) // the client's own output
    const junit = readFileSync(join(folder, 'reports/client.junit.xml'), 'utf8')
    assert.match(junit, /<testsuites name="core-conformance-client" tests="\d+" failures="0" errors="0"/)
    assert.match(stdout, /\nContract: contracts\/app-core\.json \(7 interactions\)\n$/)
    const contract = contractIn(folder)
    assert.equal(named(contract.interactions), [
      'a logon: right credentials',
      'a logon: wrong credentials',
      'a request for the users: a revoked token',
      'a request for the users: a token that was never issued',
      'a request for the users: a valid token',
      'a request for the users: an expired token',
      'a revocation: a valid token',
    ])
    const statuses = contract.interactions.map(
      ({ response }) => `${response.matchingRules?.status ? 'about ' : ''}${response.status}`,
    )
    // It renews after a status that is given as it is, so any other one would not do.
    assert.equal(statuses, ['about 201', 'about 401', '401', '401', 'about 200', '401', 'about 204'])
    // The same as in the contract of a run.
    for (const id of ['LOGON-1', 'LOGON-2', 'ACCESS-1', 'ACCESS-2', 'REVOKE-1', 'IDLE-1']) {
      assert.ok(contract.text.includes(`"${id} (`), id)
    }
    assert.not.match(contract.text, /client\.mjs|127\.0\.0\.1|"client"/)
  }),
)

long(test)(
  'a client with paths, headers and tokens of its own: no secret, the same bytes each time, all verified',
  () =>
    inFolder(async folder => {
      const env = { LOG_LEVEL: 'trace', RUST_LOG: 'trace', CORE_CONSUMER: 'app', CORE_CONTRACTS: 'c/d' }
      // This client puts its token into a query, which no contract may hold.
      const args = ['--scenario', 'token-expires,token-revoked', '--ignore', 'token-elsewhere']
      const run = () => cli(['client', ...args, ...telltale(folder, 'curious.mjs')], { cwd: folder, env })
      const { code, stdout, stderr } = await run()
      assert.is(code, 0, stdout + stderr)
      const contract = contractIn(folder, 'c/d/app-core.json')
      const names = named(contract.interactions)
      for (const name of [
        'GET /api/v0/cores/self/access_mode: no token',
        'GET /api/v0/cores/self?depth=2&name=a%20b: an expired token',
        'HEAD /api/v0/cores/self/users: a valid token',
        'POST /api/v0/streams with JSON: a valid token',
        'a logon: right credentials + a revoked token',
      ]) {
        assert.ok(names.includes(name), `${name}\n${names.join('\n')}`)
      }
      const pending = contract.interactions.filter(each => each.pending).map(({ description }) => description)
      const posts = ['POST /api/v0/notes with a text', 'POST /api/v0/streams with JSON']
      assert.equal(pending, ['GET /api/v0/streams/7%2F8', ...posts])
      const headers = contract.interactions.flatMap(({ request }) => Object.keys(request.headers ?? {}))
      assert.equal([...new Set(headers)].sort(), ['Accept', 'Authorization', 'Content-Type'])
      assert.match(
        stdout,
        /\nLeft out of the contract: GET \/api\/v0\/streams\?token=\[token of the client\] \(its path holds/,
      )
      await run()
      assert.is(contractIn(folder, 'c/d/app-core.json').text, contract.text)
      const passwords = readFileSync(join(folder, 'passwords'), 'utf8').trim().split('\n')
      assert.is(passwords.length, 4)
      const randoms = passwords.map(password => password.slice(0, 24))
      assertSecretless([contract.text, stdout, stderr], [...passwords, ...randoms])
      // Every token of the mock Core has 64 hex digits. Made-up tokens have too, and show each digit in turn.
      const long = contract.text.match(/[0-9a-f]{20,}/g) ?? []
      assert.equal([...new Set(long)], ['0123456789abcdef'.repeat(4)])
      assert.not.match(stdout, /[0-9a-f]{20,}/)
      assert.not.match(contract.text, /telltale|argument-with|curious/)

      const verified = await cli(['contracts', 'verify', 'c/d/app-core.json'], { cwd: folder, code: 0 })
      assert.ok(names.length > 10, names.join('\n'))
      assert.match(verified.stdout, new RegExp(`\\b${names.length} interactions verified, all hold`))
      assert.not.match(verified.stdout, /may still be live/)
    }),
)

long(test)('from the scenarios that it passed, and from no others; without any, none, and the exit code stays', () =>
  inFolder(async folder => {
    const args = ['client', '--scenario', 'normal,token-expires,wrong-password', '--consumer', 'app']
    const some = await cli([...args, ...command('client.mjs', 'gives-up')], { cwd: folder, code: 1 })
    assert.match(some.stdout, /\nContract: contracts\/app-core\.json \(4 interactions\)\n/)
    assert.match(some.stdout, /\nLeft out of the contract: scenario token-expires \(the client failed in it\)\n/)
    const { text } = contractIn(folder)
    assert.not.match(text, /expired/)
    const hostless = ['client', '--scenario', 'normal', '--consumer', 'app', ...command('client.mjs', 'no-host')]
    const none = await cli(hostless, { cwd: folder, code: 1 })
    assert.match(none.stderr, /no contract was written: the client passed no scenario\n/)
    assert.is(contractIn(folder).text, text)
  }),
)

long(test)('for several consumers, with pinned statuses, and as the Core of a dialect answers', () =>
  inFolder(async folder => {
    const dialect = fileURLToPath(new URL('../contracts/dialects/users-forbidden.yaml', import.meta.url))
    const args = ['client', '--scenario', 'token-revoked', '--dialect', dialect, '--pin-statuses']
    await cli([...args, '--consumer', 'app,web', ...command('client.mjs')], { cwd: folder, code: 0 })
    const contract = contractIn(folder)
    const statuses = contract.interactions.map(({ response }) => response.status)
    assert.equal(statuses, [201, 401, 403, 204])
    assert.ok(contract.interactions.every(({ response }) => !response.matchingRules?.status))
    assert.is(contractIn(folder, 'contracts/web-core.json').text.replace('"web"', '"app"'), contract.text)
  }),
)

test('a folder that cannot be written to: exit 2, before the client is run; a file that cannot, exit 3', () =>
  inFolder(async folder => {
    const args = ['client', '--scenario', 'normal', '--consumer', 'app']
    writeFileSync(join(folder, 'file'), '')
    const wrong = [...args, '--contracts', 'file', ...telltale(folder, 'client.mjs')]
    const refused = await cli(wrong, { cwd: folder, code: 2 })
    assert.match(refused.stderr, /choose another folder with --contracts/)
    assert.not.ok(existsSync(join(folder, 'passwords')))
    mkdirSync(join(folder, 'contracts/app-core.json'), { recursive: true })
    const { stderr } = await cli([...args, ...command('client.mjs')], { cwd: folder, code: 3 })
    assert.match(stderr, /no contract was written: .*app-core\.json/)
  }))

test.run()
